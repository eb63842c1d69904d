-- Fuzzes everything from reading a profile file to printing a report, for the image of a fixture.
--
-- Parts: choices (options, and which report); the profile; a symspec; another symspec, a symbol file or a map.
--
-- Properties: data that cannot be read gives a message of one line that begins with the file name. A profile that
-- cannot be built gives a message of one line, and an invalid symspec is a bad argument. Printing a report twice gives
-- the same text of limited size. Functions do not get more time than was sampled.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local gprof = require "gprof"
local program = require "program"

local REPORTS <const> = { "flat", "graph", "index", "bsd.flat", "bsd.graph", "bsd.index", "executions", "annotation",
  "function_order", "info" }
local FORMATS <const> = { "auto", "magic", "bsd", "4.4bsd", "prof" }
local MAX_TEXT <const> = 1 << 20 -- bytes

local flag <const> = { false, true }

-- Chooses the options of a profile.
local function choose_profile(choose, include, last)
  local options = {
    line = choose { false, true, "all", false }, static_call_graph = choose(8) == 7, gnu_compat = choose(flag),
    display_unused_functions = choose(flag), no_static = choose(flag), ignore_non_functions = choose(flag),
    no_demangle = choose(flag),
  }
  local stage = choose { "graph", "flat", "time", "executions", "annotation" }
  if #include > 0 then options.include = { [stage] = { include } } end
  local meant = choose { "exclude", "exclude", "exclude", "exclude", "external_symbol_table", "file_ordering" }
  if meant ~= "exclude" then
    options[meant] = fuzz.file(last, 1)
  elseif #last > 0 then
    options.exclude = { [stage] = { last } }
  end
  return options
end

local function choose_report(choose, profile_options)
  return {
    brief = choose(flag), color = choose(flag), all_lines = choose(flag), annotate_time = choose(flag),
    inline_file_names = choose(flag), print_path = choose(flag), width = choose(256) + 1, min_count = choose(256),
    table_length = choose(256), gnu_compat = profile_options.gnu_compat,
    display_unused_functions = profile_options.display_unused_functions,
    directory_path = { program.directory }, warn = function(message) checks.message(message) end,
  }
end

-- The reports that need a histogram. Without it, they raise a message.
local needs_histogram <const> = { flat = true, ["bsd.flat"] = true }

-- Returns a report's text, or the message that it raises.
local function printed(profile, data, name, options)
  local parts, size = {}, 0
  local done, message = pcall(profile.report, profile, name, options, function(text)
    parts[#parts + 1], size = text, size + #text
    assert(size < MAX_TEXT, "the report is too long")
  end)
  if needs_histogram[name] and not data.has_histogram then
    assert(not done and size == 0, "a report without the records that it needs")
    checks.message(message)
    return message
  end
  assert(done, message)
  return table.concat(parts)
end

-- Returns the most samples that functions can get. As in GNU gprof, a bin covers whole units of two bytes: a bin of
-- 3.99 bytes covers two units, and these get slightly more samples than the bin has.
local function most_samples(data)
  local samples, most = 0, 1
  for histogram in data:histograms() do
    local units = histogram.bin_size / 2
    most = units > 0 and math.max(most, math.ceil(units + 1e-6) / units) or most
    for _, count in histogram:bins() do samples = samples + count end
  end
  return samples * most
end

local function check_times(profile, data)
  local ticks = 0
  for id, own in profile:functions("id", "id", "ticks") do
    assert(id > 0 and own >= 0)
    ticks = ticks + own
  end
  assert(ticks <= most_samples(data) * (1 + 1e-9) + 1e-6, "functions have more samples than the histograms")
  for percent in profile:entries(nil, "graph_percent") do
    assert(percent >= 0 and percent <= 100 + 1e-6, percent)
  end
end

return function(choices, file, include, last)
  local choose = checks.chooser(choices)
  local path = fuzz.file(file)
  local data <close>, message = gprof.data(program.image, path,
    { file_format = choose(FORMATS), mixed_rates = choose(flag) })
  if not data then
    return checks.message(message, path)
  end
  local options = choose_profile(choose, include, last)
  local done, profile, problem = checks.misused(gprof.profile, program.image, data, options)
  if not done then return end
  if not profile then
    return checks.message(problem)
  end
  local name, shown = choose(REPORTS), choose_report(choose, options)
  assert(printed(profile, data, name, shown) == printed(profile, data, name, shown), "the second report differs")
  check_times(profile, data)
  profile:close()
end
