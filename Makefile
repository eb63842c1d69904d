# gprof for Lua.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   make             build the core, the bundle of Lua modules and the block-counting runtime
#   make demo        install dependencies, then profile the bundled sample program
#   make test        install dependencies, build, then run the linter and all specs (see spec/spec.mk)
#   make check-all   everything: sanitizers, more random cases, static analysis, fuzzing, valgrind ...
#   make analyze     run the static analyzers: gcc -fanalyzer, clang-tidy, cppcheck
#   make faults      make memory and file operations fail at every possible place
#   make soak        load profiles ten thousand times in one process, to find leaks
#   make coverage    report the lines that the specs run, by file
#   make fuzz        run the coverage-guided fuzzers, a minute each (see fuzz/README.md)
#   make fuzz-all    the same, ten minutes each
#   make mutants     try damaged images (see fuzz/images/README.md)
#   make whole-runs  try damaged images, profiles and exports, many in each process
#   make docs        build the reference of the library, build/doc/index.html
#   make pictures    draw the pictures of the README
#   make bench       compare time and memory with GNU gprof
#   make bench-large the same with large programs, which are built first
#   make profile     profile gprof for Lua itself
#   make deps        install the packages for make test; needs Debian and root
#   make mpi         build the libraries that add up the profiles of an MPI job (see doc/mpi.md)
#   make install     install below PREFIX (default /usr/local)
#   make uninstall   remove the installed files
#   make dist        pack the sources into build/gprof-VERSION.tar.gz
#
# make V=1 shows the compiler's commands.

# --- configuration --------------------------------------------------------------

CFLAGS ?= -O2 -g
OBJCOPY = objcopy
LUA = lua5.4
LUA_INCDIR = /usr/include/lua5.4
BUSTED = /usr/bin/busted

# Warnings are errors in make test only: a newer compiler may give new ones.
WARNINGS = -Wall -Wextra -Wshadow -Wconversion $(WERROR)
COMPILE = -std=c11 -D_GNU_SOURCE -fvisibility=hidden $(WARNINGS) -Icsrc \
  -I$(LUA_INCDIR) $(CPPFLAGS) $(CFLAGS)

# The compiler lists the headers of each object, which are read at the end of this file.
DEPENDENCIES = -MMD -MP

# make BFD=armhf links libbfd and libopcodes for another machine (here armhf); make BFD=multiarch
# links libraries that support all machines (see doc/embedded.md).
BFD_LIBRARY = $(if $(BFD),$(call foreign,bfd,$(BFD)),-lbfd)
OPCODES_LIBRARY = $(if $(BFD),$(call foreign,opcodes,$(BFD)),-lopcodes)
LIBRARIES = $(BFD_LIBRARY) -liberty -lm -pthread

# The core, and the module through which it loads libopcodes (see csrc/object/opcodes.h).
CORE = build/gprof/core.so
OPCODES = build/gprof/opcodes.so

# The module that unpacks .gnu_debugdata. It is built only with liblzma (see csrc/debug/unpack.h).
UNPACKER = build/gprof/xz.so
HAS_LZMA := $(shell $(CC) $(CPPFLAGS) -include lzma.h -E -x c /dev/null >/dev/null 2>&1 && echo yes)
UNPACKING = $(if $(HAS_LZMA),csrc/lua/xz.c)
LZMA = $(if $(HAS_LZMA),-llzma)

