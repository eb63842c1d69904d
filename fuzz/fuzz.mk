# Fuzzing with libFuzzer, and tests with damaged images. Included by the Makefile.
# SPDX-License-Identifier: GPL-3.0-or-later

# FUZZ_SECONDS is the time per target: a minute, or ten in fuzz-all. FUZZ_DIR is the output
# directory. FUZZ_PLANT=WORD adds a bug that is triggered by every input that contains WORD,
# FUZZ_PLANT_LOOP=WORD an endless loop. See fuzz/README.md.
FUZZ_SECONDS = 60
FUZZ_NATIVE = gmon sums spread archives $(FUZZ_SECTIONS) images $(FUZZ_UNPACK) symbols names
FUZZ_UNPACK = $(if $(HAS_LZMA),unpack)
FUZZ_SCRIPTS = $(FUZZ_LUA:fuzz/targets/%.lua=%)
FUZZ_LUA = $(wildcard fuzz/targets/*.lua)
FUZZ_TARGETS = $(FUZZ_NATIVE) $(FUZZ_SCRIPTS)
FUZZ_DIR = build/fuzz
FUZZ_PLANT =
FUZZ_PLANT_LOOP =
FUZZ_CC = clang
FUZZ_SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_COMPILE = -std=c11 -D_GNU_SOURCE $(WARNINGS) -Icsrc -I$(LUA_INCDIR) -O2 -g \
  -fno-omit-frame-pointer $(FUZZ_SANITIZE) -DFUZZ_ROOT='"$(CURDIR)"' \
  -DFUZZ_DIRECTORY='"$(abspath $(FUZZ_DIR))"' \
  $(foreach name,FUZZ_PLANT FUZZ_PLANT_LOOP,$(if $($(name)),-D$(name)='"$($(name))"'))
FUZZ_HEADERS = $(wildcard fuzz/*.h) $(HEADERS)
FUZZ_OBJECTS = $(SOURCES:csrc/%.c=$(FUZZ_DIR)/objects/%.o)

# The readers of sections. fuzz/debugging.c takes the place of libbfd.
FUZZ_SECTIONS = lines frames split pads
FUZZ_SECTION_READERS = base/crc32 base/error base/hash base/range base/sort object/section debug/dwarf \
  debug/units debug/line_files debug/line_map debug/line_map_build debug/line_program \
  debug/line_sequences debug/line_tables debug/source_names debug/source_paths \
  debug/abbreviations debug/entries debug/range_lists debug/function_names debug/scopes \
  debug/scope_ranges debug/inline_map debug/inline_map_build debug/split_file \
  debug/package_index debug/call_frames profile/code/landing_pads

fuzz: deps-fuzz
	@$(MAKE) --no-print-directory run-fuzz

fuzz-all: FUZZ_SECONDS = 600
fuzz-all: deps-fuzz
	@$(MAKE) --no-print-directory run-fuzz FUZZ_SECONDS=$(FUZZ_SECONDS)

run-fuzz: $(FUZZ_TARGETS:%=$(FUZZ_DIR)/%)
	printf '%s\n' $(FUZZ_TARGETS) | xargs -P "$$(nproc)" -I '{}' \
	  $(LUA) fuzz/run.lua $(FUZZ_DIR) $(FUZZ_SECONDS) '{}'

$(FUZZ_DIR)/objects/%.o: csrc/%.c $(BINUTILS) Makefile
	@mkdir -p $(@D)
	$(say) CLANG $<
	$(quietly)$(FUZZ_CC) $(FUZZ_COMPILE) $(FUZZ_COVER) $(DEPENDENCIES) -c -o $@ $<

# Which code of a checksum runs does not depend on the bytes. To observe it costs up to two thirds
# of the time of a target. What most code for profiles and for Lua compares is not in an input.
FUZZ_COVER = -fsanitize=fuzzer-no-link
$(FUZZ_DIR)/objects/base/crc32.o: FUZZ_COVER =
$(FUZZ_DIR)/objects/lua/% $(FUZZ_DIR)/objects/profile/%: \
  FUZZ_COVER += -fno-sanitize-coverage=trace-cmp
$(FUZZ_DIR)/objects/profile/code/landing_pads.o: FUZZ_COVER = -fsanitize=fuzzer-no-link

FUZZ_LINK = $(FUZZ_CC) $(FUZZ_COMPILE) -fsanitize=fuzzer -Wl,--wrap=read \
  -Wl,--wrap=LLVMFuzzerTestOneInput -o $@ $(filter fuzz/%.c %.o,$^)

$(FUZZ_SECTIONS:%=$(FUZZ_DIR)/%): $(FUZZ_DIR)/%: fuzz/targets/%.c fuzz/debugging.c \
  fuzz/inline_maps.c fuzz/support.c $(FUZZ_HEADERS) \
  $(FUZZ_SECTION_READERS:%=$(FUZZ_DIR)/objects/%.o)
	$(say) LINK $@
	$(quietly)$(FUZZ_LINK)

# The decompressor, which is built only with liblzma. The target includes its source.
$(FUZZ_DIR)/unpack: fuzz/targets/unpack.c $(UNPACKING) fuzz/support.c $(FUZZ_HEADERS) \
  $(FUZZ_DIR)/objects/base/crc32.o $(FUZZ_DIR)/objects/base/error.o
	$(say) LINK $@
	$(quietly)$(FUZZ_LINK) $(LZMA) -llua5.4

$(patsubst %,$(FUZZ_DIR)/%,$(filter-out $(FUZZ_SECTIONS) unpack,$(FUZZ_NATIVE))): \
  $(FUZZ_DIR)/%: fuzz/targets/%.c fuzz/sameness.c fuzz/support.c $(FUZZ_HEADERS) \
  $(filter-out $(FUZZ_DIR)/objects/lua/%.o $(FUZZ_DIR)/objects/bundle/%.o,$(FUZZ_OBJECTS))
	$(say) LINK $@
	$(quietly)$(FUZZ_LINK) -lbfd -liberty

$(FUZZ_SCRIPTS:%=$(FUZZ_DIR)/%): $(FUZZ_DIR)/%: fuzz/lua.c fuzz/support.c $(FUZZ_HEADERS) \
  $(FUZZ_DIR)/objects/lua_memory.o $(FUZZ_OBJECTS) | $(FUZZ_DIR)/program
	$(say) LINK $@
	$(quietly)$(FUZZ_LINK) -DFUZZ_TARGET='"$*"' $(LIBRARIES) -lopcodes -llua5.4

$(FUZZ_DIR)/objects/lua_memory.o: fuzz/lua_memory.c $(FUZZ_HEADERS)
	@mkdir -p $(@D)
	$(say) CLANG $<
	$(quietly)$(FUZZ_CC) $(FUZZ_COMPILE) -c -o $@ $<

# This target looks up lines in each image.
$(FUZZ_DIR)/code: FUZZ_COMPILE += -DFUZZ_LEAKS='"libbfd"'

# The programs whose profiles the targets read.
$(FUZZ_DIR)/program: fuzz/program.lua
	$(quietly)$(LUA) fuzz/program.lua $(FUZZ_DIR)

# Prints, for each source, how many of its lines the corpora reach.
FUZZ_COVERAGE = $(FUZZ_DIR)/coverage
fuzz-coverage: deps-fuzz
	@$(MAKE) --no-print-directory FUZZ_DIR=$(FUZZ_COVERAGE) \
	  FUZZ_SANITIZE="-fprofile-instr-generate -fcoverage-mapping" \
	  $(FUZZ_TARGETS:%=$(FUZZ_COVERAGE)/%)
	$(LUA) fuzz/coverage.lua $(FUZZ_DIR) $(FUZZ_COVERAGE) $(FUZZ_TARGETS)

# Runs gprof.lua on damaged images. SEED determines the damage. The run uses images number FIRST to
# FIRST + MUTANTS - 1. ASAN=1 uses the interpreter with sanitizers, SANDBOX=1 adds --sandbox,
# SHOW=1 prints each result.
LIMITED = build/mutants/limited
$(LIMITED): fuzz/images/limited.c Makefile
	@mkdir -p $(@D)
	$(say) CC $@
	$(quietly)$(CC) $(COMPILE) -o $@ $<

# An interpreter with libbfd linked in, so that stack traces have all function names.
TELLING = build/mutants/lua
$(TELLING): $(SOURCES) $(HEADERS) $(BINUTILS) bench/profiled.c Makefile
	@mkdir -p $(@D)
	$(say) CC and LINK $@
	$(quietly)$(CC) $(COMPILE) -o $@ bench/profiled.c $(SOURCES) -llua5.4 \
	  -Wl,-Bstatic -lopcodes -lbfd -lsframe -liberty -Wl,-Bdynamic -lz -lzstd -lm

deps-mutants:
	$(call install,$(TEST_PACKAGES) clang gdb zlib1g-dev libzstd-dev \
	  binutils-s390x-linux-gnu binutils-sparc64-linux-gnu)

mutants: deps-mutants
	@$(MAKE) --no-print-directory all $(LIMITED) $(TELLING) $(if $(ASAN),$(SANITIZED))
	$(LUA) fuzz/images/run.lua mutants=$(MUTANTS) seed=$(SEED) first=$(FIRST) \
	  sanitized=$(ASAN) sandbox=$(SANDBOX) show=$(SHOW)

MUTANTS = 5000
SEED = 1
FIRST = 1

# Runs the program on damaged images, profiles and exports: many runs in each process, with
# sanitizers. A process may take 1,000 seconds of CPU time. KIND is a kind of files of
# fuzz/repaired/kinds.lua, whose checksums and lengths are right.
RUNS = 25000
KIND = any
whole-runs: deps-mutants
	@$(MAKE) --no-print-directory run-whole-runs

repaired-runs: deps-mutants
	@$(MAKE) --no-print-directory $(KINDS:%=run-repaired-%)

KINDS = contexts scripts spreads archives split baselines checkpoints
$(KINDS:%=run-repaired-%): run-repaired-%:
	@$(MAKE) --no-print-directory run-whole-runs KIND=$* RUNS=$(MUTANTS)

run-whole-runs: all $(SANITIZED)
	ulimit -t 1000; ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  $(SANITIZED) fuzz/images/whole_runs.lua kind=$(KIND) runs=$(RUNS) \
	    seed=$(SEED) first=$(FIRST) show=$(SHOW)

.PHONY: fuzz fuzz-all run-fuzz fuzz-coverage deps-fuzz deps-mutants mutants whole-runs run-whole-runs \
  repaired-runs $(KINDS:%=run-repaired-%)
