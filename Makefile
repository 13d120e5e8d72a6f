# SPDX-License-Identifier: GPL-2.0-only
# Every command a person types. Each is a script, which finds what make was given in
# its environment:
#   KDIR              the headers to build against, instead of the running kernel's
#   INSTALL_MOD_PATH, INSTALL_MOD_DIR, DESTDIR, PREFIX   where to install
#   KERNEL            which kernel to build for with DKMS, instead of all
#   KEY, CERT         what to sign with, instead of DKMS's pair
#   KSRC              the kernel tree to take the kselftest harness from
# The scripts say more with -h. They are no sub-makes: with -n, -t and -q make runs
# none of them.

makefile := $(realpath $(lastword $(MAKEFILE_LIST)))
ifneq ($(words $(subst ', ,$(makefile))),1)
$(error make and kbuild cannot take a path with a blank or a quote: move the source tree)
endif
top := $(patsubst %/Makefile,%,$(makefile))
packaging := '$(top)'/packaging
scripts := '$(top)'/scripts

all: modules

modules:
	@$(packaging)/kbuild

sign:
	@$(packaging)/sign

install modules_install: modules
	@$(packaging)/install

uninstall:
	@$(packaging)/install -u

dkms-install:
	@$(packaging)/dkms install

dkms-uninstall:
	@$(packaging)/dkms uninstall

deb:
	@$(packaging)/deb

# On this machine's own kernel, with the module inserted.
run_tests:
	@$(scripts)/lib/run-tests

tools:
	@$(packaging)/tools build

zerocmp zerobench: tools

tools-install: tools
	@$(packaging)/tools install

tools-uninstall:
	@$(packaging)/tools uninstall

clean:
	@$(packaging)/clean

demo check lint:
	@$(scripts)/$@

.PHONY: all modules sign modules_install install uninstall \
	dkms-install dkms-uninstall deb run_tests tools zerocmp zerobench \
	tools-install tools-uninstall demo check lint clean
