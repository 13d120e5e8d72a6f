// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "fault": a file mapping with a fault handler, which gives the shared
 * zero page to who reads and fresh zeroed memory to who writes. Small pages
 * only: no VMA with a fault handler gets anonymous huge pages.
 */
#include "anonzero.h"

#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/percpu.h>

/*
 * What a fresh page is copied from. The kernel locks it, and takes a reference,
 * for each write fault: so it is not the zero page, which all CPUs share.
 */
static DEFINE_PER_CPU(struct page *, blank_of_cpu);

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct page *blank;

	/* Mapped as special: the zero page is not counted, nor torn down. */
	if (!(vmf->flags & FAULT_FLAG_WRITE))
		return compat_insert_zero_page(vmf->vma, vmf->address);

	blank = raw_cpu_read(blank_of_cpu);
	get_page(blank);
	vmf->page = blank;
	return 0;
}

static const struct vm_operations_struct fault_vm_ops = {
	.fault = fault,
};

static void fault_mmap_private(struct vm_area_struct *vma)
{
	vma->vm_ops = &fault_vm_ops;
}

static void fault_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(blank_of_cpu, cpu))
			__free_page(per_cpu(blank_of_cpu, cpu));
		per_cpu(blank_of_cpu, cpu) = NULL;
	}
}

static int fault_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct page *page = alloc_pages_node(cpu_to_node(cpu),
						     GFP_KERNEL | __GFP_ZERO, 0);

		if (!page) {
			fault_exit();
			return -ENOMEM;
		}
		per_cpu(blank_of_cpu, cpu) = page;
	}
	return 0;
}

const struct anonzero_design anonzero_fault = {
	.name		= "fault",
	.init		= fault_init,
	.exit		= fault_exit,
	.mmap_private	= fault_mmap_private,
	.unmapped_area	= compat_zero_unmapped_area,
};
