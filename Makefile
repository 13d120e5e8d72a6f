# SPDX-License-Identifier: GPL-2.0-only
# Every command a person types. KDIR: the headers to build against; KSRC: the
# kernel tree to take the kselftest harness from, instead of Debian's; KERNEL:
# which to build for with DKMS, instead of all.

# As it was given, if it was: the scripts say more of the running kernel.
kdir := $(KDIR)
KDIR ?= /lib/modules/$(shell uname -r)/build
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)

all: modules

modules: headers
	$(kbuild) $@

install modules_install: modules
	+@scripts/install $(kdir)

uninstall:
	@scripts/install -u $(kdir)

dkms-install:
	@scripts/dkms install $(KERNEL)

dkms-uninstall:
	@scripts/dkms uninstall

headers:
	@scripts/headers $(kdir) >/dev/null

# On this machine's own kernel, with the module inserted.
run_tests:
	@[ -d /sys/module/anonzero ] || { \
		echo "the module is not loaded: insmod anonzero.ko variants=1" >&2; \
		exit 1; }
	ksrc=$${KSRC:-$$(scripts/kernels source)} && \
	$(MAKE) -C selftests KSRC="$$ksrc" package
	PATH="$(CURDIR)/scripts:$$PATH" ANONZERO_KO=$(CURDIR)/anonzero.ko \
	ANONZERO_README=$(CURDIR)/README.md selftests/package/run_kselftest.sh

zerocmp zerobench:
	$(MAKE) -C selftests $@

demo check lint:
	scripts/$@

clean:
	[ ! -e $(KDIR)/Makefile ] || $(kbuild) clean
	rm -rf selftests/*_test selftests/stress selftests/zerocmp selftests/zerobench \
		selftests/package

.PHONY: all modules modules_install install uninstall \
	dkms-install dkms-uninstall headers run_tests zerocmp zerobench demo check lint clean
