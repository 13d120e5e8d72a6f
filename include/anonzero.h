/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of src/ know of each other. Each of them says of its functions
 * what they do.
 */
#ifndef ANONZERO_H
#define ANONZERO_H

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "compat.h"
#include "designs.h"

#include <linux/major.h>

/* The system's /dev/zero, as drivers/char/mem.c has it. */
#define ANONZERO_ZERO_DEVT MKDEV(MEM_MAJOR, 5)

/**
 * enum anonzero_way - how a mapping of the design "anon" becomes anonymous memory
 * @ANONZERO_IN_HOOK: ->mmap drops the file, where nothing can fail afterwards
 * @ANONZERO_AT_ENTRY: the probe changes the request, or the mapping is a hybrid
 * @ANONZERO_BY_CORE: core mm does it for /dev/zero, and so for a file that has the
 *	operations of /dev/zero; it takes no anonymous VMA from ->mmap
 */
enum anonzero_way {
	ANONZERO_IN_HOOK = 1,
	ANONZERO_AT_ENTRY,
	ANONZERO_BY_CORE,
};

/**
 * struct anonzero_design - what a node's private mappings are
 * @name: the node's, behind "anonzero-"
 * @by_hook: needs a kernel that takes an anonymous VMA from ->mmap
 * @init: makes what the design needs, or NULL; may sleep; 0 or a negative errno
 *	with nothing left behind. Called at load, before a node can be opened.
 * @exit: undoes @init, or NULL; may sleep. No file of the design is open.
 * @open: of ->open, or NULL; 0 or a negative errno. private_data is the
 *	design's own.
 * @release: of ->release, or NULL
 * @mmap_private: turns the new VMA into the design's; it cannot fail, because
 *	a caller of ->mmap that sees an error puts vm_file, which the design
 *	may have dropped. Called with mmap_lock held for writing, the VMA not
 *	in the tree, vm_file the opened node with a reference of its own.
 * @unmapped_area: places a private mapping, with mmap_lock held for writing; or
 *	NULL, for the place that /dev/zero would have
 */
struct anonzero_design {
	const char *name;
	bool by_hook;
	int (*init)(void);
	void (*exit)(void);
	int (*open)(struct file *file);
	void (*release)(struct file *file);
	void (*mmap_private)(struct vm_area_struct *vma);
	unsigned long (*unmapped_area)(unsigned long addr, unsigned long len,
				       unsigned long flags);
};

/* src/designs */
ANONZERO_DESIGNS(ANONZERO_DESIGN_DECLARATION)

/* designs.c */
int anonzero_designs_init(const char *name, bool variants);
void anonzero_designs_exit(void);
unsigned int anonzero_nr_nodes(void);
const struct anonzero_design *anonzero_node_design(unsigned int minor);
const struct anonzero_design *anonzero_file_design(const struct file *file);

/* mmap.c */
bool anonzero_is_anon(const struct file *file);
void anonzero_set_file(struct vm_area_struct *vma, struct file *file);
int anonzero_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long anonzero_unmapped_area(struct file *file, unsigned long addr,
				     unsigned long len, unsigned long pgoff,
				     unsigned long flags);

/* name.c */
int anonzero_name_init(const char *name);
void anonzero_name_exit(void);
const char *anonzero_name_state(void);
void anonzero_name_vma(struct vm_area_struct *vma);

/* origin.c */
void anonzero_origin_init(void);
void anonzero_origin_exit(void);
bool anonzero_origin_is_on(void);
void anonzero_origin_mark(struct vm_area_struct *vma);
void anonzero_origin_count_request(void);
void anonzero_origin_count_hybrid(void);

/* rss.c */
unsigned long anonzero_rss(struct vm_area_struct *vma, unsigned long addr,
			   unsigned long end, unsigned long *pages);

/**
 * struct anonzero_switch - one of the parameters that need the probe
 * @name: the parameter's
 * @says: what the log gets when it is switched off, and on
 * @on: read by the probe, without a lock
 */
struct anonzero_switch {
	const char *name;
	const char *says[2];
	bool on;
};

/* way.c */
int anonzero_way_init(void);
enum anonzero_way anonzero_way(void);
const char *anonzero_way_words(void);

/* switches.c */
extern struct anonzero_switch anonzero_merge;
extern struct anonzero_switch anonzero_adopt;
int anonzero_switches_init(void);
void anonzero_switches_exit(void);

/* What to do where do_mmap() cannot be probed. */
static inline const char *anonzero_probe_advice(void)
{
	return anonzero_way() == ANONZERO_AT_ENTRY ?
	       "there is no other way on this kernel, so do without this module" :
	       "leave both at 0";
}

/* probe.c, which a kernel without the function tracer does not have */
#ifdef CONFIG_FUNCTION_TRACER
int anonzero_probe_add(void);
int anonzero_probe_remove(void);
#else
static inline int anonzero_probe_add(void)
{
	pr_err("merge=1 and adopt=1 need CONFIG_FUNCTION_TRACER, which this kernel lacks: %s\n",
	       anonzero_probe_advice());
	return -EOPNOTSUPP;
}

static inline int anonzero_probe_remove(void)
{
	return 0;
}
#endif

/* symbol.c */
int anonzero_symbol(const char *name, unsigned long *address);

/* shared.c */
int anonzero_mmap_shared(struct vm_area_struct *vma);

/* zero.c */
int anonzero_zero_init(struct file_operations *fops);
void anonzero_zero_open(struct file *file);
void anonzero_zero_hand_over(struct file *file);
unsigned long anonzero_zero_unmapped_area(struct file *file, unsigned long addr,
					  unsigned long len, unsigned long pgoff,
					  unsigned long flags);

#endif /* ANONZERO_H */
