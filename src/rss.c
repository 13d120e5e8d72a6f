// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an anonymous VMA has in memory. The kernel does not export its page table
 * walker. The pages of an anonymous VMA are in the lowest tables, or are huge PMDs.
 */
#include "anonzero.h"

#include <linux/huge_mm.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>

/* How many page tables, present or not, one call looks at. */
#define TABLES_MAX 256

/* The zero page does not count as anyone's memory. */
static bool rss_counts(pte_t pte)
{
	return pte_present(pte) && !is_zero_pfn(pte_pfn(pte));
}

static unsigned long rss_of_table(pmd_t pmd, unsigned long addr,
				  unsigned long end)
{
	pte_t *pte = (pte_t *)pmd_page_vaddr(pmd) + pte_index(addr);
	unsigned long n = 0;

	for (; addr != end; addr += PAGE_SIZE, pte++)
		n += rss_counts(READ_ONCE(*pte));
	return n;
}

static unsigned long rss_of_pmd(pmd_t pmd, unsigned long addr, unsigned long end)
{
	if (!pmd_present(pmd))
		return 0;
	/* The huge zero page is not PageAnon, so it does not count. */
	if (pmd_trans_huge(pmd))
		return PageAnon(pmd_page(pmd)) ? (end - addr) >> PAGE_SHIFT : 0;
	return pmd_bad(pmd) ? 0 : rss_of_table(pmd, addr, end);
}

/*
 * Returns the PMD of an address as it is now, or an empty one where a higher level
 * has no table for it. @next becomes the end of what that PMD, or the empty entry
 * of the higher level, maps.
 */
static pmd_t rss_read_pmd(struct mm_struct *mm, unsigned long addr,
			  unsigned long end, unsigned long *next)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	*next = pgd_addr_end(addr, end);
	if (pgd_none(*pgd))
		return __pmd(0);
	p4d = p4d_offset(pgd, addr);
	*next = p4d_addr_end(addr, *next);
	if (p4d_none(*p4d))
		return __pmd(0);
	pud = pud_offset(p4d, addr);
	*next = pud_addr_end(addr, *next);
	if (!pud_present(*pud) || pud_bad(*pud))
		return __pmd(0);
	*next = pmd_addr_end(addr, *next);
	return READ_ONCE(*pmd_offset(pud, addr));
}

/**
 * anonzero_rss() - count the pages of an anonymous VMA that are in memory
 * @vma: the VMA
 * @addr: where to begin
 * @end: where to end, above @addr
 * @pages: is raised by the count
 *
 * Looks at a limited number of page table entries, as mmap_lock is held.
 *
 * Context: mmap_lock held for reading, so no table is freed but by RCU. May
 * sleep.
 * Return: the address up to which it has counted, above @addr.
 */
unsigned long anonzero_rss(struct vm_area_struct *vma, unsigned long addr,
			   unsigned long end, unsigned long *pages)
{
	unsigned int tables;
	unsigned long next;
	pmd_t pmd;

	for (tables = 0; addr != end && tables < TABLES_MAX; tables++) {
		rcu_read_lock();
		pmd = rss_read_pmd(vma->vm_mm, addr, end, &next);
		*pages += rss_of_pmd(pmd, addr, next);
		rcu_read_unlock();
		addr = next;
	}
	return addr;
}
