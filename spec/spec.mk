# The tests. Included by the Makefile.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   make test            build with warnings as errors, then run all specs; one of them is the linter
#   make test-browser    run the specs of pages in Chromium
#   make test-sanitized  run those of the core with AddressSanitizer and UBSan
#   make test-starved    run the program without memory, in the sanitized interpreter
#   make test-collector  run some with an aggressive garbage collector
#   make test-collected  run nearly all with a frequent garbage collector
#   make test-valgrind   run those of the core under memcheck
#   make test-summary    list what these runs skipped and what failed
#
# SPEC selects spec files and folders: make test SPEC=print/layout, make test SPEC="gmon cli/sums".
# Each run leaves logs in build/results (see spec/run.sh).

check-all test: export WERROR = -Werror
test-%: export WERROR = -Werror

ALL_SPECS = $(wildcard spec/*/*_spec.lua)

# $(call spec_files,NAMES): the files of these specs.
spec_files = $(1:%=spec/%_spec.lua)

# $(call selected,FILES): those of SPEC, or all these files.
selected = $(if $(SPEC),$(foreach name,$(SPEC),$(or $(wildcard spec/$(name)_spec.lua \
  spec/$(name)/*_spec.lua),$(error SPEC=$(name): no spec/$(name)_spec.lua and no spec/$(name)/))),$(1))

# $(call run_specs,PREREQUISITES,VARIABLES,FILES,INTERPRETER) runs specs and lists their failures.
define run_specs
@$(MAKE) --no-print-directory -j "$$(nproc)" all $(SPAWN) $(1)
@$(2) spec/run.sh $@ "$(call selected,$(3))" $(4) $(BUSTED)
@spec/summary.sh $@
endef

# Starts the programs for the specs. Another process may just load it.
SPAWN = build/spec/spawn.so
$(SPAWN): spec/support/spawn.c
	@mkdir -p $(@D)
	$(say) CC and LINK $@
	$(quietly)$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -I$(LUA_INCDIR) -O2 -fPIC -shared -o $@.$$$$ $< && mv $@.$$$$ $@

# GPROF_CASES is the number of random cases of each kind. With GPROF_THOROUGH=1, some specs try all of
# many combinations, or larger inputs. make check-all does so, and runs more cases.
CASES = 4
test: deps-test
	$(call run_specs,,GPROF_CASES=$${GPROF_CASES:-$(CASES)}, \
	  $(filter-out $(IN_BROWSER) $(STARTS_SANITIZED),$(ALL_SPECS)),$(LUA))

# Chromium takes a quarter of the time of all specs. If it cannot be installed, these are skipped.
IN_BROWSER = $(wildcard spec/export/*_browser_spec.lua)
test-browser: deps-test
	@$(MAKE) --no-print-directory deps-browser || echo "Not installed: $(BROWSER_PACKAGES)"
	$(call run_specs,,GPROF_CASES=$${GPROF_CASES:-$(CASES)},$(IN_BROWSER),$(LUA))

test-summary:
	@spec/summary.sh

# Static analysis. A tool checks a file again when the file or a header has changed; two tools run
# at a time. Disabled checks are explained in .clang-tidy for clang-tidy, and here for the others:
# - gcc 12 reports false leaks where a pointer is stored through the address of a pointer, as when
#   columns grow, false uses of uninitialized memory for structures passed by value, and null
#   arguments where a size, such as that of a string and its end, cannot be 0. The sanitizers,
#   valgrind and clang check for all of these.
# - cppcheck's ctuuninitvar reports structures that the called function initializes. It cannot
#   expand the nested macros of bench/calls.c.
ANALYZED = $(SOURCES) $(UNPACKING) $(CONFINING) $(HOOKING) $(sort $(wildcard csrc/runtime/*.c fuzz/*.c fuzz/*/*.c bench/*.c) \
  $(filter-out %/plant.c,$(wildcard spec/sanitizer/*.c))) spec/support/spawn.c
ANALYZED += $(if $(filter OPENMPI,$(MPI_INSTALLED)),$(MPI_SOURCES))
build/analyzed/csrc/mpi/%: ANALYZED_FOR += $(shell $(MPICC_OPENMPI) --showme:compile)
ANALYZERS = gcc tidy cppcheck
ANALYZED_FOR = $(foreach name,ROOT DIRECTORY TARGET,-DFUZZ_$(name)='"."')
ANALYZE_gcc = $(CC) $(COMPILE) $(ANALYZED_FOR) -O2 -fno-inline -fanalyzer -Wno-analyzer-malloc-leak \
  -Wno-analyzer-null-argument -Wno-analyzer-use-of-uninitialized-value -c -o /dev/null
ANALYZE_tidy = clang-tidy --quiet
ANALYZE_cppcheck = cppcheck -q --std=c11 -Icsrc -D_GNU_SOURCE -D__x86_64__ $(ANALYZED_FOR) --error-exitcode=1 --inline-suppr \
  --enable=warning,portability,performance --suppress=ctuuninitvar \
  --suppress=preprocessorErrorDirective:bench/calls.c

analyze:
	@$(MAKE) --no-print-directory -j 2 $(foreach tool,$(ANALYZERS),$(ANALYZED:%=build/analyzed/%.$(tool)))

# $(call analyze,TOOL,ARGUMENTS) defines the rule for a tool; the arguments follow the file name.
define analyze
build/analyzed/%.$(1): % $$(HEADERS) .clang-tidy Makefile
	@mkdir -p $$(@D)
	$$(say) $(1) $$<
	$$(quietly)$$(ANALYZE_$(1)) $$< $(2) >$$@.log 2>&1 || { cat $$@.log; exit 1; }
	@mv $$@.log $$@
endef
$(eval $(call analyze,gcc))
$(eval $(call analyze,tidy,-- -std=c11 -D_GNU_SOURCE $$(ANALYZED_FOR) -Icsrc -I$(LUA_INCDIR)))
$(eval $(call analyze,cppcheck))

# Lines of C have at most 90 columns, of JavaScript 120; .luacheckrc has the limits for Lua. Text has
# at most 96 columns. Tables and blocks of code may be wider, and bench/ writes its results itself.
# JavaScript and text are counted in characters.
lint:
	@mkdir -p build
	luacheck -q --cache build/luacheck.cache gprof.lua lua spec bench examples fuzz doc
	@awk 'length > 90 { print FILENAME ":" FNR ": longer than 90 columns"; long = 1 } \
	  END { exit long }' $(SOURCES) $(CONFINING) $(HOOKING) $(HEADERS) \
	  $(MPI_SOURCES) $(wildcard csrc/runtime/*.[ch] fuzz/*.[ch] fuzz/*/*.[ch] examples/*/*.[chS])
	@LC_ALL=C awk '{ text = $$0; gsub(/[\200-\277]/, "", text) } FNR == 1 { code = 0 } \
	  /^ *```/ { code = !code } !code && length(text) > 96 && text !~ /^ *\|/ \
	  { print FILENAME ":" FNR ": longer than 96 columns"; long = 1 } END { exit long }' \
	  $(wildcard *.md doc/*.md examples/*.md examples/*/*.md fuzz/*.md fuzz/*/*.md)
	@LC_ALL=C awk '{ text = $$0; gsub(/[\200-\277]/, "", text) } length(text) > 120 \
	  { print FILENAME ":" FNR ": longer than 120 columns"; long = 1 } END { exit long }' \
	  $(wildcard lua/gprof/export/html/*.js bench/*.js spec/*/*.js)

