/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of designs, in the order of their nodes. Each is a file in src/designs,
 * which defines a struct anonzero_design called anonzero_ and its name.
 */
#ifndef ANONZERO_DESIGNS_H
#define ANONZERO_DESIGNS_H

#define ANONZERO_DESIGNS(design)	\
	design(anon)			\
	design(hybrid)			\
	design(sharded)			\
	design(fault)

#define ANONZERO_DESIGN_DECLARATION(name) \
	extern const struct anonzero_design anonzero_##name;
#define ANONZERO_DESIGN_ENTRY(name) \
	&anonzero_##name,

#endif /* ANONZERO_DESIGNS_H */
