# SPDX-License-Identifier: GPL-2.0-only
# What the scripts share; sourced, never run.
# shellcheck shell=sh disable=SC2034,SC2154 # each script has its own variables

set -eu
# What make has been given, for those scripts that hand it on: make keeps its jobserver
# from a script, and the number of jobs stands beside it.
make_flags=$(printf '%s\n' "${MAKEFLAGS-}" | sed 's/ --jobserver-[a-z]*=[^ ]*//')
# Nor do variables that are about another kernel build get into ours.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
unset KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_EXTMOD_OUTPUT OUTPUT
# Each script has set $top to the tree, as seen from itself.
top=$(CDPATH='' cd -- "$top" && pwd)
lib=$top/scripts/lib

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# The next file to be opened would be written to in its place.
if ! { true 3>&1; } 2>/dev/null; then
	die "standard output is closed"
fi

# Prints a line; output that cannot be written is a failure.
print()
{
	printf '%s\n' "$*" 2>/dev/null || die "cannot write all of the output"
}

# Prints the file $1.
show()
{
	cat "$1" 2>/dev/null || die "cannot write all of the output"
}

# Whether kbuild, with its makefiles and their shells, can take a path.
is_plain()
{
	case $1 in
	*[[:space:]\'\",:%#\(\)*?=\&\;\|\<\>\$\`\\]*) return 1 ;;
	esac
}

# What $1 names lies at $2, or else $3 is what to do.
must_be_plain()
{
	is_plain "$2" ||
		die "$1 is $2, and kbuild takes no path with a blank or one of" \
			"'\",:%#()*?=&;|<>\$\`\\ in it: $3"
}

# The path $1, which is relative to where the script was called.
absolute()
{
	case $1 in
	/*) printf '%s\n' "$1" ;;
	*) printf '%s\n' "$PWD/$1" ;;
	esac
}

[ -z "${TMPDIR-}" ] || TMPDIR=$(absolute "$TMPDIR")

# Makes the directory $1; where it cannot be written to, $2 is what to do.
make_directory()
{
	if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
		die "cannot write to $1: $2"
	fi
}

# Makes a temporary directory for kbuild to work in, and prints its path.
make_plain_tmp()
{
	is_plain "${TMPDIR:-/tmp}" || TMPDIR=/tmp
	mktemp -d "${TMPDIR:-/tmp}/anonzero-$1.XXXXXX"
}

# The script's own header comment, from line 3 to the first empty line.
usage()
{
	print "$(sed -n '3,/^$/s/^# \{0,1\}//p' "$0")"
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
	must_be_plain "the cache" "$cache" "set XDG_CACHE_HOME to another directory"
}

make_cache()
{
	make_directory "$cache" "set XDG_CACHE_HOME to another directory"
}

# One holder at a time of what lies under the named cache directory.
lock()
{
	make_cache
	exec 9>"$cache/$1.lock"
	flock 9
}

# Runs find in the tree below the names $1, with the expression $2 for what builds have
# made and $3 for all else. .gitignore is the list of what builds make: a line that
# begins with a slash is one place, any other a name at any place.
find_in_tree()
(
	names=$1 made=$2 other=$3
	set --
	while read -r pattern; do
		case $pattern in
		/*) set -- "$@" -o -path ".${pattern%/}" ;;
		*) set -- "$@" -o -name "$pattern" ;;
		esac
	done <"$top/.gitignore"
	shift
	set -f
	cd "$top"
	# shellcheck disable=SC2086 # lists of words
	find $names -path ./.git -prune -o \( "$@" \) -prune $made -o $other
)

# Prints the files below the names given that are no build's, nor an editor's.
source_files()
{
	find_in_tree "$*" '' '-type f ( ! -name .* -o -name .gitignore ) -print'
}

# Copies the files below the names behind $1, which are no build's, into the
# directory $1, where all can read them.
copy_sources()
(
	to=$1
	shift
	mkdir -p "$to"
	source_files "$@" | tar -C "$top" -T - -cf - | tar -C "$to" --no-same-owner -xf -
	chmod -R u=rwX,go=rX "$to"
)

copy_tree()
{
	copy_sources "$1" ./.gitignore ./Kbuild ./LICENSE ./Makefile ./README.md \
		./dkms.conf ./docs ./include ./man ./packaging ./scripts ./selftests ./src
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

# The directory with the headers of the kernel that make is to build for.
headers_directory()
{
	printf '%s\n' "${KDIR:-/lib/modules/$(uname -r)/build}"
}

# Has kbuild make, as make was called, from this tree with the headers in $1. That the
# result lies in the tree is what all else relies on.
kbuild()
{
	headers=$1
	shift
	MAKEFLAGS=$make_flags make -C "$headers" M="$top" \
		KBUILD_OUTPUT='' KBUILD_EXTMOD_OUTPUT='' "$@"
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

# The kernel tree that has the kselftest harness: KSRC, or Debian's.
harness()
{
	if [ -z "${KSRC-}" ]; then
		"$top/scripts/kernels" source
		return
	fi
	must_be_plain KSRC "$KSRC" "move the kernel tree"
	[ -e "$KSRC/tools/testing/selftests/lib.mk" ] ||
		die "KSRC=$KSRC is no kernel source tree: it has no tools/testing/selftests/lib.mk"
	absolute "$KSRC"
}

# The key pair that the firmware of "scripts/vm -s" knows; its private half goes to
# the file $1.
snakeoil=/usr/share/ovmf/PkKek-1-snakeoil
snakeoil_key()
{
	openssl rsa -in $snakeoil.key -passin pass:snakeoil -out "$1" 2>/dev/null
}
