# SPDX-License-Identifier: GPL-2.0-only
# How the scripts in scripts/checks print and count their tests; sourced after lib.sh.
# shellcheck shell=sh disable=SC2034,SC2154 # each script has its own variables

passed=0 failed=0 skipped=0

# Takes the arguments that every check is called with: -h, or the file to count into.
# Sets $counts to that, and $tmp to a directory that is deleted in the end.
start_check()
{
	case ${1-} in
	-h) usage; exit 0 ;;
	'' | -*) die "takes a file to count into: see scripts/checks/${0##*/} -h" ;;
	esac
	counts=$(absolute "$1")
	tmp=$(make_plain_tmp "check-${0##*/}")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Writes what was counted, and says how to do it again where something failed.
finish_check()
{
	echo "$passed $failed $skipped" >"$counts"
	[ "$failed" != 0 ] || exit 0
	print "# again: scripts/check ${0##*/}"
	exit 1
}

# Counts the test $2, and prints how it went: $1 is "ok", or what is wrong.
result()
{
	if [ "$1" = ok ]; then
		passed=$((passed + 1))
		print "ok $2"
	else
		failed=$((failed + 1))
		print "not ok $2 # $1"
	fi
}

# Prints the end of what a command said.
show_log()
{
	tail -n 40 "$tmp/log" | sed 's/^/# /'
}

# The test $1 passes if the command behind it succeeds. The command's output is in
# $tmp/log, and its end is printed if it fails.
step()
{
	step=$1 status=0
	shift
	"$@" >"$tmp/log" 2>&1 || status=$?
	if [ "$status" = 0 ]; then
		result ok "$step"
	else
		result "status $status" "$step"
		show_log
	fi
}

# The test $3 passes if the command behind it exits with status $1 and says $2. Its
# output is in $tmp/log.
command_case()
{
	want=$1 words=$2 case=$3 status=0
	shift 3
	"$@" >"$tmp/log" 2>&1 || status=$?
	if [ "$status" = "$want" ] && grep -q -e "$words" "$tmp/log"; then
		result ok "$case"
	else
		result "status $status, not $want, or not '$words'" "$case"
		show_log
	fi
}

# A call of the script $3 of scripts/, with its arguments, exits with $1 and says $2.
call_case()
{
	want=$1 words=$2 script=$3
	shift 3
	command_case "$want" "$words" \
		"$(printf 'scripts/%s %s' "$script" "$*" | tr '\n' ' ')" \
		"$top/scripts/$script" "$@"
}
