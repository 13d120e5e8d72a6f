#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# zerocmp prints of each backing what the other tests expect.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"
# shellcheck source=kernel.sh
. "$dir/kernel.sh"

# Prints what zerocmp finds for the key $2 of the backing $1.
answer()
{
	"$dir/zerocmp" --json "$1" | sed -n "s/^ *\"$2\": //p" |
		sed 's/,$//; s/^"//; s/"$//'
}

# The test passes if zerocmp finds $3 for the key $2 of the backing $1.
expect()
{
	got=$(answer "$1" "$2")
	if [ "$got" = "$3" ]; then
		ktap_test_pass "$1 $2"
	else
		ktap_print_msg "$1 $2: '$got', not '$3'"
		ktap_test_fail "$1 $2"
	fi
}

# Passes where zerocmp, with the arguments given, says in one line that its output
# cannot be written, to a full disk and where standard output is closed.
expect_unwritten()
{
	"$dir/zerocmp" "$@" >/dev/null && fine=yes || fine=no
	full=$("$dir/zerocmp" "$@" 2>&1 >/dev/full) && fine=no
	closed=$("$dir/zerocmp" "$@" 2>&1 >&-) && fine=no
	case $fine/$full/$closed in
	'yes/zerocmp: cannot write all of the output: No space left on device/zerocmp: standard output is closed')
		ktap_test_pass "zerocmp $1 cannot write"
		;;
	*)
		ktap_print_msg "'$full', '$closed'"
		ktap_test_fail "zerocmp $1 cannot write"
		;;
	esac
}

ktap_print_header
if [ ! -c /dev/anonzero ]; then
	ktap_skip_all "the module is not loaded"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 23

expect MAP_ANONYMOUS adjacent_vmas 1
anonymous='MAP_ANONYMOUS /dev/anonzero'
if core_makes_zero_anonymous; then
	anonymous="$anonymous /dev/zero"
else
	expect /dev/zero map_files '-> /dev/zero'
	expect /dev/zero adjacent_vmas_mprotect 8
	expect /dev/zero madv_wipeonfork EINVAL
	expect /dev/zero madv_remove EACCES
	expect /dev/zero uffdio_zeropage EFAULT
fi
for backing in $anonymous; do
	expect "$backing" map_files 'no entry'
	expect "$backing" adjacent_vmas_mprotect 1
	expect "$backing" madv_wipeonfork ok
	expect "$backing" madv_remove EINVAL
	expect "$backing" uffdio_zeropage ok
done

if "$dir/zerocmp" /no/such/device 2>/dev/null; then
	ktap_test_fail "a device that is not there"
else
	ktap_test_pass "a device that is not there"
fi
columns=$("$dir/zerocmp" /dev/zero MAP_ANONYMOUS | head -n 1)
case $columns in
*/dev/zero*MAP_ANONYMOUS*) ktap_test_pass "a table" ;;
*) ktap_test_fail "a table" ;;
esac
for mode in /dev/zero --json -h "--pid $$" "--maps $$"; do
	# shellcheck disable=SC2086 # an option, and its argument
	expect_unwritten $mode
done

ktap_finished