# An interpreter with the core linked in, built with AddressSanitizer and UBSan. It can make the
# core's allocations fail.
SANITIZED = build/sanitized/lua
LAUNCHER = $(addprefix spec/sanitizer/,launcher.c scarce.c starve.c)
SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# Specs start thousands of processes. Linked statically and at a fixed address, the interpreter
# starts in two thirds of the time. clang links the sanitizers' libraries statically anyway.
LINK_SANITIZED = -no-pie $(if $(findstring clang,$(notdir $(CC))),,-static-libasan -static-libubsan)

SANITIZED_OBJECTS = $(patsubst %.c,build/sanitized/%.o,$(LAUNCHER) $(SOURCES) $(UNPACKING) $(CONFINING) $(HOOKING))
build/sanitized/%.o: %.c $(BINUTILS) Makefile
	@mkdir -p $(@D)
	$(say) CC $@
	$(quietly)$(CC) $(COMPILE) $(DEPENDENCIES) $(SANITIZE) -include spec/sanitizer/scarce.h \
	  $(if $(HAS_LZMA),-DWITH_LZMA) -c -o $@ $<

$(SANITIZED): $(SANITIZED_OBJECTS)
	$(say) LINK $@
	$(quietly)$(CC) $(CFLAGS) $(LDFLAGS) $(SANITIZE) $(LINK_SANITIZED) \
	  -Wl,-E,--wrap=gp_image_locate -o $@ $^ $(LIBRARIES) $(LZMA) $(OPCODES_LIBRARY) -llua5.4

