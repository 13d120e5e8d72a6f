#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# To a program that with-anonzero runs, and to no other, /dev/zero is /dev/anonzero.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"
# shellcheck source=kernel.sh
. "$dir/kernel.sh"

# The test $1 passes if the command that follows succeeds.
check()
{
	name=$1
	shift
	if "$@"; then
		ktap_test_pass "$name"
	else
		ktap_test_fail "$name"
	fi
}

# Whether a private mapping of /dev/zero is anonymous to what the command runs.
answer()
{
	"$@" "$dir/zerocmp" --json /dev/zero | grep -q '"madv_wipeonfork": "ok"'
}

# The test $1 passes if a private mapping of /dev/zero is a hybrid to all others.
check_outside()
{
	if core_makes_zero_anonymous; then
		ktap_test_skip "$1: core mm makes it anonymous"
	else
		check "$1" status_of 1 answer env
	fi
}

status_of()
{
	want=$1
	shift
	"$@" >"$out" 2>&1
	[ $? = "$want" ]
}

ktap_print_header
if [ ! -c /dev/anonzero ]; then
	ktap_skip_all "the module is not loaded"
	exit "$KSFT_SKIP"
fi
if ! command -v with-anonzero >/dev/null; then
	ktap_skip_all "with-anonzero is not in PATH"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 8
out=$(mktemp)

check_outside "/dev/zero is a hybrid outside"
check "/dev/zero is anonymous inside" answer with-anonzero
check_outside "/dev/zero is still a hybrid outside"
# shellcheck disable=SC2016 # for the inner shell
check "arguments are passed as they are" \
	status_of 0 with-anonzero sh -c '[ $# = 2 ] && [ "$1" = "a  b" ]' sh "a  b" ""
check "the status of the command is passed on" status_of 7 with-anonzero sh -c 'exit 7'
check "a call without a command fails" status_of 2 with-anonzero
check "a command that is not there fails" status_of 127 with-anonzero /no/such/command
user='setpriv --reuid=65534 --regid=65534 --clear-groups'
# shellcheck disable=SC2086 # a command and its options
if $user unshare --user --mount --map-root-user true 2>/dev/null; then
	check "it works without root" answer $user with-anonzero
else
	ktap_test_skip "it works without root: users cannot make namespaces here"
fi

rm -f "$out"
ktap_finished
