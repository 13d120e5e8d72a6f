#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs some of the other programs once more in each combination of the parameters
# merge and adopt, for the nodes that it changes, and with origin. Each run is one
# test here. What the programs print becomes diagnostics.

dir=$(dirname "$0")
# shellcheck disable=SC1091 # from the harness
. "$dir/../kselftest/ktap_helpers.sh"

parameters=/sys/module/anonzero/parameters
seconds=6

# Runs a program of this directory with its arguments, as one test.
try()
{
	test="$combination: $*"
	program=$1
	shift
	"$dir/$program" "$@" >"$out" 2>&1
	status=$?
	sed 's/^/# /' "$out"
	case $status in
	0) ktap_test_pass "$test" ;;
	"$KSFT_SKIP") ktap_test_skip "$test" ;;
	*) ktap_test_fail "$test" ;;
	esac
}

switch_to()
{
	echo "$1" >$parameters/merge
	echo "$2" >$parameters/adopt
	combination="merge=$1 adopt=$2"
	export ANONZERO_PARAMETERS="variants=1 $combination"
}

ktap_print_header
if [ ! -w $parameters/adopt ]; then
	ktap_skip_all "needs root, and the module"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 23
out=$(mktemp)

for which in "1 0" "0 1" "1 1"; do
	# shellcheck disable=SC2086 # two words
	switch_to $which
	case $which in
	"1 0") nodes=anonzero ;;
	"0 1") nodes=zero ;;
	*) nodes="anonzero zero" ;;
	esac
	# shellcheck disable=SC2046,SC2086 # a list of options, of nodes
	set -- $(printf ' -v %s' $nodes)
	try maps_test "$@"
	try rmap_test "$@"
	try semantics_test "$@" -T thousand_children
	try refcount_test
	try lifetime_test -v still
	for node in $nodes; do
		try stress -t "$seconds" -d "/dev/$node"
	done
done

# With origin=1 the mark must change nothing for these programs.
switch_to 0 0
combination=origin=1
echo 1 >$parameters/origin
try maps_test -v anonzero
try semantics_test -v anonzero -T thousand_children
try advice_test -v anonzero
try stress -t "$seconds"
echo 0 >$parameters/origin

rm -f "$out"
ktap_finished
