// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of mapping designs, and which of them each node is of.
 */
#include "anonzero.h"

#include <linux/string.h>

static const struct anonzero_design *const designs[] = {
	ANONZERO_DESIGNS(ANONZERO_DESIGN_ENTRY)
};

/*
 * Minor 0 is /dev/anonzero. With variants=1, minors 1 to N are one for each design.
 */
static unsigned int nr_nodes;
static unsigned int chosen;

/* For "anon" there is another way. */
static bool designs_works(unsigned int i)
{
	return anonzero_way() != ANONZERO_BY_CORE || !designs[i]->by_hook;
}

static unsigned int designs_of_minor(unsigned int minor)
{
	return minor ? minor - 1 : chosen;
}

static bool designs_has_node(unsigned int i)
{
	return designs_works(i) && (i == chosen || nr_nodes > 1);
}

static void designs_exit(unsigned int n)
{
	while (n--) {
		if (designs_has_node(n) && designs[n]->exit)
			designs[n]->exit();
	}
}

static void designs_say_unknown(const char *name)
{
	char known[64] = "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		strlcat(known, " ", sizeof(known));
		strlcat(known, designs[i]->name, sizeof(known));
	}
	pr_err("design=%s is not known; take one of:%s\n", name, known);
}

static int designs_refuse(unsigned int i)
{
	pr_err("design=%s cannot be had on this kernel, which takes an anonymous mapping from no driver\n",
	       designs[i]->name);
	return -EOPNOTSUPP;
}

static int designs_choose(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		if (!strcmp(designs[i]->name, name)) {
			chosen = i;
			return designs_works(i) ? 0 : designs_refuse(i);
		}
	}
	designs_say_unknown(name);
	return -EINVAL;
}

/**
 * anonzero_designs_init() - choose what the nodes are, and set it up
 * @name: the design of /dev/anonzero
 * @variants: whether each design has a node as well
 *
 * Context: module load, before a node can be opened; sleeps.
 * Return: 0; -EINVAL, with a line in the log, for a design that is not known;
 * -EOPNOTSUPP, with a line in the log, for one that this kernel cannot have; what
 * a design's init returned, with nothing left behind.
 */
int anonzero_designs_init(const char *name, bool variants)
{
	unsigned int i;
	int ret;

	ret = designs_choose(name);
	if (ret)
		return ret;
	nr_nodes = variants ? 1 + ARRAY_SIZE(designs) : 1;

	for (i = 0; i < ARRAY_SIZE(designs); i++) {
		ret = designs_has_node(i) && designs[i]->init ? designs[i]->init() : 0;
		if (ret) {
			designs_exit(i);
			return ret;
		}
	}
	return 0;
}

/**
 * anonzero_designs_exit() - take down what anonzero_designs_init() set up
 *
 * Context: module load or unload, while no node can be opened; sleeps.
 */
void anonzero_designs_exit(void)
{
	designs_exit(ARRAY_SIZE(designs));
}

/**
 * anonzero_nr_nodes() - how many nodes there are to be
 *
 * Return: the count.
 */
unsigned int anonzero_nr_nodes(void)
{
	return nr_nodes;
}

/**
 * anonzero_node_design() - what a node's mappings are
 * @minor: the node's
 *
 * Return: its design; NULL for one that this kernel has no node of.
 */
const struct anonzero_design *anonzero_node_design(unsigned int minor)
{
	unsigned int i = designs_of_minor(minor);

	return designs_works(i) ? designs[i] : NULL;
}

/**
 * anonzero_file_design() - what an open file's mappings are
 * @file: a file of a node that could be opened
 *
 * Return: its design.
 */
const struct anonzero_design *anonzero_file_design(const struct file *file)
{
	return designs[designs_of_minor(iminor(file_inode(file)))];
}