# The module for --sandbox (see lua/gprof/sandbox.lua).
CONFINEMENT = build/gprof/confinement.so
CONFINING = $(sort $(wildcard csrc/sandbox/*.c))

# The module that records Lua programs (see lua/gprof/recorder.lua). It runs in these programs.
HOOKS = build/gprof/hooks.so
HOOKING = $(sort $(wildcard csrc/scripts/*.c))
ROOMS = base bundle gmon object debug symbols profile lua
SOURCES = $(filter-out csrc/lua/xz.c,$(sort $(wildcard $(ROOMS:%=csrc/%/*.c) $(ROOMS:%=csrc/%/*/*.c))))
HEADERS = $(wildcard csrc/*/*.h csrc/*/*/*.h)
OBJECTS = $(filter-out %/lua/opcodes.o,$(SOURCES:csrc/%.c=build/objects/%.o))

# The Lua modules, and the style sheet and scripts of HTML pages.
MODULES := $(sort $(shell find lua/gprof -name '*.lua' -o -name '*.css' -o -name '*.js'))

# The bytecode of the modules (see csrc/bundle/bundle.c). $(LUA) loads the core to make
# it. If it cannot, as with sanitizers, make BUNDLE= omits the bundle. For another machine,
# make install BUNDLE= COMPLETIONS= also omits the shell completions.
BUNDLE = build/gprof/modules.bundle

# The runtime that counts basic blocks in the profiled program (see doc/blocks.md).
RUNTIME = build/libgprof-blocks.a

# The recorder, which replaces glibc's profiling in programs compiled with -pg (see
# doc/recorder.md). It supports x86-64 and AArch64.
RECORDERS = $(if $(filter x86_64-% aarch64-%,$(shell $(CC) -dumpmachine)), \
  build/libgprof-recorder.so build/libgprof-recorder.a)

ifdef V
say = @:
quietly =
else
say = @echo
quietly = @
endif

LINK = $(CC) -shared -Wl,--exclude-libs,ALL $(CFLAGS) $(LDFLAGS)

MODULE_FILES = $(CORE) $(OPCODES) $(if $(HAS_LZMA),$(UNPACKER)) $(CONFINEMENT) $(HOOKS)

# --- building -------------------------------------------------------------------

all: $(MODULE_FILES) $(BUNDLE) $(RUNTIME) $(RECORDERS)

$(CORE): $(OBJECTS)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^ $(LIBRARIES)

$(OPCODES): build/objects/lua/opcodes.o
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^ $(OPCODES_LIBRARY)

$(UNPACKER): build/objects/lua/xz.o
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^ $(LZMA)

$(CONFINEMENT): $(CONFINING:csrc/%.c=build/objects/%.o) build/objects/base/error.o
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^

# Its signal handlers and hooks may outlive the states that have loaded it.
$(HOOKS): $(HOOKING:csrc/%.c=build/objects/%.o) \
  $(addprefix build/objects/base/,crc32.o error.o hash.o new_file.o reader.o writer.o) \
  $(addprefix build/objects/bundle/,bundle.o bytecode.o)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -Wl,-z,nodelete -o $@ $^

$(BUNDLE): $(filter %.lua,$(MODULES)) $(wildcard lua/*.lua) $(CORE)
	$(say) LUAC $@
	$(quietly)$(LUA) lua/bundle.lua $@ $(filter lua/gprof/%,$^)

# Debian's libbfd and libopcodes support one machine. make build/arm64 links the core with the
# libraries for another machine, from a package such as binutils-aarch64-linux-gnu.
foreign = $(firstword $(wildcard /usr/lib/*/lib$(1)-*-$(2).so) lib$(1)-$(2).so)

build/%/gprof/core.so: $(OBJECTS)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^ $(call foreign,bfd,$*) -liberty -lm -pthread

build/%/gprof/opcodes.so: build/objects/lua/opcodes.o
	@mkdir -p $(@D)
	$(say) LINK $@
	$(quietly)$(LINK) -o $@ $^ $(call foreign,opcodes,$*)

FOREIGN = arm64 armhf mips mips64el powerpc ppc64 ppc64el riscv64 s390x sparc64
$(FOREIGN:%=build/%): build/%: build/%/gprof/core.so build/%/gprof/opcodes.so

# The paths of libbfd and libopcodes. They contain the version, so an upgrade rebuilds everything.
BINUTILS = build/binutils
$(BINUTILS): FORCE
	@mkdir -p $(@D)
	@readlink -f $(foreach name,bfd opcodes,$$($(CC) -print-file-name=lib$(name).so)) >$@.$$$$; \
	  echo "$(BFD)" >>$@.$$$$; \
	  cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

build/objects/%.o: csrc/%.c $(BINUTILS) Makefile
	@mkdir -p $(@D)
	$(say) CC $<
	$(quietly)$(CC) -fPIC $(COMPILE) $(DEPENDENCIES) -c -o $@ $<

# The runtime becomes part of other programs. It is therefore position-independent, and compiled
# without profiling, coverage and sanitizers, and to machine code: only gcc can link what gcc -flto
# makes.
$(RUNTIME): csrc/runtime/blocks.c Makefile
	@mkdir -p build/objects/runtime
	$(say) CC and AR $@
	$(quietly)$(CC) $(COMPILE) $(RUNTIME_FLAGS) -c -o build/objects/runtime/blocks.o $<
	$(quietly)rm -f $@ && $(AR) rcs $@ build/objects/runtime/blocks.o

