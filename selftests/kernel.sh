# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the shell tests ask of the running kernel.

# Whether core mm itself makes a private mapping of /dev/zero anonymous.
core_makes_zero_anonymous()
{
	grep -q ' file_is_dev_zero$' /proc/kallsyms
}

# Prints a device whose private mappings are file mappings, which never merge. The one
# that stands in for /dev/zero is there with variants=1.
file_mapping_device()
{
	if core_makes_zero_anonymous; then
		echo /dev/anonzero-fault
	else
		echo /dev/zero
	fi
}

# Whether merge is on and cannot be switched off.
merge_stays_on()
{
	merge=/sys/module/anonzero/parameters/merge
	[ "$(cat $merge)" = Y ] || return 1
	! echo N 2>/dev/null >$merge || ! echo Y >$merge
}
