# SPDX-License-Identifier: GPL-2.0-only
# What the scripts share; sourced, never run.
# shellcheck shell=sh disable=SC2034 # each script uses what it needs

set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:?"set HOME or XDG_CACHE_HOME"}/.cache}/anonzero

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# The script's own header comment, from line 3 to the first empty line.
usage()
{
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
}

as_root()
{
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root for '$*': run it as root, or install sudo"
	fi
}

apt_update()
{
	say "apt-get update"
	as_root apt-get -qq update >&2 ||
		die "apt-get update failed: check the network and /etc/apt/sources.list"
}

# One holder at a time of what lies under the named cache directory.
lock()
{
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock 9
}