RUNTIME_FLAGS = -O2 -fPIE -fno-lto -fno-profile-arcs -fno-sanitize=all

# The recorder runs when a function is entered, before the function has used its arguments. So it
# must not change vector registers, and the compiler must not add calls to the C library. It also
# runs before thread-local storage exists, which stack protectors use.
RECORDER_FLAGS = -O2 -fPIC -ftls-model=initial-exec -mgeneral-regs-only -ffreestanding \
  -fno-tree-loop-distribute-patterns -fno-stack-protector -fno-lto -fno-profile-arcs -fno-sanitize=all
RECORDER_LINK = -shared -Wl,-z,now -Wl,-z,initfirst
RECORDER_SOURCES = $(filter-out %/blocks.c,$(sort $(wildcard csrc/runtime/*.[cS])))
RECORDER_OBJECTS = $(patsubst csrc/%,build/objects/%.o,$(basename $(RECORDER_SOURCES)))

$(RECORDER_OBJECTS): COMPILE += $(RECORDER_FLAGS)
$(RECORDER_OBJECTS): CFLAGS := $(filter-out --coverage,$(CFLAGS))

build/objects/runtime/%.o: csrc/runtime/%.S csrc/runtime/table_layout.h Makefile
	@mkdir -p $(@D)
	$(say) CC $<
	$(quietly)$(CC) -Icsrc -c -o $@ $<

build/libgprof-recorder.so: $(RECORDER_OBJECTS)
	$(say) LINK $@
	$(quietly)$(CC) $(LDFLAGS) $(RECORDER_LINK) -o $@ $^

# The static recorder is a single object, so that a program links all of it. Only the names that
# programs use stay global. Its code has a section of its own: sampling.c asks where it is.
build/libgprof-recorder.a: $(filter-out %/wrapped_calls.o %/execute_variants.o,$(RECORDER_OBJECTS))
	$(say) AR $@
	$(quietly)$(CC) -r -nostdlib -o build/objects/recorder.o $^
	$(quietly)$(OBJCOPY) --localize-hidden --rename-section .text=gprof_recorder \
	  --rename-section .text.unlikely=gprof_recorder build/objects/recorder.o
	$(quietly)rm -f $@ && $(AR) rcs $@ build/objects/recorder.o

# build/PREFIX/libgprof-recorder.so is the recorder for another machine, compiled with PREFIX-gcc.
build/%/libgprof-recorder.so: $(RECORDER_SOURCES) $(HEADERS) Makefile
	@mkdir -p $(@D)
	$(say) $*-gcc $@
	$(quietly)$*-gcc $(COMPILE) $(RECORDER_FLAGS) $(RECORDER_LINK) -o $@ $(RECORDER_SOURCES)

# --- MPI ------------------------------------------------------------------------

# The libraries that add up the profiles of the ranks of an MPI job, one for each MPI (see
# doc/mpi.md). make mpi builds those for which there is a compiler. Other names of the compilers:
# make mpi MPICC_OPENMPI=mpicc. The archives are for programs that contain MPI; they have a single
# object, so that a program links all of it.
MPICC_OPENMPI = mpicc.openmpi
MPICC_MPICH = mpicc.mpich
MPI_SOURCES = $(sort $(wildcard csrc/mpi/*.c))
MPI_CORE = $(filter build/objects/base/% build/objects/gmon/%,$(OBJECTS))
MPI_INSTALLED = $(foreach mpi,OPENMPI MPICH,$(if $(shell command -v $(MPICC_$(mpi))),$(mpi)))
BUILT_OPENMPI = build/libgprof-openmpi.so build/libgprof-openmpi.a
BUILT_MPICH = build/libgprof-mpich.so build/libgprof-mpich.a
MPI_LIBRARIES = $(BUILT_OPENMPI) $(BUILT_MPICH)

# $(call mpi_library,MPI,NAME) defines the rules for one MPI.
define mpi_library
build/objects/$(2)/%.o: csrc/mpi/%.c Makefile
	@mkdir -p $$(@D)
	$$(say) CC $$< '($(2))'
	$$(quietly)$$(MPICC_$(1)) -fPIC $$(COMPILE) $$(DEPENDENCIES) -c -o $$@ $$<

build/libgprof-$(2).so: $$(MPI_SOURCES:csrc/mpi/%.c=build/objects/$(2)/%.o) $$(MPI_CORE)
	$$(say) LINK $$@
	$$(quietly)$$(MPICC_$(1)) -shared -Wl,--exclude-libs,ALL $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ -lm -pthread

build/libgprof-$(2).a: $$(MPI_SOURCES:csrc/mpi/%.c=build/objects/$(2)/%.o) $$(MPI_CORE)
	$$(say) AR $$@
	$$(quietly)$$(CC) -r -nostdlib $$(if $$(filter -flto%,$$(CFLAGS)),-flinker-output=nolto-rel) \
	  -o build/objects/$(2)/library.o $$^
	$$(quietly)$$(OBJCOPY) --localize-hidden build/objects/$(2)/library.o
	$$(quietly)rm -f $$@ && $$(AR) rcs $$@ build/objects/$(2)/library.o
endef
$(eval $(call mpi_library,OPENMPI,openmpi))
$(eval $(call mpi_library,MPICH,mpich))

mpi: FORCE
	$(if $(strip $(MPI_INSTALLED)),,$(error No compiler for MPI: neither $(MPICC_OPENMPI) nor $(MPICC_MPICH)))
	@$(MAKE) --no-print-directory $(foreach mpi,$(MPI_INSTALLED),$(BUILT_$(mpi)))

# --- installing -----------------------------------------------------------------

# LuaRocks sets each of these.
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
LUADIR = $(PREFIX)/share/lua/5.4
LIBDIR = $(PREFIX)/lib/lua/5.4
DATADIR = $(PREFIX)/share
DOCDIR = $(DATADIR)/doc/gprof.lua

# A path as a word for the shell, which still expands a leading "~".
escaped = $(subst $() $(),\ ,$(1))

# $(call place,DIRECTORY,MODE,FROM,FILES) installs files into a directory. They keep their path below
# FROM. One command installs the files of a directory: one for each file would take a second.
define place
install: place-$(words $(PLACES))
place-$(words $(PLACES)): $(4) FORCE
	$(quietly)$(foreach dir,$(sort $(dir $(4))),install -D -m $(2) -t $(call escaped,$(DESTDIR)$(1))/$(dir:$(3)%=%) \
	  $(foreach file,$(4),$(if $(filter $(dir),$(dir $(file))),$(file))) &&) true
PRINT_INSTALLED += for file in $(4:$(3)%=%); do printf '%s\n' $(call escaped,$(1))/$$$$file; done;
PLACES += place
endef

DOCUMENTS := LICENSE README.md CONTRIBUTING.md CHANGELOG.md \
  $(wildcard doc/*.md doc/*.json doc/pictures/*.svg doc/pictures/*.png) \
  $(wildcard $(foreach ending,.c .h .S .ld .lua .md .sh .yml Makefile,examples/*$(ending) examples/*/*$(ending)))

# The installed program names its interpreter by path, since /usr/bin/env takes a fifth of the time
# of a small report. The path must be absolute, without blanks, and not too long for Linux.
PROGRAM = $(call escaped,$(DESTDIR)$(BINDIR)/gprof.lua)
place-program: gprof.lua FORCE
	$(quietly)install -D -m 755 $< $(PROGRAM)
	$(quietly)interpreter=$$(command -v "$(LUA)") || exit 0; \
	  case $$interpreter in \
	    *[!-+._/0-9A-Za-z]*) ;; \
	    /*) test $${#interpreter} -gt 120 || sed -i "1s,^#!.*,#!$$interpreter," $(PROGRAM) ;; \
	  esac

$(eval $(call place,$(LUADIR),644,lua/,$(MODULES)))
$(eval $(call place,$(LIBDIR),644,build/,$(MODULE_FILES)))
$(eval $(call place,$(LIBDIR),644,build/,$(BUNDLE)))
$(eval $(call place,$(LIBDIR)/gprof,644,build/,$(RUNTIME) $(RECORDERS) $(wildcard $(MPI_LIBRARIES))))
$(eval $(call place,$(DATADIR)/man/man1,644,doc/,$(wildcard doc/*.1)))
$(eval $(call place,$(DOCDIR),644,,$(DOCUMENTS)))

# Shell completions, which the program prints.
COMPLETIONS = build/share/bash-completion/completions/gprof.lua \
  build/share/zsh/site-functions/_gprof.lua
$(eval $(call place,$(DATADIR),644,build/share/,$(COMPLETIONS)))

build/share/%: $(CORE) $(MODULES) gprof.lua
	@mkdir -p $(@D)
	$(quietly)$(LUA) gprof.lua --print-completion=$(firstword $(subst -, ,$(subst /, ,$*))) >$@

# The list of installed files, by which they are removed: those of another version when this one is
# installed, and all by make uninstall. Directories may hold files of others, such as reports.
LIST = $(LIBDIR)/gprof/installed-files
PRINT_INSTALLED += printf '%s\n' $(call escaped,$(BINDIR)/gprof.lua) $(call escaped,$(LIST))
PLACED = stage=$(call escaped,$(DESTDIR)); list=$(call escaped,$(DESTDIR)$(LIST))
REMOVE = while read -r file; do rm -f "$$stage$$file"; done

install: place-program
	$(quietly)$(PLACED); { $(PRINT_INSTALLED); } >"$$list.new" && \
	  { ! test -f "$$list" || grep -vxFf "$$list.new" "$$list" | $(REMOVE); } && mv "$$list.new" "$$list"
	$(say) Installed below $(call escaped,$(DESTDIR)$(PREFIX))

# Also removes our own directories, unless they hold other files.
uninstall:
	$(quietly)$(PLACED); if test -f "$$list"; then $(REMOVE) <"$$list"; else echo "Not found: $$list"; fi
	$(quietly)for own in $(call escaped,$(DESTDIR)$(LUADIR)/gprof) \
	  $(call escaped,$(DESTDIR)$(LIBDIR)/gprof) $(call escaped,$(DESTDIR)$(DOCDIR)); do \
	  ! test -d "$$own" || find "$$own" -type d -empty -delete; done

# --- release archive ------------------------------------------------------------

# The archive depends only on the commit: not on the date, the user, or edits in the checkout.
dist:
	@mkdir -p build
	@name=gprof-$$(git show HEAD:lua/gprof/init.lua | sed -n 's/.*_VERSION = "\(.*\)".*/\1/p') && \
	  git -c tar.umask=022 archive --prefix=$$name/ -o build/$$name.tar.gz HEAD && echo build/$$name.tar.gz

