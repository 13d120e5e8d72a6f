// SPDX-License-Identifier: GPL-2.0-only
/*
 * Design "fault": a file mapping with a fault handler. Reads map the shared zero page,
 * writes get a fresh page. A VMA with a fault handler never gets anonymous huge pages.
 */
#include "anonzero.h"

#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/percpu.h>

/*
 * A fresh page is copied from this one. The kernel locks it and takes a reference at
 * each write fault, so each CPU has its own, in place of the zero page that all share.
 */
static DEFINE_PER_CPU(struct page *, fault_blank_of_cpu);

static vm_fault_t fault_vm_fault(struct vm_fault *vmf)
{
	struct page *blank;

	/* It is mapped as special: the kernel neither counts it nor frees it. */
	if (!(vmf->flags & FAULT_FLAG_WRITE))
		return compat_insert_zero_page(vmf->vma, vmf->address);

	blank = raw_cpu_read(fault_blank_of_cpu);
	get_page(blank);
	vmf->page = blank;
	return 0;
}

static const struct vm_operations_struct fault_vm_ops = {
	.fault = fault_vm_fault,
};

static void fault_mmap_private(struct vm_area_struct *vma)
{
	vma->vm_ops = &fault_vm_ops;
}

static void fault_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(fault_blank_of_cpu, cpu))
			__free_page(per_cpu(fault_blank_of_cpu, cpu));
		per_cpu(fault_blank_of_cpu, cpu) = NULL;
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
		per_cpu(fault_blank_of_cpu, cpu) = page;
	}
	return 0;
}

const struct anonzero_design anonzero_fault = {
	.name		= "fault",
	.init		= fault_init,
	.exit		= fault_exit,
	.mmap_private	= fault_mmap_private,
};
