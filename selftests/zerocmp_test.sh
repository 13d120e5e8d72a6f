#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# zerocmp prints of each backing what the other tests expect.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"

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

ktap_print_header
if [ ! -c /dev/anonzero ]; then
	ktap_skip_all "the module is not loaded"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 18

expect MAP_ANONYMOUS adjacent_vmas 1
for backing in MAP_ANONYMOUS /dev/anonzero; do
	expect $backing map_files 'no entry'
	expect $backing adjacent_vmas_mprotect 1
	expect $backing madv_wipeonfork ok
	expect $backing madv_remove EINVAL
	expect $backing uffdio_zeropage ok
done
expect /dev/zero map_files '-> /dev/zero'
expect /dev/zero adjacent_vmas_mprotect 8
expect /dev/zero madv_wipeonfork EINVAL
expect /dev/zero madv_remove EACCES
expect /dev/zero uffdio_zeropage EFAULT

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

ktap_finished