# --- dependencies ---------------------------------------------------------------

DEMO_PACKAGES = gcc libc6-dev lua5.4 liblua5.4-dev binutils-dev libiberty-dev
TEST_PACKAGES = $(DEMO_PACKAGES) binutils dwz g++ liblzma-dev lua5.1 lua-busted lua-check \
  lua-dkjson luarocks mandoc unzip valgrind xz-utils zip
BROWSER_PACKAGES = chromium nodejs
LARGE_PACKAGES = $(TEST_PACKAGES) binutils-source bison flex
DOCS_PACKAGES = lua5.1 lua-ldoc lua-markdown
FUZZ_PACKAGES = $(TEST_PACKAGES) clang libclang-rt-dev llvm
ALL_PACKAGES = $(FUZZ_PACKAGES) $(DOCS_PACKAGES) $(BROWSER_PACKAGES) binutils-sparc64-linux-gnu \
  clang-tidy cmark-gfm cppcheck dpkg-dev elfutils gfortran golang-go graphviz lcov libmpich-dev libopenmpi-dev lld \
  lua-lpeg lua-socket mpich npm openmpi-bin parallel python3-jsonschema \
  python3-junitparser python3-yaml zsh $(SLURM_PACKAGES) $(MACHINE_PACKAGES)

# For a cluster of Slurm with a network of its own (see spec/support/slurm.lua).
SLURM_PACKAGES = iproute2 munge slurm-client slurmctld slurmd

