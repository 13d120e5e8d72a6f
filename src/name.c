// SPDX-License-Identifier: GPL-2.0-only
/*
 * "[anon:/dev/zero]" in maps and smaps, where the kernel can name anonymous
 * memory.
 */
#include "anonzero.h"

#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

/* What prctl(PR_SET_VMA_ANON_NAME) accepts; kernel/sys.c keeps it private. */
#define NAME_SIZE_MAX	80
#define NAME_BANNED	"\\`$[]"

/*
 * Each CPU has a name object of its own. If all mappings shared one, its refcount
 * would bounce between CPUs, which is the very cost that an anonymous mapping is
 * there to avoid. The module holds a reference on each. They are NULL where
 * mappings get no name.
 */
static DEFINE_PER_CPU(struct anon_vma_name *, name_of_cpu);

static const char *name_state;

static bool name_is_valid(const char *name)
{
	const char *ch;

	for (ch = name; *ch; ch++) {
		if (*ch < 0x20 || *ch > 0x7e || strchr(NAME_BANNED, *ch))
			return false;
	}
	return ch - name < NAME_SIZE_MAX;
}

/* Like anon_vma_name_alloc(), which is not exported: the last VMA kfrees it. */
static struct anon_vma_name *name_alloc(const char *name, int node)
{
	size_t size = strlen(name) + 1;
	struct anon_vma_name *anon_name;

	anon_name = kmalloc_node(struct_size(anon_name, name, size), GFP_KERNEL,
				 node);
	if (!anon_name)
		return NULL;
	kref_init(&anon_name->kref);
	memcpy(anon_name->name, name, size);
	return anon_name;
}

static void name_release(struct kref *kref)
{
	kfree(container_of(kref, struct anon_vma_name, kref));
}

/**
 * anonzero_name_init() - check the name and make its objects
 * @name: what to show in brackets; empty for none
 *
 * Context: module load, before a node can be opened.
 * Return: 0; -EINVAL for what the kernel would refuse as a name; -ENOMEM, with
 * nothing left allocated.
 */
int anonzero_name_init(const char *name)
{
	int cpu;

	if (!name_is_valid(name)) {
		pr_err("name= takes up to %d printable ASCII characters and none of %s\n",
		       NAME_SIZE_MAX - 1, NAME_BANNED);
		return -EINVAL;
	}

	if (anonzero_way() != ANONZERO_IN_HOOK) {
		name_state = "unnamed, as that gives them no name";
		return 0;
	}
	if (!*name) {
		name_state = "unnamed, as asked";
		return 0;
	}
	if (!ANONZERO_CAN_NAME) {
		name_state = "unnamed, as this kernel lacks CONFIG_ANON_VMA_NAME";
		return 0;
	}

	for_each_possible_cpu(cpu) {
		struct anon_vma_name *anon_name = name_alloc(name, cpu_to_node(cpu));

		if (!anon_name) {
			anonzero_name_exit();
			return -ENOMEM;
		}
		per_cpu(name_of_cpu, cpu) = anon_name;
	}
	name_state = "named";
	return 0;
}

/**
 * anonzero_name_exit() - drop the module's references on the name objects
 *
 * Mappings that still carry a name hold references of their own.
 *
 * Context: module load or unload, while no node can be opened.
 */
void anonzero_name_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct anon_vma_name *anon_name = per_cpu(name_of_cpu, cpu);

		if (anon_name)
			kref_put(&anon_name->kref, name_release);
		per_cpu(name_of_cpu, cpu) = NULL;
	}
}

/**
 * anonzero_name_state() - whether mappings get a name, and why not
 *
 * Return: words for the log.
 */
const char *anonzero_name_state(void)
{
	return name_state;
}

/**
 * anonzero_name_vma() - name a new anonymous mapping
 * @vma: the mapping: vm_file is NULL, it is not in the tree and has no name
 *
 * Allocates nothing and cannot fail. The task may move to another CPU here: then
 * the mapping has that CPU's name object, which is as good.
 *
 * Context: mmap_lock held for writing.
 */
void anonzero_name_vma(struct vm_area_struct *vma)
{
	struct anon_vma_name *name = raw_cpu_read(name_of_cpu);

	/* A saturated count never comes down again. Then the mapping has no name. */
	if (!name || kref_read(&name->kref) >= REFCOUNT_MAX)
		return;

	kref_get(&name->kref);
	compat_set_anon_name(vma, name);
}
