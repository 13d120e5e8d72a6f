#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In a minute, stress finds no difference between the device and anonymous memory.
# The control is a device of which it must find one, and find it again.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"
# shellcheck source=kernel.sh
. "$dir/kernel.sh"

seconds=60

# Reports that the test $2 has passed if the status $1 is 0.
report()
{
	if [ "$1" = 0 ]; then
		ktap_test_pass "$2"
	else
		ktap_test_fail "$2"
	fi
}

# Runs stress with these arguments, and prints its output as diagnostics.
stress()
{
	"$dir/stress" "$@" >"$out"
	ret=$?
	sed 's/^/# /' "$out"
	return $ret
}

ktap_print_header
if [ ! -c /dev/anonzero ]; then
	ktap_skip_all "the module is not loaded"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 7
out=$(mktemp)

stress -t "$seconds"
report $? "the device agrees with anonymous memory"

if [ -c /dev/anonzero-sharded ]; then
	stress -t 10 -d /dev/anonzero-sharded -r /dev/anonzero-hybrid
	report $? "the design sharded agrees with the hybrid"
else
	ktap_test_skip "sharded and hybrid: needs variants=1"
fi

other=$(file_mapping_device)
if [ -c "$other" ]; then
	stress -t "$seconds" -d "$other" -s 1
	[ $? = 1 ]
	report $? "$other does not agree with anonymous memory"

	# When stress finds a difference, it prints the call that finds it again.
	again=$(sed -n 's/^ *again: stress//p' "$out" | head -n 1)
	# shellcheck disable=SC2086 # a list of arguments
	stress -t "$seconds" $again >/dev/null
	[ $? = 1 ]
	report $? "the same call finds that again:$again"
else
	ktap_test_skip "$other does not agree with anonymous memory: needs variants=1"
	ktap_test_skip "the same call finds that again: needs variants=1"
fi

first=$("$dir/stress" -t "$seconds" -s 7 -w 1 -n 200)
[ "$first" = "$("$dir/stress" -t "$seconds" -s 7 -w 1 -n 200)" ]
report $? "the same seed takes the same steps"

# One of its processes says so for all.
words=$("$dir/stress" -t 1 2>&1 >/dev/full) && words=
[ "$words" = "stress: cannot write all of the output" ]
report $? "a full disk is a failure"
words=$("$dir/stress" -t 1 2>&1 >&-) && words=
[ "$words" = "stress: standard output is closed" ]
report $? "and so is a closed standard output"

rm -f "$out"
ktap_finished