# Compilers, C libraries and emulators for other machines. binutils-multiarch is left out, since it
# replaces the GNU gprof that the specs compare with.
MACHINE_PACKAGES = gcc-arm-none-eabi gcc-mingw-w64-i686-win32 gcc-mingw-w64-x86-64-win32 \
  qemu-system-arm qemu-user \
  $(addprefix gcc-,aarch64-linux-gnu arm-linux-gnueabihf i686-linux-gnu mips-linux-gnu \
  mips64el-linux-gnuabi64 powerpc-linux-gnu powerpc64-linux-gnu powerpc64le-linux-gnu \
  riscv64-linux-gnu s390x-linux-gnu) \
  $(patsubst %,libc6-dev-%-cross,arm64 armhf i386 mips mips64el powerpc ppc64 ppc64el \
  riscv64 s390x)

# $(call install,PACKAGES) installs missing packages with apt-get. A package that another one
# provides counts as installed, such as npm with NodeSource's nodejs.
define install
@if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then \
  echo "apt-get not found: install the equivalents of these packages, then run 'make':"; \
  echo "  $(1)"; exit 1; \
fi; \
present=$$(dpkg-query -W -f '$${db:Status-Status} $${Package}, $${Provides}\n' | \
  sed -n 's/^installed //p' | tr ', ' '\n\n'); \