# Runs one in ten of the comparisons with GNU gprof: they check numbers, and the run without
# sanitizers makes them all. The garbage collector is in generational mode (see
# spec/support/collector.lua). The other specs run the same code from the command line, and most of
# their time is that of starting processes; test-collected runs them, too.
OF_CORE = $(wildcard $(patsubst %,spec/%/*_spec.lua,debug format gmon lua object print profile report symbols)) \
  $(call spec_files,$(addprefix system/,damaged fuzz_targets planted) $(addprefix export/,json pprof) \
  $(addprefix library/,annotation) $(addprefix scripts/,lua_programs))
test-sanitized: deps-test
	$(call run_specs,$(SANITIZED),GPROF_CASES=$${GPROF_CASES:-$(CASES)} GPROF_SHARE=$${GPROF_SHARE:-10} \
	  GPROF_COLLECTOR=generational GPROF_LUA=$(CURDIR)/$(SANITIZED),$(OF_CORE),$(SANITIZED))

# Specs in the ordinary interpreter that start the sanitized one themselves.
STARTS_SANITIZED = $(call spec_files,system/sanitizer system/scarce system/starved)
test-starved: deps-test
	$(call run_specs,$(SANITIZED),GPROF_CASES=$${GPROF_CASES:-$(CASES)},$(STARTS_SANITIZED),$(LUA))

# Runs specs with an aggressive garbage collector, to find objects that are freed too early (see
# spec/support/collector.lua). Processes that specs start run a full collection at each allocation.
# The process of the specs itself, in which some specs call the library, collects incrementally all
# the time. Incremental collection takes minutes for specs with much live data, such as large images
# and call chains; test-collected, which runs nearly all specs, instead runs a full collection
# whenever memory has grown by a twenty-fifth, which costs little. STEPPED is for make check-all.
#
# test-collected leaves out specs that measure time, memory or instructions (bench, growth,
# startup), specs of other programs (the recorder, fuzz, browsers, installation, mutants), specs that
# start interpreters of their own (coverage, native, sanitizer, scarce, starved), the checkout's own
# checks, and html, where one page with 10,000 functions takes minutes.
COLLECTED = lua/objects lua/misuse gmon/records symbols/symspec profile/samples report/reports \
  report/user_report
STEPPED = gmon/gmon object/image profile/numbers lua/stream format/terminal lua/trace
NOT_COLLECTED = $(IN_BROWSER) $(wildcard spec/runtime/*_spec.lua) $(call spec_files,export/html \
  library/native $(addprefix system/,bench checkout coverage fuzz growth installation mutants \
  sanitizer scarce starved startup))
COLLECTOR = GPROF_PATIENCE=10 GPROF_LUA=$(CURDIR)/spec/collected.sh
test-collector: deps-test
	$(call run_specs,$(SANITIZED),GPROF_CASES=$${GPROF_CASES:-8} GPROF_SHARE=$${GPROF_SHARE:-20} \
	  GPROF_COLLECTOR=aggressive $(COLLECTOR),$(call spec_files,$(COLLECTED)),$(SANITIZED))

test-collected: deps-test
	$(call run_specs,$(SANITIZED),GPROF_CASES=$${GPROF_CASES:-1} GPROF_SHARE=$${GPROF_SHARE:-60} \
	  GPROF_SOAK=20 GPROF_COLLECTOR=often $(COLLECTOR), \
	  $(filter-out $(NOT_COLLECTED),$(ALL_SPECS)),$(SANITIZED))

# Runs the specs of the core under memcheck, with few random cases, and one in ten of the processes
# that they start; GPROF_VALGRIND_SHARE=1 checks all processes. The reports are collected in files,
# so that errors of processes whose output no spec reads are also found.
MEMCHECK = build/valgrind
test-valgrind: deps-test
	rm -rf $(MEMCHECK)
	@mkdir -p $(MEMCHECK)
	$(call run_specs,,GPROF_CASES=$${GPROF_CASES:-1} GPROF_SHARE=$${GPROF_SHARE:-60} \
	  GPROF_PATIENCE=20 GPROF_SOAK=20 GPROF_VALGRIND_SHARE=$${GPROF_VALGRIND_SHARE:-10} \
	  GPROF_VALGRIND=$(CURDIR)/$(MEMCHECK) GPROF_LUA=$(CURDIR)/spec/valgrind.sh, \
	  $(sort $(OF_CORE) $(wildcard spec/library/*_spec.lua)),spec/valgrind.sh)
	@echo "$$(ls $(MEMCHECK) | wc -l) processes ran under valgrind"
	@! find $(MEMCHECK) -type f -size +0 -exec cat {} + | grep .

# Compares 20,000 random combinations of images, profiles and options with GNU gprof, 2,000 in each
# process; MATRIX_SEED selects others.
MATRIX_SEED = 3000000
parity-matrix: $(CORE) $(CONFINEMENT) $(RUNTIME) $(BUNDLE)
	seq $(MATRIX_SEED) 2000 $$(($(MATRIX_SEED) + 18000)) | xargs -P "$$(nproc)" -I '{}' \
	  env GPROF_SEED='{}' GPROF_CASES=2000 $(LUA) $(BUSTED) spec/system/parity_matrix_spec.lua

# Compares the counts of annotated source with gcov's in 200 random programs compiled with gcc and
# 200 compiled with clang, 100 of each in a process; GCOV_SEED selects others. The spec compiles one
# program for six cases.
GCOV_SEED = 3000000
gcov-matrix: $(CORE) $(OPCODES) $(RUNTIME) $(BUNDLE)
	seq $(GCOV_SEED) 100 $$(($(GCOV_SEED) + 100)) | xargs -P "$$(nproc)" -I '{}' \
	  env GPROF_SEED='{}' GPROF_CASES=600 $(LUA) $(BUSTED) spec/runtime/annotated_blocks_spec.lua

# Compares inlined functions at more than 100,000 addresses with llvm-symbolizer's.
inline-matrix: $(CORE) $(BUNDLE)
	GPROF_CASES=1000 $(LUA) $(BUSTED) spec/debug/inline_matrix_spec.lua

# Compares the bounds of inclusive times with the truth for 10,000 walks through 200 random programs.
bounds-matrix: $(CORE) $(OPCODES) $(BUNDLE)
	GPROF_THOROUGH=1 GPROF_CASES=10000 $(LUA) $(BUSTED) --filter='random stacks' \
	  spec/profile/time_bounds_spec.lua

# Loads profiles ten thousand times in one process; make test does so a few hundred times.
soak: $(CORE) $(RUNTIME)
	GPROF_SOAK=$${GPROF_SOAK:-10000} $(LUA) $(BUSTED) spec/system/soak_spec.lua

# Injects a failure of each allocation and at each byte that is read or written, and kills the
# program at a thousand moments. make test and make test-starved try a sample of these.
FAULTS = $(call spec_files,$(addprefix system/,starved read_faults write_faults killed bounds))
faults: deps-test
	$(call run_specs,$(SANITIZED),GPROF_FAULTS=all,$(FAULTS),$(LUA))

# Runs the demo, and the example scripts on its profile. The specs check the scripts' output.
EXAMPLES = "top.lua 10" "callers.lua name" by_file.lua unused.lua "tree.lua 5 5" hot_paths.lua \
  "gate.lua 5 $(DEMO)/sample $(DEMO)/gmon.out" "shards.lua directory $(DEMO)"

examples: all
	@$(MAKE) --no-print-directory run-demo >build/demo.log && tail -n 1 build/demo.log
	@for script in $(EXAMPLES); do \
	  echo "examples/$$script"; $(LUA) examples/$$script $(DEMO)/sample $(DEMO)/gmon.out || exit 1; \
	done >build/examples.log

# Line coverage of the specs. A copy of the checkout is compiled for gcov; each Lua process that
# the specs start writes a list of its lines. build/coverage/missed.txt lists the lines that never
# ran. A few random cases suffice, since all run the same lines. The copy is a git repository,
# because specs of the release archive need one. It shares build/readers, if present.
COVERAGE = $(CURDIR)/build/coverage
LUAC = luac5.4
coverage: deps-test
	rm -rf $(COVERAGE)
	mkdir -p $(COVERAGE)/build/lines
	cp -R .busted .gitignore $(filter-out build,$(wildcard *)) $(COVERAGE)
	@[ ! -d build/readers ] || ln -s $(CURDIR)/build/readers $(COVERAGE)/build/readers
	git init -q $(COVERAGE) && git -C $(COVERAGE) add -A
	git -C $(COVERAGE) -c user.name=copy -c user.email=copy@localhost commit -q -m copy
	@CFLAGS="-O0 -g --coverage" $(MAKE) --no-print-directory -C $(COVERAGE) run-coverage SANITIZE="$(SANITIZE:-O1=-O0)"
	@$(LUA) spec/coverage/report.lua $(COVERAGE) $(LUAC)

# Left out are specs in which memory or disk space runs out: gcov also fails there, and its messages
# would mix with ours.
NOT_COUNTED = $(STARTS_SANITIZED) $(call spec_files,system/checkout system/write_faults)
run-coverage: all $(SPAWN) counted-runtime $(SANITIZED)
	-GPROF_CASES=$${GPROF_CASES:-20} GPROF_SHARE=$${GPROF_SHARE:-3} \
	  spec/run.sh coverage "$(filter-out $(NOT_COUNTED),$(ALL_SPECS))" \
	  env GPROF_COVERAGE=$(CURDIR)/build/lines LUA_INIT=@$(CURDIR)/spec/coverage/collector.lua \
	  $(LUA) $(BUSTED)
	spec/summary.sh coverage

# Programs with the block-counting runtime are not built for gcov, so gcov's library is linked into
# the runtime.
counted-runtime: $(RUNTIME)
	$(CC) -std=c11 $(WARNINGS) -fPIE -c -o build/runtime.o spec/coverage/runtime.c
	$(CC) -r -nostdlib -Wl,--wrap=__gcov_exit -o build/counted.o build/runtime.o \
	  build/objects/runtime/blocks.o -lgcov
	objcopy --localize-hidden build/counted.o
	rm -f $< && $(AR) rcs $< build/counted.o

# Programs from npm that read our exports. If they cannot be installed, the specs that need them
# are skipped.
READERS = ajv@8 axe-core@4 @microsoft/jest-sarif@1.0.0-beta.0 pprof-format@2 speedscope@1
readers:
	@mkdir -p build/readers
	$(say) NPM build/readers
	$(quietly)npm install --prefix build/readers --ignore-scripts --no-audit --no-fund --silent \
	  $(READERS) >build/readers/log 2>&1 || echo "Not installed: $(READERS); see build/readers/log"

# The long run: installs everything that specs may need, so that none is skipped, and adds static
# analysis, documentation, coverage, more random cases, fuzzing, soak and valgrind. CHECKS="soak docs"
# selects some of its parts.
CHECKS = readers mpi check-tests analyze docs coverage check-collector test-collected check-parity \
  parity-matrix gcov-matrix inline-matrix bounds-matrix check-arm64 check-whole-runs run-fuzz soak \
  test-valgrind
check-all: deps-all
	@spec/in_turn.sh $(CHECKS)

check-tests:
	@GPROF_THOROUGH=1 $(MAKE) --no-print-directory --keep-going test test-browser test-sanitized test-starved CASES=60

check-collector:
	@GPROF_THOROUGH=1 $(MAKE) --no-print-directory test-collector COLLECTED="$(COLLECTED) $(STEPPED)"

check-parity: all
	printf '%s\n' parity selection_parity | xargs -P "$$(nproc)" -I '{}' \
	  env GPROF_SEED=1000000 GPROF_CASES=1000 $(LUA) $(BUSTED) spec/system/{}_spec.lua
	GPROF_SEED=2000000 GPROF_CASES=100 $(LUA) $(BUSTED) spec/system/line_parity_spec.lua spec/analysis/linker_order_spec.lua

check-arm64:
	@mkdir -p build/arm64
	aarch64-linux-gnu-gcc $(COMPILE) $(RUNTIME_FLAGS) -c -o build/arm64/blocks.o csrc/runtime/blocks.c

check-whole-runs:
	@$(MAKE) --no-print-directory run-whole-runs RUNS=2000

.PHONY: test test-browser test-sanitized test-starved test-collector test-collected test-valgrind test-summary \
  check-all $(CHECKS) check-tests lint examples faults run-coverage counted-runtime
