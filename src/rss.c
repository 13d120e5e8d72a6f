// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an anonymous VMA has in memory. The kernel's own page table walker is not
 * exported; of the levels an anonymous VMA needs two: tables and huge PMDs.
 */
#include "anonzero.h"

#include <linux/huge_mm.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>

/* The zero page is in nobody's RSS. */
static bool counts(pte_t pte)
{
	return pte_present(pte) && !is_zero_pfn(pte_pfn(pte));
}

static unsigned long rss_of_table(pmd_t pmd, unsigned long addr,
				  unsigned long end)
{
	pte_t *pte = (pte_t *)pmd_page_vaddr(pmd) + pte_index(addr);
	unsigned long n = 0;

	for (; addr != end; addr += PAGE_SIZE, pte++)
		n += counts(READ_ONCE(*pte));
	return n;
}

static unsigned long rss_of_pmd(pmd_t pmd, unsigned long addr, unsigned long end)
{
	if (!pmd_present(pmd))
		return 0;
	/* Nor is the huge zero page, which is no anonymous one. */
	if (pmd_trans_huge(pmd))
		return PageAnon(pmd_page(pmd)) ? (end - addr) >> PAGE_SHIFT : 0;
	return pmd_bad(pmd) ? 0 : rss_of_table(pmd, addr, end);
}

/* The PMD of an address, as it is now; none where there is no table for it. */
static pmd_t read_pmd(struct mm_struct *mm, unsigned long addr)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d = p4d_offset(pgd, addr);
	pud_t *pud;

	if (pgd_none(*pgd) || p4d_none(*p4d))
		return __pmd(0);
	pud = pud_offset(p4d, addr);
	if (!pud_present(*pud) || pud_bad(*pud))
		return __pmd(0);
	return READ_ONCE(*pmd_offset(pud, addr));
}

/**
 * anonzero_rss() - count the pages of an anonymous VMA that are in memory
 * @vma: the VMA
 *
 * Context: mmap_lock held for reading, so no table is freed but by RCU.
 * Return: the count.
 */
unsigned long anonzero_rss(struct vm_area_struct *vma)
{
	unsigned long addr, end, n = 0;

	for (addr = vma->vm_start; addr != vma->vm_end; addr = end) {
		end = pmd_addr_end(addr, vma->vm_end);
		rcu_read_lock();
		n += rss_of_pmd(read_pmd(vma->vm_mm, addr), addr, end);
		rcu_read_unlock();
		cond_resched();
	}
	return n;
}