missing=; for package in $(1); do \
  echo "$$present" | grep -Fqx $$package || missing="$$missing $$package"; \
done; \
if [ -n "$$missing" ]; then \
  echo "Installing:$$missing"; \
  if [ "$$(id -u)" != 0 ]; then \
    echo "Root is needed: run 'apt-get install$$missing' as root"; exit 1; \
  fi; \
  apt-get update -q && \
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing; \
fi
endef

deps: deps-test

deps-demo:
	$(call install,$(DEMO_PACKAGES))

deps-test:
	$(call install,$(TEST_PACKAGES))

deps-browser:
	$(call install,$(BROWSER_PACKAGES))

deps-large:
	$(call install,$(LARGE_PACKAGES))

deps-profile:
	$(call install,$(TEST_PACKAGES) zlib1g-dev libzstd-dev)

deps-fuzz:
	$(call install,$(FUZZ_PACKAGES))

deps-docs:
	$(call install,$(DOCS_PACKAGES))

deps-all:
	$(call install,$(ALL_PACKAGES))

# --- demo -----------------------------------------------------------------------

DEMO = build/demo
DEMO_SOURCES = $(sort $(wildcard examples/sample/*.c))
DEMO_FLAGS = -std=c11 -O1 -g -pg -fno-inline -fno-optimize-sibling-calls

demo: deps-demo
	@$(MAKE) --no-print-directory run-demo

run-demo: all $(DEMO)/sample
	cd $(DEMO) && ./sample
	$(LUA) gprof.lua $(DEMO)/sample $(DEMO)/gmon.out

$(DEMO)/sample: $(DEMO_SOURCES) $(wildcard examples/sample/*.h)
	@mkdir -p $(@D)
	$(CC) $(DEMO_FLAGS) -o $@ $(DEMO_SOURCES)

# --- documentation --------------------------------------------------------------

# Redraws the pictures of the README after a change in the look of reports or HTML pages.
pictures: all
	@$(MAKE) --no-print-directory run-demo >/dev/null
	$(LUA) doc/pictures/make.lua $(DEMO)

# Debian's LDoc finds lua-markdown only with Lua 5.1.
LDOC = lua5.1 /usr/bin/ldoc -q --fatalwarnings

docs: deps-docs
	@mkdir -p build
	$(say) LDOC build/doc
	$(quietly)$(LDOC) -c doc/config.ld . >build/doc.log 2>&1 || { cat build/doc.log; exit 1; }

# --- benchmarks -----------------------------------------------------------------

bench: deps-test
	@$(MAKE) --no-print-directory all
	$(LUA) bench/run.lua --output=bench/results.md

# An interpreter with everything linked statically, since a profile covers the executable only.
PROFILED = build/profiled/lua
$(PROFILED): $(SOURCES) $(HEADERS) $(BINUTILS) bench/profiled.c Makefile
	@mkdir -p $(@D)
	$(say) CC and LINK $@
	$(quietly)$(CC) $(COMPILE) -pg -no-pie -static -o $@ bench/profiled.c $(SOURCES) \
	  -llua5.4 -lopcodes -lbfd -lsframe -liberty -lz -lzstd -lm 2>build/profiled/warnings || \
	  { cat build/profiled/warnings >&2; false; }

profile: deps-profile
	@$(MAKE) --no-print-directory all $(PROFILED)
	$(LUA) bench/profile.lua

# The first run also builds GNU binutils, which takes ten minutes.
bench-large: deps-large
	@$(MAKE) --no-print-directory all
	$(LUA) bench/run.lua --large --output=bench/results-large.md

include spec/spec.mk fuzz/fuzz.mk
-include $(foreach below,* */*,$(wildcard build/objects/$(below)/*.d \
  build/sanitized/*/$(below)/*.d $(FUZZ_DIR)/objects/$(below)/*.d))

clean:
	rm -rf build

FORCE:

.DELETE_ON_ERROR:
.PHONY: FORCE all install uninstall dist deps deps-demo deps-test deps-browser deps-large \
  deps-profile deps-docs deps-all demo run-demo pictures docs bench bench-large profile clean
