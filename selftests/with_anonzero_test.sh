#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# with-anonzero: one program's /dev/zero is /dev/anonzero, and nobody else's.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"

# Passes test $1 where the command behind it succeeds.
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

# What zerocmp finds of a private mapping of /dev/zero, under a command.
answer()
{
	"$@" "$dir/zerocmp" --json /dev/zero | grep -q '"madv_wipeonfork": "ok"'
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

check "/dev/zero is a hybrid outside" status_of 1 answer env
check "and anonymous inside" answer with-anonzero
check "it is still a hybrid outside" status_of 1 answer env
# shellcheck disable=SC2016 # for the inner shell
check "arguments are passed as they are" \
	status_of 0 with-anonzero sh -c '[ $# = 2 ] && [ "$1" = "a  b" ]' sh "a  b" ""
check "and so is the status" status_of 7 with-anonzero sh -c 'exit 7'
check "no command is a mistake" status_of 2 with-anonzero
check "as is one that is not there" status_of 127 with-anonzero /no/such/command
user='setpriv --reuid=65534 --regid=65534 --clear-groups'
# shellcheck disable=SC2086 # a command and its options
if $user unshare --user --mount --map-root-user true 2>/dev/null; then
	check "without root, too" answer $user with-anonzero
else
	ktap_test_skip "without root, too: users can make no namespaces here"
fi

rm -f "$out"
ktap_finished
