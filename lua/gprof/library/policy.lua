--- What `--gnu-compat` changes. By default we fix faults of GNU gprof and extend it; with
-- the option, the results equal GNU gprof's, byte for byte.
--
-- Each difference is one field of a policy. Code that computes or prints does not test
-- the option `gnu_compat` but a field of `policy.of(options)`. (Only checks for
-- conflicting options test `gnu_compat` itself.) The core's differences are in
-- csrc/symbols/policy.h. A difference that is in both places has the same name.
--
-- @internal gprof.library.policy
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = {}

-- The value of each field: ours, then GNU gprof's.
local values <const> = {

  -- Reading -----------------------------------------------------------------------------

  -- Invalid arguments are errors: numbers out of range or with trailing characters,
  -- symspecs that match nothing, FROM/TO without a slash. GNU gprof accepts them.
  checks_arguments = { true, false },
  -- A directory as an operand stands for all profiles below it.
  reads_directories = { true, false },
  -- Profiles in formats that GNU gprof does not know are read: System V's mon.out, the
  -- dynamic linker's profiles of libraries, and context profiles that --file-info finds.
  reads_all_formats = { true, false },
  -- In a sum, the option `file_format` applies to the output only; input formats are
  -- detected.
  detects_summed_formats = { true, false },
  -- A sum that does not exist yet may be named as one of several profiles: it is empty.
  starts_missing_sums = { true, false },
  -- Records of a sum keep the order in which they were read. GNU gprof sorts them by
  -- symbol. Their order decides the order of equal figures in reports on the sum.
  keeps_record_order = { true, false },
  -- The sum of profiles that have context profiles has one, too.
  sums_contexts = { true, false },
  -- GNU gprof sums histograms of different sampling rates, and refuses BSD files of
  -- different ranges. We do the opposite.
  adds_mixed_rates = { false, true },
  -- A profile without samples and calls is an error. GNU gprof prints empty reports.
  refuses_empty_profiles = { true, false },
  -- A profile must match its image; a slide of its addresses is subtracted.
  checks_profile = { true, false },

  -- Symbols and lines -------------------------------------------------------------------

  -- Symbols and lines of a stripped image are read from a separate debugging file.
  debug_files = { true, false },
  -- Within a line, inlined functions are looked up only at recorded addresses.
  recorded_lines_only = { true, false },
  -- In a profile by line, GNU gprof's index numbers (in the graph and in BSD's flat
  -- profile), execution counts and orders depend on lines without records, so all lines
  -- have to be read.
  ranks_unused_lines = { false, true },
  -- Basic blocks that never ran are found in the machine code.
  finds_idle_blocks = { true, false },
  -- The time of callees is taken from call paths, if the profiles have them.
  measured_times = { true, false },
  -- The module that resolves symspecs.
  symspecs = { "gprof.library.symspec.lookup", "gprof.library.symspec.gnu_lookup" },

  -- Reports -----------------------------------------------------------------------------

  -- Our additions to GNU gprof's reports are available: --top, --errors, --bounds,
  -- --tree, and --min-count for execution counts.
  extends_reports = { true, false },
  -- GNU gprof assumes that the profile's unit is seconds. We use the recorded unit.
  assumes_seconds = { false, true },
  -- Without a histogram, times in GNU gprof's call graph are "-nan" (0/0) instead of 0;
  -- not in the BSD formats, whose header has a sampling rate.
  divides_by_no_rate = { false, true },
  -- GNU gprof's index has three columns, even for names that do not fit into a line.
  keeps_index_columns = { false, true },
  -- For a file without a version number, GNU gprof shows the version of the file before
  -- it.
  inherits_version = { false, true },
  -- Execution counts: functions of unknown source come last. GNU gprof compares them with
  -- others by address, which is not a consistent order.
  puts_unknown_sources_last = { true, false },
  -- Annotated source: in the directories of -I, a file may have any last components of
  -- its recorded path. GNU gprof tries only the whole path and the file name.
  finds_moved_sources = { true, false },
  -- Annotated source: the count of a line comes from its basic blocks, if blocks were
  -- counted. GNU gprof only shows the calls of the first function in the line.
  whole_lines = { true, false },
  -- Annotated source: symspecs of functions select the lines of these functions. GNU
  -- gprof prints the whole file.
  annotates_excerpts = { true, false },
  -- Annotated source: margins are widened to show all counts.
  widens_margins = { true, false },
  -- Annotated source: a newline is added after the last line if the source has none.
  ends_last_line = { true, false },
  -- Annotated source: source files with equal names get listings with different names.
  separates_listings = { true, false },
  -- Function order: each function is listed once.
  lists_functions_once = { true, false },
  -- GNU gprof rounds the bytes of code that a sample covers down to a multiple of two.
  truncates_bins = { false, true },
  -- File order: each file is one node of the graph, and arcs are processed in descending
  -- order of calls.
  merges_files = { true, false },

  -- Messages and terminal ---------------------------------------------------------------

  -- We give warnings and hints that GNU gprof does not give.
  gives_hints = { true, false },
  -- On a terminal, we use colours and a pager, shorten lines, and show progress.
  adapts_to_terminal = { true, false },
}

-- Builds a policy from the first (our) or the second (GNU gprof's) value of each
-- field. Reading an unknown field is an error.
local function choose(number)
  local chosen = {}
  for field, pair in pairs(values) do chosen[field] = pair[number] end
  return setmetatable(chosen, { __index = function(_, field)
    error("no such policy: " .. tostring(field), 2)
  end })
end

--- The default policy.
policy.default = choose(1)

--- The policy under `--gnu-compat`.
policy.gnu = choose(2)

--- Returns the policy for options.
-- @tparam table options `gnu_compat`
-- @treturn table with the fields listed in this file
function policy.of(options)
  return options.gnu_compat and policy.gnu or policy.default
end

return policy
