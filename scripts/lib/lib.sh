# SPDX-License-Identifier: GPL-2.0-only
# What all scripts of the tree share. A script sets $top to the tree, as seen from its
# own directory, and then sources this.
# shellcheck shell=sh disable=SC2034,SC2154 # each script has its own variables

set -eu
# The flags and variables that make was given, for those scripts that call make again.
# make does not share its jobserver with a script, but the number of jobs is there, too.
make_flags=$(printf '%s\n' "${MAKEFLAGS-}" | sed 's/ --jobserver-[a-z]*=[^ ]*//')
# Nothing of another kernel build may get into those that the scripts do.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
unset KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_EXTMOD_OUTPUT OUTPUT
top=$(CDPATH='' cd -- "$top" && pwd)
lib=$top/scripts/lib

# Says the words on standard error, with the script's name.
say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# Says the words, and ends the script with status 1.
die()
{
	say "$*"
	exit 1
}

# If it is closed, the next file that is opened takes its place, and is written to.
if ! { true 3>&1; } 2>/dev/null; then
	die "standard output is closed"
fi

# Prints a line. If it cannot be written, the script fails.
print()
{
	printf '%s\n' "$*" 2>/dev/null || die "cannot write all of the output"
}

# Prints the file $1. If it cannot be written, the script fails.
show()
{
	cat "$1" 2>/dev/null || die "cannot write all of the output"
}

# Whether kbuild can take the path $1, which its makefiles and shells do not quote.
is_plain()
{
	case $1 in
	*[[:space:]\'\",:%#\(\)*?=\&\;\|\<\>\$\`\\]*) return 1 ;;
	esac
}

# Refuses the path $2 of what $1 names, if kbuild cannot take it; $3 says what to do.
must_be_plain()
{
	is_plain "$2" ||
		die "$1 is $2, and kbuild takes no path with a blank or one of" \
			"'\",:%#()*?=&;|<>\$\`\\ in it: $3"
}

# Prints the path $1, which may be relative to the current directory, as an absolute one.
absolute()
{
	case $1 in
	/*) printf '%s\n' "$1" ;;
	*) printf '%s\n' "$PWD/$1" ;;
	esac
}

[ -z "${TMPDIR-}" ] || TMPDIR=$(absolute "$TMPDIR")

# Makes the directory $1 unless it exists. If it cannot be written to, $2 says what to do.
make_directory()
{
	if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
		die "cannot write to $1: $2"
	fi
}

# Makes a temporary directory in which kbuild can work, and prints its path.
make_plain_tmp()
{
	is_plain "${TMPDIR:-/tmp}" || TMPDIR=/tmp
	mktemp -d "${TMPDIR:-/tmp}/anonzero-$1.XXXXXX"
}

# Prints the script's own header comment, from line 3 to the first empty line.
usage()
{
	print "$(sed -n '3,/^$/s/^# \{0,1\}//p' "$0")"
}

# Runs a command as root.
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

# Sets $cache to the directory that keeps kernels and builds. Only scripts that need it
# call this. A relative XDG_CACHE_HOME is ignored, as its specification demands.
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

# Takes the lock $1 of the cache, or waits for it. The script holds it until it ends.
lock()
{
	make_cache
	exec 9>"$cache/$1.lock"
	flock 9
}

# Runs find in the tree, below the names $1. It applies the expression $2 to what builds
# make, and $3 to everything else. .gitignore is the one list of what builds make: a line
# that begins with a slash is a path, and any other is a name that can be anywhere.
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

# Prints the source files below the names given: those that no build or editor has made.
source_files()
{
	find_in_tree "$*" '' '-type f ( ! -name .* -o -name .gitignore ) -print'
}

# Copies the source files below the names behind $1 into the directory $1. Everybody can
# read the copies.
copy_sources()
(
	to=$1
	shift
	mkdir -p "$to"
	source_files "$@" | tar -C "$top" -T - -cf - | tar -C "$to" --no-same-owner -xf -
	chmod -R u=rwX,go=rX "$to"
)

# Copies all sources of the tree into the directory $1.
copy_tree()
{
	copy_sources "$1" ./.gitignore ./Kbuild ./LICENSE ./Makefile ./README.md \
		./dkms.conf ./docs ./include ./man ./packaging ./scripts ./selftests ./src
}

# Runs the shell script $2 as root in the chroot $1. It has /proc there, and at /mnt the
# directory $3, or else the directory that the chroot lies in. The mounts are in a
# namespace of their own, so that they vanish with the script.
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

# Prints the directory with the headers of the kernel that make is to build for.
headers_directory()
{
	printf '%s\n' "${KDIR:-/lib/modules/$(uname -r)/build}"
}

# Runs kbuild on this tree, with the headers in $1 and what make was given. The results
# must lie in the tree, so nothing that the user has set may send them elsewhere.
kbuild()
{
	headers=$1
	shift
	MAKEFLAGS=$make_flags make -C "$headers" M="$top" \
		KBUILD_OUTPUT='' KBUILD_EXTMOD_OUTPUT='' "$@"
}

# Builds the module in the directory $2 for the test kernel in the directory $1. The
# other arguments are for make.
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

# Prints the kernel tree that has the kselftest harness: KSRC, or else Debian's.
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

# This key pair is known to the firmware of "scripts/vm -s".
snakeoil=/usr/share/ovmf/PkKek-1-snakeoil

# Writes its private key, without the passphrase, to the file $1.
snakeoil_key()
{
	openssl rsa -in $snakeoil.key -passin pass:snakeoil -out "$1" 2>/dev/null
}
