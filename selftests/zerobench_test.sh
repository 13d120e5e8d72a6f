#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# zerobench runs each load on each backing, its counts are those that the other tests
# expect, and it leaves the parameters as they were. No test looks at a time.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"
# shellcheck source=kernel.sh
. "$dir/kernel.sh"

parameters=/sys/module/anonzero/parameters
max_map_count=/proc/sys/vm/max_map_count

# The test $1 passes if the command that follows succeeds.
check()
{
	name=$1
	shift
	if "$@"; then
		ktap_test_pass "$name"
	else
		sed 's/^/# /' "$out"
		ktap_test_fail "$name"
	fi
}

bench()
{
	"$dir/zerobench" "$@" >"$out" 2>&1
}

# Runs zerobench on three backings that need no parameter, to save time.
bench_three()
{
	bench "$@" -b MAP_ANONYMOUS -b /dev/zero -b /dev/anonzero
}

# Whether $1 lines of the output match $2.
has_lines()
{
	[ "$(grep -Ec "$2" "$out")" = "$1" ]
}

# Prints the count $2 of the backing $1, from the output.
count()
{
	sed -n "s|^{ \"kind\": \"why\", \"backing\": \"$1\",.* \"$2\": \([^ ,]*\).*|\1|p" "$out"
}

# Whether the count $2 of the backing $1 is $3, give or take 0.01.
is_count()
{
	count "$1" "$2" | awk -v want="$3" \
		'{ found = $1 - want < 0.01 && want - $1 < 0.01 } END { exit !found }'
}

check_count()
{
	if [ "$(count "$1" "$2")" = null ]; then
		ktap_test_skip "$2 of $1: this kernel cannot count them"
	else
		check "$2 of $1 is $3" is_count "$@"
	fi
}

refuses()
{
	words=$1
	shift
	! bench "$@" && has_lines 1 "$words" && has_lines 1 .
}

# Whether its output cannot be written, and it says so in one line.
unwritten()
{
	words=$1
	shift
	"$dir/zerobench" -r 1 -N 1 -l map -b MAP_ANONYMOUS "$@" 2>"$out"
	[ $? = 1 ] && has_lines 1 "$words" && has_lines 1 .
}

unwritten_full()
{
	unwritten 'cannot write all of the output: No space left' "$@" >/dev/full
}

unwritten_closed()
{
	unwritten 'standard output is closed' "$@" >&-
}

# Prints in how many different orders these seeds put the backings.
orders()
{
	for seed; do
		bench_three -s "$seed" -r 8 -N 1 -l map
		sed 's/.*"place"//' "$out" | tr '\n' ' '
		echo
	done | uniq | wc -l
}

ktap_print_header
if [ ! -w $parameters/adopt ]; then
	ktap_skip_all "needs root, and the module"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 26
out=$(mktemp)
before=$(cat $parameters/merge $parameters/adopt)

bench -r 1 -N 10 -m 4
loads=$(grep -o '"load": "[^"]*"' "$out" | sort -u | wc -l)
backings=$(grep -o '"backing": "[^"]*"' "$out" | sort -u | wc -l)
# The nodes of the designs anon and hybrid are not measured.
nodes=$(find /dev -name 'anonzero-*' ! -name '*-anon' ! -name '*-hybrid' | wc -l)
check "nine loads" [ "$loads" = 9 ]
check "all backings" \
	[ "$backings" = $((5 + nodes)) ]
check "a line for each load and backing" has_lines $((loads * backings)) \
	'"kind": "run".*"ns": \[[1-9][0-9]*\], "place": \[[0-9]\] }$'
bench_three -r 1 -N 10 -m 4 -n 3 -T
check "threads" has_lines $((3 * loads)) '"tasks": 3, "threads": true'
bench_three -r 1 -N 10 -m 4 -n 3 -e -u
check "processes with a descriptor each, not pinned" has_lines $((3 * loads)) \
	'"pinned": false, "descriptors": "each"'

zero_vmas=1 zero_locks=2 anonzero_vmas=1
if core_makes_zero_anonymous; then
	zero_vmas=0 zero_locks=0
fi
if merge_stays_on; then
	anonzero_vmas=0
fi
bench_three -r 1 -N 1 -l map -w -b /dev/anonzero+merge -b /dev/zero+adopt
for backing in MAP_ANONYMOUS /dev/anonzero+merge /dev/zero+adopt; do
	check_count $backing vmas 0
	check_count $backing rmap_locks 0
done
check_count /dev/zero vmas $zero_vmas
check_count /dev/zero rmap_locks $zero_locks
check_count /dev/anonzero vmas $anonzero_vmas
check_count /dev/anonzero rmap_locks 0
bench -r 1 -N 1 -l map -b /dev/zero+adopt
check "merge and adopt are as they were" \
	[ "$(cat $parameters/merge $parameters/adopt)" = "$before" ]

bench -r 1 -N 1 -l map -b /dev/zero -b /dev/zero
check "a backing twice is numbered" has_lines 1 '"backing": "/dev/zero#2"'
check "a seed gives an order" [ "$(orders 5 5)" = 1 ]
check "another seed gives another order" [ "$(orders 5 6)" = 2 ]
check "an unknown load" refuses "no load is called 'x'" -l x
check "an unknown backing" refuses 'cannot measure /dev/x: No such' -b /dev/x

# Lower it: a debug kernel checks all VMAs at each call, and would take hours.
limit=$(cat $max_map_count)
echo 1000 >$max_map_count
other=$(file_mapping_device)
if [ -c "$other" ]; then
	check "more mappings than max_map_count" \
		refuses 'raise vm.max_map_count' -l map -N 1100 -b "$other"
else
	ktap_test_skip "more mappings than max_map_count: needs variants=1"
fi
echo "$limit" >$max_map_count

check "a full disk" unwritten_full
check "a full disk, for the counts" unwritten_full -w
check "a full disk, for -h" unwritten_full -h
check "a closed standard output" unwritten_closed

rm -f "$out"
ktap_finished
