# SPDX-License-Identifier: GPL-2.0-only
# Every command a person types. KDIR: the headers to build against; KSRC: the
# kernel tree to take the kselftest harness from, instead of Debian's; KERNEL:
# which to build for with DKMS, instead of all; KEY and CERT: what to sign with,
# instead of DKMS's.

# As it was given, if it was: the scripts say more of the running kernel.
kdir := $(KDIR)
KDIR ?= /lib/modules/$(shell uname -r)/build
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)

PREFIX ?= /usr/local
tools := selftests/zerocmp selftests/zerobench scripts/with-anonzero
bin = $(DESTDIR)$(PREFIX)/bin
man = $(DESTDIR)$(PREFIX)/share/man

all: modules

modules: headers
	$(kbuild) $@

# Linked anew, for a second signature would not take away the first.
sign: headers
	rm -f anonzero.ko
	$(kbuild) modules
	@PATH="$$PATH:/usr/sbin:/sbin" scripts/sign $(KDIR) anonzero.ko $(KEY) $(CERT)

install modules_install: modules
	+@scripts/install $(kdir)

uninstall:
	@scripts/install -u $(kdir)

dkms-install:
	@scripts/dkms install $(KERNEL)

dkms-uninstall:
	@scripts/dkms uninstall

deb:
	@scripts/deb

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

tools-install: zerocmp zerobench
	install -d $(bin) $(man)/man1 $(man)/man4
	install $(tools) $(bin)
	install -m 644 man/*.1 $(man)/man1
	install -m 644 man/*.4 $(man)/man4

tools-uninstall:
	rm -f $(addprefix $(bin)/,$(notdir $(tools))) \
		$(patsubst man/%,$(man)/man1/%,$(wildcard man/*.1)) \
		$(patsubst man/%,$(man)/man4/%,$(wildcard man/*.4))
	find $(man)/man1 $(man)/man4 -maxdepth 0 -empty -delete 2>/dev/null || :

demo check lint:
	scripts/$@

clean:
	[ ! -e $(KDIR)/Makefile ] || $(kbuild) clean
	rm -rf selftests/*_test selftests/stress selftests/zerocmp selftests/zerobench \
		selftests/obj selftests/package deb

.PHONY: all modules sign modules_install install uninstall \
	dkms-install dkms-uninstall deb headers run_tests zerocmp zerobench \
	tools-install tools-uninstall demo check lint clean
