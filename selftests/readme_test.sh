#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# README.md's table of designs says what the running kernel does. Loads and
# unloads the module.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"

ko=${ANONZERO_KO:-/lib/modules/anonzero.ko}

# Loads the module with the parameters given, and asks zerocmp what it does then.
load()
{
	if [ -d /sys/module/anonzero ]; then
		rmmod anonzero
	fi
	insmod "$ko" variants=1 "$@" || return
	rows=$("$dir/zerocmp" --designs) || rows=
}

# Passes where the row of design $1, as zerocmp found it, is in README.md.
expect_row()
{
	row=$(echo "$rows" | grep "^| $1 |")
	if [ -n "$row" ] && grep -Fqx "$row" "$ANONZERO_README"; then
		ktap_test_pass "$1"
	else
		ktap_print_msg "not in README.md: ${row:-a row for $1}"
		ktap_test_fail "$1"
	fi
}

ktap_print_header
if [ ! -r "${ANONZERO_README-}" ]; then
	ktap_skip_all "ANONZERO_README names no README.md"
	exit "$KSFT_SKIP"
fi
if [ ! -r "$ko" ] || ! load name=; then
	ktap_skip_all "cannot load the module: set ANONZERO_KO"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 7

for design in MAP_ANONYMOUS hybrid anon sharded fault; do
	expect_row $design
done
load merge=1
expect_row 'anon merged'
load
if dmesg | grep -q 'anonzero: .* mappings are named'; then
	expect_row 'anon named'
else
	ktap_test_skip "anon named: this kernel lacks CONFIG_ANON_VMA_NAME"
fi

ktap_finished
