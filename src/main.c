// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/anonzero: a twin of /dev/zero whose private mappings are true anonymous
 * memory. Load, unload, parameters, device nodes.
 */
#include "anonzero.h"

#include <linux/cdev.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static char *name = "/dev/zero";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "private mappings show as [anon:NAME] where the kernel can name anonymous memory; empty: unnamed (default: /dev/zero)");

static bool variants;
module_param(variants, bool, 0444);
MODULE_PARM_DESC(variants, "add a node for each mapping design, /dev/anonzero-DESIGN, to compare them (default: N)");

static char *design = "anon";
module_param(design, charp, 0444);
MODULE_PARM_DESC(design, "the mapping design of /dev/anonzero (default: anon)");

/* Of minor 0: a node's number in the table of designs is its minor. */
static dev_t first_devt;
static struct cdev cdev;

static int anonzero_open(struct inode *inode, struct file *file)
{
	const struct anonzero_design *design = anonzero_node_design(iminor(inode));

	if (!design)
		return -ENXIO;
	anonzero_zero_open(file);
	return design->open ? design->open(file) : 0;
}

static int anonzero_release(struct inode *inode, struct file *file)
{
	const struct anonzero_design *design = anonzero_file_design(file);

	if (design->release)
		design->release(file);
	return 0;
}

/* What is not here is /dev/zero's: anonzero_zero_init() fills it in. */
static struct file_operations anonzero_fops __ro_after_init = {
	.owner			= THIS_MODULE,
	.open			= anonzero_open,
	.release		= anonzero_release,
	.mmap			= anonzero_mmap,
	.get_unmapped_area	= anonzero_unmapped_area,
};

static char *anonzero_devnode(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0666;
	return NULL;
}

static char *anonzero_devnode_mutable(struct device *dev, umode_t *mode)
{
	return anonzero_devnode(dev, mode);
}

static struct class anonzero_class = {
	.name		= KBUILD_MODNAME,
	.devnode	= compat_devnode_of(anonzero_devnode_mutable,
					    anonzero_devnode),
};

static dev_t anonzero_node_devt(unsigned int i)
{
	return MKDEV(MAJOR(first_devt), i);
}

static void anonzero_destroy_nodes(unsigned int n)
{
	while (n--)
		device_destroy(&anonzero_class, anonzero_node_devt(n));
}

static int anonzero_create_nodes(void)
{
	const struct anonzero_design *design;
	struct device *dev;
	unsigned int i;

	for (i = 0; i < anonzero_nr_nodes(); i++) {
		design = anonzero_node_design(i);
		if (!design)
			continue;
		dev = device_create(&anonzero_class, NULL, anonzero_node_devt(i), NULL,
				    i ? "anonzero-%s" : "anonzero", design->name);
		if (IS_ERR(dev)) {
			anonzero_destroy_nodes(i);
			return PTR_ERR(dev);
		}
	}
	return 0;
}

/*
 * cdev_add() comes last. Once a node can be opened nothing may fail any more: a
 * failing init frees the module under whoever has opened one.
 */
static int anonzero_create_devices(void)
{
	int ret;

	ret = alloc_chrdev_region(&first_devt, 0, anonzero_nr_nodes(), KBUILD_MODNAME);
	if (ret)
		return ret;
	ret = class_register(&anonzero_class);
	if (ret)
		goto unregister_region;
	ret = anonzero_create_nodes();
	if (ret)
		goto unregister_class;

	cdev_init(&cdev, &anonzero_fops);
	cdev.owner = THIS_MODULE;
	ret = cdev_add(&cdev, first_devt, anonzero_nr_nodes());
	if (ret)
		goto remove_nodes;
	return 0;

remove_nodes:
	anonzero_destroy_nodes(anonzero_nr_nodes());
unregister_class:
	class_unregister(&anonzero_class);
unregister_region:
	unregister_chrdev_region(first_devt, anonzero_nr_nodes());
	return ret;
}

static int __init anonzero_init(void)
{
	int ret;

	ret = anonzero_way_init();
	if (ret)
		return ret;
	ret = anonzero_zero_init(&anonzero_fops);
	if (ret)
		return ret;
	ret = anonzero_designs_init(design, variants);
	if (ret)
		return ret;
	ret = anonzero_name_init(name);
	if (ret)
		goto exit_designs;
	ret = anonzero_switches_init();
	if (ret)
		goto exit_name;
	ret = anonzero_create_devices();
	if (ret)
		goto exit_switches;

	anonzero_origin_init();
	pr_info("/dev/anonzero: design=%s, mappings are made anonymous %s and are %s; name=%s variants=%d merge=%d adopt=%d origin=%d\n",
		design, anonzero_way_words(), anonzero_name_state(), name, variants,
		READ_ONCE(anonzero_merge.on), READ_ONCE(anonzero_adopt.on),
		anonzero_origin_is_on());
	return 0;

exit_switches:
	anonzero_switches_exit();
exit_name:
	anonzero_name_exit();
exit_designs:
	anonzero_designs_exit();
	return ret;
}

static void __exit anonzero_exit(void)
{
	anonzero_origin_exit();
	anonzero_switches_exit();
	cdev_del(&cdev);
	anonzero_destroy_nodes(anonzero_nr_nodes());
	class_unregister(&anonzero_class);
	unregister_chrdev_region(first_devt, anonzero_nr_nodes());
	anonzero_name_exit();
	anonzero_designs_exit();
}

module_init(anonzero_init);
module_exit(anonzero_exit);

MODULE_DESCRIPTION("/dev/zero whose private mappings are true anonymous memory");
MODULE_AUTHOR("The anonzero developers");
MODULE_LICENSE("GPL");
