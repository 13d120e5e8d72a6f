# SPDX-License-Identifier: GPL-2.0-only
# What the scripts share; sourced, never run.
# shellcheck shell=sh disable=SC2034,SC2154 # each script has its own variables

set -eu
top=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd)

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

# Sets $cache to where kernels and builds are kept. Only a script that keeps something
# calls this. A relative XDG_CACHE_HOME is ignored, as its specification demands.
use_cache()
{
	case ${XDG_CACHE_HOME-} in
	/*) cache=$XDG_CACHE_HOME/anonzero ;;
	*) cache=${HOME-}/.cache/anonzero ;;
	esac
	case $cache in
	/.cache/* | [!/]*) die "there is no place for kernels and builds: set HOME or" \
		"XDG_CACHE_HOME to an absolute path" ;;
	esac
}

make_cache()
{
	mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] ||
		die "cannot write to $cache: set XDG_CACHE_HOME to another directory"
}

# One holder at a time of what lies under the named cache directory.
lock()
{
	make_cache
	exec 9>"$cache/$1.lock"
	flock 9
}

# Copies the tree to $1, without what builds have left in it.
copy_tree()
{
	mkdir -p "$1"
	(cd "$top" && find Kbuild LICENSE Makefile README.md dkms.conf include man \
		packaging scripts selftests src -type f ! -name '.*' ! -name '*.o' \
		! -path 'selftests/package/*' \( ! -path 'selftests/*' -o -name '*.*' \
		-o -name Makefile -o -name config -o -name settings \) \
		-exec cp --parents -t "$1" {} +)
}

# Runs the shell script $2 as root in the chroot $1, with /proc, and with the
# directory $3, or the chroot's own parent, at /mnt. The mounts are in a
# namespace of their own: they go with it, however it ends.
in_chroot()
{
	# shellcheck disable=SC2016 # for the inner shells
	as_root unshare -m sh -euc '
		mount -t proc proc "$1/proc"
		mount --bind "$3" "$1/mnt"
		exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -euc "$2"
	' sh "$1" "$2" "${3:-${1%/*}}"
}

# Builds the module that lies in directory $2 for the test kernel in directory
# $1, with make's further arguments.
module_make()
{
	kernel=$1 directory=$2
	shift 2
	if [ -d "$kernel/chroot" ]; then
		in_chroot "$kernel/chroot" "make -s -C /usr/src/linux-headers-$(cat \
			"$kernel/release") M=/mnt $* modules" "$directory"
	else
		make -s -C "$kernel/build" M="$directory" "$@" modules
	fi
}

# The key pair that the firmware of "scripts/vm -s" knows; its private half goes to
# the file $1.
snakeoil=/usr/share/ovmf/PkKek-1-snakeoil
snakeoil_key()
{
	openssl rsa -in $snakeoil.key -passin pass:snakeoil -out "$1" 2>/dev/null
}

# The test $1 passes where the command behind it does: a line of TAP, and where it
# fails what the command said last. What it says goes to $tmp/log.
tap()
{
	name=$1
	shift
	if "$@" >"$tmp/log" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name # status $?"
		tail -n 20 "$tmp/log" | sed 's/^/# /'
		return 1
	fi
}
