-- The policies: one module lists everything that --gnu-compat changes.
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = require "gprof.library.policy"
local program = require "support.program"
local shell = require "support.shell"

describe("A policy", function()
  it("is chosen by the options", function()
    assert.equal(policy.default, policy.of {})
    assert.equal(policy.default, policy.of { gnu_compat = false })
    assert.equal(policy.gnu, policy.of { gnu_compat = true })
  end)

  it("has a different value of the same type for each field", function()
    for field, value in pairs(policy.default) do
      assert.equal(type(value), type(policy.gnu[field]), field)
      assert.not_equal(value, policy.gnu[field], field)
    end
    for field in pairs(policy.gnu) do assert.is_not_nil(rawget(policy.default, field), field) end
  end)

  it("raises an error for unknown fields", function()
    assert.has_error(function() return policy.default.gnu_compat end, "no such policy: gnu_compat")
    assert.has_error(function() return policy.gnu.gives_hint end, "no such policy: gives_hint")
  end)

  it("names symspec modules that can be loaded", function()
    for _, rules in ipairs { policy.default, policy.gnu } do
      assert.is_function(require(rules.symspecs).new)
    end
  end)
end)

-- What doc/differences.md says of each field.
local DOCUMENTED <const> = {
  -- csrc/symbols/policy.h
  debug_files = "Here, symbols and lines come from a",
  exact_lines = "because of a fault of libbfd",
  typed_functions = "symbols that the symbol table marks as functions count",
  debugging_skipped = "symbols in debugging sections are not functions",
  bounded_names = "goes on into the next name of the string table",
  descriptor_names = "functions have the names of their descriptors",
  symfile_types = "Weak functions and ifuncs (types `W`, `w`, `i`) count as functions",
  symfile_by_machine = "the Thumb bit is removed, and mapping symbols",
  symfile_strict = "A malformed line is an error with its line number",
  symfile_static = "`-a` omits local symbols",
  map_symfiles = "A map also applies to the symbols of `-S`",
  map_strict = "the name ends at its first colon",
  map_first_line = "A symbol on several lines belongs to the first line's file",
  map_whole_objects = "Here every function in the map belongs to its own file",
  functions_before_labels = "In GNU gprof, a global label replaces a static function",
  cold_parts_owned = "The time and the calls of a cold part belong to its function",
  all_sections = "Code in all sections has lines",
  last_symbol_sampled = "the last symbol has no samples in GNU gprof",
  selected_total = "percentages refer to the sum of their times",
  callerless_calls = "calls whose caller is unknown",
  measured_times = "times of callees are [measured]",
  block_counter_excluded = "The counting function of [`libgprof-blocks.a`](blocks.md)",
  max_blocks = "keeps only ten blocks for each symbol",
  decoded_calls = "A call that `-k FROM/TO` leaves out stays out",
  unattributed_measured = "samples lie in code that no symbol covers",
  exact_inlining = "The innermost inlined function at an address is found in the debugging information",
  labels_before_lines = "A label at the first address of a line takes the line's place",
  recorded_lines_only = "Most lines for which nothing was recorded are removed first",
  last_line_kept = "the last symbol is included, also if it begins after `.text`",
  whole_lines = "All blocks of a line are shown",
  -- lua/gprof/library/policy.lua
  checks_arguments = "a value of `-w`, `-t` or `-m` that is out of range",
  reads_directories = "GNU gprof and `--gnu-compat` refuse directories",
  reads_all_formats = "`-O prof` reads `mon.out`",
  detects_summed_formats = "any format is read",
  starts_missing_sums = "The sum may be named as one of several profiles before it exists",
  keeps_record_order = "Records keep the order in which they were first read",
  sums_contexts = "also writes a sum of the context profiles; not with `--gnu-compat`",
  adds_mixed_rates = "histograms of different sampling rates are added",
  refuses_empty_profiles = "no sample and no call falls in any function",
  checks_profile = "all addresses are off by the same number",
  ranks_unused_lines = "some index numbers in a call graph may differ from GNU gprof's",
  finds_idle_blocks = "[Blocks that never ran](blocks.md#blocks-that-never-ran) are found",
  symspecs = "With `--gnu-compat`, a symspec means what it means to GNU gprof",
  extends_reports = "`--gnu-compat` ignores `--bounds`",
  assumes_seconds = "always print \"seconds\" there",
  divides_by_no_rate = "GNU gprof and `--gnu-compat` print `-nan`",
  keeps_index_columns = "always use three columns",
  inherits_version = "print the version of the file before it",
  puts_unknown_sources_last = "Functions of unknown source (`<unknown>`) come last",
  finds_moved_sources = "Sources are found in a tree that was moved",
  annotates_excerpts = "`-AFUNCTION` prints the lines of the function",
  widens_margins = "Margins are as wide as their counts",
  ends_last_line = "If the last line has no newline, one is added",
  separates_listings = "files of the same name in several directories",
  lists_functions_once = "Every function is listed once",
  truncates_bins = "GNU gprof prints two, and we four",
  merges_files = "Every file of the map is listed once",
  gives_hints = "are omitted with `--gnu-compat`",
  adapts_to_terminal = "there are no colours (`--color`)",
}

describe("doc/differences.md", function()
  it("describes each field of the policies", function()
    local text = shell.read(program.root .. "/doc/differences.md"):gsub("%s+", " ")
    local fields = {}
    for field in pairs(policy.default) do fields[field] = true end
    for field in shell.read(program.root .. "/csrc/symbols/policy.h"):gmatch "\n  [%w_ ]+[ *]([%l_]+);" do
      fields[field] = true
    end
    for field in pairs(fields) do
      assert.is_string(DOCUMENTED[field], field)
      assert.is_truthy(text:find(DOCUMENTED[field], 1, true), field .. ": " .. DOCUMENTED[field])
    end
    for field in pairs(DOCUMENTED) do assert.is_true(fields[field], field) end
  end)
end)
