--- What `--gnu-compat` changes: by default we fix GNU gprof's faults and add to it; with
-- the option, results are those of GNU gprof, byte for byte.
--
-- Each difference is one field of a policy. Code that computes or prints does not test
-- `gnu_compat`: it asks `policy.of(options)` for the field. (Options that do not go
-- together are refused by their names, `gnu_compat` among them.) The core's differences
-- are in csrc/symbols/policy.h: a question that is in both has one name.
--
-- @internal gprof.library.policy
-- SPDX-License-Identifier: GPL-3.0-or-later

local policy = {}

-- Both answers to each question: ours, then GNU gprof's.
local answers <const> = {

  -- Reading -----------------------------------------------------------------------------

  -- Arguments must be well-formed: numbers in range and without other characters,
  -- symspecs that name something, calls as FROM/TO. GNU gprof makes the best of anything.
  checks_arguments = { true, false },
  -- An operand may be a directory: it stands for all profiles below it.
  reads_directories = { true, false },
  -- System V's mon.out and the dynamic linker's profiles of shared libraries are read.
  reads_foreign_profiles = { true, false },
  -- The format of a sum is not also that of the profiles that are added up.
  detects_summed_formats = { true, false },
  -- Histograms of different sampling rates are added up.
  adds_mixed_rates = { false, true },
  -- A profile without samples and calls is refused, instead of shown as empty.
  refuses_empty_profiles = { true, false },
  -- A profile must belong to its image; addresses moved by an offset are moved back.
  checks_profile = { true, false },

  -- Symbols and lines -------------------------------------------------------------------

  -- A stripped image has its symbols and lines in a separate debugging file.
  debug_files = { true, false },
  -- Inlined functions are looked for only on lines that something was recorded of.
  recorded_lines_only = { true, false },
  -- The graph, execution counts and orders of a profile by line depend on lines that
  -- nothing was recorded of, so that all lines are needed.
  ranks_unused_lines = { false, true },
  -- The module that looks symspecs up and combines them.
  symspecs = { "gprof.library.symspec_lookup", "gprof.library.gnu_symspec_lookup" },

  -- Reports -----------------------------------------------------------------------------

  -- Our additions to GNU gprof's reports: --top, --errors, --min-count for execution
  -- counts; and the report that GNU gprof lacks most, --tree.
  extends_reports = { true, false },
  -- A profile's unit is taken for seconds.
  assumes_seconds = { false, true },
  -- Times of a call graph without a histogram are 0/0, "-nan", instead of 0.
  divides_by_no_rate = { false, true },
  -- A file that does not tell its version has that of the file before.
  inherits_version = { false, true },
  -- Execution counts: functions of unknown source come last. GNU gprof compares them with
  -- others by address, which is not a consistent order.
  puts_unknown_sources_last = { true, false },
  -- Annotated source: a line is executed as often as its basic blocks, where these were
  -- counted. For GNU gprof it is the calls, and only the first function of a line counts.
  whole_lines = { true, false },
  -- Annotated source: margins grow to show all counts.
  widens_margins = { true, false },
  -- Annotated source: the last line is ended where the text does not end it.
  ends_last_line = { true, false },
  -- Annotated source: sources of one name go to listings of different names.
  separates_listings = { true, false },
  -- Function order: each function is listed once.
  lists_functions_once = { true, false },
  -- File order: a file is one node of the graph, and the busiest arcs are tied first.
  merges_files = { true, false },

  -- Talking to users --------------------------------------------------------------------

  -- Warnings and hints beyond those of GNU gprof.
  gives_hints = { true, false },
  -- Colours, the pager, the layout for a terminal and the progress of long sums.
  adapts_to_terminal = { true, false },
}

-- The policy of all first or all second answers. An unknown field is a mistake of ours.
local function choose(number)
  local chosen = {}
  for field, pair in pairs(answers) do chosen[field] = pair[number] end
  return setmetatable(chosen, { __index = function(_, field)
    error("no such policy: " .. tostring(field), 2)
  end })
end

--- The policy by default.
policy.default = choose(1)

--- The policy under `--gnu-compat`.
policy.gnu = choose(2)

--- The policy that options choose.
-- @tparam table options `gnu_compat`
-- @treturn table its fields are those of `answers`
function policy.of(options)
  return options.gnu_compat and policy.gnu or policy.default
end

return policy
