#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The table of designs in docs/designs.md, and the part of it in README.md, say
# what the running kernel does; README.md's table of parameters has all that the
# module has, and docs/testing.md all test programs. ANONZERO_README names
# README.md; docs/ lies beside it. Loads and unloads the module.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"
# shellcheck source=kernel.sh
. "$dir/kernel.sh"

ko=${ANONZERO_KO:-/lib/modules/anonzero.ko}
readme=${ANONZERO_README-}
docs=$(dirname "$readme")/docs
programs=$dir/../kselftest-list.txt

# Loads the module with the parameters given.
load()
{
	if [ -d /sys/module/anonzero ]; then
		rmmod anonzero
	fi
	insmod "$ko" "$@"
}

# Prints the table of designs in file $1: its head, and one row for each design.
table()
{
	sed -n '/^| design | maps shows |/,/^$/p' "$1" | grep .
}

# Prints for each parameter how its row begins: its name, whether it can be
# written, and its default.
parameters()
{
	for file in /sys/module/anonzero/parameters/*; do
		mark=
		[ "$(stat -c %a "$file")" != 644 ] || mark=' (rw)'
		echo "| \`${file##*/}=\`$mark | \`$(cat "$file")\` |"
	done
}

# Passes where each line of the file $2 is a line of the file $3.
expect_lines()
{
	missing='a table'
	[ ! -s "$2" ] || missing=$(grep -vxFf "$3" "$2" | sort -u)
	if [ -z "$missing" ]; then
		ktap_test_pass "$1"
	else
		ktap_print_msg "not there: $missing"
		ktap_test_fail "$1"
	fi
}

# Prints why this kernel has no mapping of the design $1, if it has none.
why_not()
{
	case $1 in
	hybrid | sharded)
		! core_makes_zero_anonymous || echo "core mm lets no driver make it"
		;;
	anon | 'anon named')
		if merge_stays_on; then
			echo "merge cannot be switched off"
		elif [ "$1" != anon ] && ! dmesg | grep -q 'mappings are named'; then
			echo "this kernel lacks CONFIG_ANON_VMA_NAME"
		fi
		;;
	esac
}

# Passes where zerocmp printed the row $1 of the documents.
expect_row()
{
	label=${1#| }
	label=${label%% |*}
	why=$(why_not "$label")
	if grep -Fqx "$1" "$tmp/printed"; then
		ktap_test_pass "$label"
	elif [ "$why" ]; then
		ktap_test_skip "$label: $why"
	else
		ktap_print_msg "zerocmp does not print: $1"
		ktap_test_fail "$label"
	fi
}

ktap_print_header
for file in "$readme" "$docs/designs.md" "$docs/testing.md" "$programs"; do
	if [ ! -r "$file" ]; then
		ktap_skip_all "there is no '$file': set ANONZERO_README to README.md, and run the package"
		exit "$KSFT_SKIP"
	fi
done
if [ ! -r "$ko" ] || ! load; then
	ktap_skip_all "cannot load the module: set ANONZERO_KO"
	exit "$KSFT_SKIP"
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
table "$docs/designs.md" >"$tmp/designs"
table "$readme" >"$tmp/readme"
sed 1,2d "$tmp/designs" >"$tmp/rows"
# shellcheck disable=SC2016 # Markdown, not commands
grep -o '^| `[a-z]*=`[^|]*| `[^|]*` |' "$readme" >"$tmp/documented"
sed -n 's/^anonzero://p' "$programs" >"$tmp/programs"
# shellcheck disable=SC2016 # as above
grep '^|' "$docs/testing.md" | grep -Eo '`[a-z_]*_test(\.sh)?`' | tr -d '`' >"$tmp/tested"
ktap_set_plan $(($(wc -l <"$tmp/rows") + 6))

parameters >"$tmp/parameters"
if merge_stays_on; then
	# The documents have the default of where it can be switched.
	# shellcheck disable=SC2016 # Markdown, not commands
	sed -i '/^| `merge=`/s/`Y`/`N`/' "$tmp/parameters"
fi
for parameter in name= merge=1 name=/dev/zero; do
	load variants=1 "$parameter"
	"$dir/zerocmp" --designs
done >"$tmp/printed"

while read -r row; do
	expect_row "$row"
done <"$tmp/rows"
expect_lines "docs/designs.md has all that zerocmp prints" "$tmp/printed" "$tmp/designs"
expect_lines "README.md has rows of docs/designs.md" "$tmp/readme" "$tmp/designs"
expect_lines "README.md has every parameter" "$tmp/parameters" "$tmp/documented"
expect_lines "README.md has no other parameter" "$tmp/documented" "$tmp/parameters"
expect_lines "docs/testing.md has every test program" "$tmp/programs" "$tmp/tested"
expect_lines "docs/testing.md has no other test program" "$tmp/tested" "$tmp/programs"

ktap_finished
