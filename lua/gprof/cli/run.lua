--- Does what the settings request: reads the image and the profiles, checks that they
-- match and have the records for the requested output, and prints.
--
-- A run is a table with these fields, in the order in which they are set:
--
-- - `settings`, from `command_line.read`;
-- - `image`; `data`, the sum of the profiles; `name`, the profiles' name in messages;
--   `skipped` and `added`, the numbers of bad and of good profiles; `paths`, the good
--   ones; `contexts`, the sum of their context profiles, if they were added up already;
--   `checkpoint`, if there is one;
-- - `chosen`, the styles of the output; `printed`, these styles and the reports requested
--   by name;
-- - `profile`; `of_tree`, the profile in which the roots of the call tree are looked up.
--
-- @internal gprof.cli.run
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local pages = require "gprof.print.pages"
local policy = require "gprof.library.policy"
local profile_files = require "gprof.library.files.profile_files"

local raise <const>, need <const> = failure.raise, failure.need

-- Names from debugging information may contain line breaks.
local function warn(message)
  message = message:gsub("\n", "\\n")
  require "gprof.format.terminal".tell("gprof.lua: warning: " .. message)
end

-- Reading -------------------------------------------------------------------------------

-- Finds the reports requested by name, before any file is read.
local function find_reports(settings)
  for i, name in ipairs(settings.reports) do
    settings.spread = settings.spread or name == "spread"
    settings.reports[i] = {
      name = name, print = need(require "gprof.reports".find(name)),
    }
  end
end

-- Returns the path of the only profile. Nil if there may be several, or if bad ones are
-- skipped.
local function only_profile(settings)
  local path = settings.operands[2] or defaults.profile_path(settings)
  if settings.operands[3] or settings.profiles_from[1] or settings.keep_going or
    settings.spread or settings.checkpoint or
    settings.sum_target and settings.sum_target.is_new
  then
    return nil
  end
  local may_be_directory =
    settings.operands[2] and policy.of(settings).reads_directories
  if may_be_directory and core.file_status(path) == "directory" then return nil end
  return path
end

-- Whether the output shows times. Default reports, which no style requests, do.
local function shows_times(settings)
  local requested = false
  for _, wanted in pairs(settings.styles) do requested = requested or wanted end
  return not requested or pages.about_functions(settings.styles) or
    settings.reports[1] or settings.exports[1]
end

local function data_options(settings)
  local rules = policy.of(settings)
  return {
    file_format = defaults.input_format(settings),
    mixed_rates = rules.adds_mixed_rates,
    assume_proportional = settings.assume_proportional or not rules.measured_times or
      not shows_times(settings),
    debug = settings.debug,
    slide = settings.slide,
    external_symbol_table = settings.slide and settings.external_symbol_table,
  }
end

-- Appends a profile to those that the command line names, unless it is one of them.
local function append_profile(settings, path)
  local list = settings.profiles or require "gprof.cli.sum.profile_list".find(settings)
  local files = require "gprof.library.files.file_set".new()
  for _, named in ipairs(list) do files:add(named) end
  settings.profiles = list
  if files:contains(path) then return end
  require "gprof.cli.sum.profile_list".append(list, path)
  table.insert(list.named, 1, path)
  table.insert(settings.operands, 2, path)
end

-- The profile of a Lua program contains what stands for the program. As the first
-- operand, it is both, alone or with other such profiles. Returns all of them.
local function add_first_profile(settings, path)
  local first = settings.operands[1]
  if first and (settings.operands[2] or settings.profiles_from[1]) then
    append_profile(settings, first)
  elseif first then
    table.insert(settings.operands, 2, first)
  end
  settings.profiles = settings.profiles or
    require "gprof.cli.sum.profile_list".find(settings)
  return table.move(settings.profiles, 1, #settings.profiles, 2, { path })
end

local function read_files(run)
  local settings, image = run.settings, defaults.image_path(run.settings)
  if profile_files.is_context_profile(image) then
    image = add_first_profile(settings, image)
  end
  if settings.threads then
    require "gprof.cli.options.rules".check("reading", settings)
  end
  local problem
  run.image, problem =
    gprof.image(image, { debug_dir = settings.debug_dir, warn = warn })
  if not run.image then
    raise("%s", require "gprof.cli.advice.hints".program(settings, problem))
  end
  local options, path = data_options(settings), only_profile(settings)
  if path then
    local data, message = gprof.data(run.image, path, options)
    if not data then
      local hints = require "gprof.cli.advice.hints"
      raise("%s", hints.profile(settings, run.image, path, message))
    end
    run.data, run.name, run.skipped, run.added, run.paths = data, path, 0, 1, { path }
  else
    run.data, run.name, run.skipped, run.added, run.paths, run.contexts,
      run.checkpoint =
      require "gprof.cli.sum.inputs".read(run.image, settings, options, warn)
  end
  if settings.slide == "auto" then require "gprof.cli.slides".print(run.data) end
end

-- An image that was modified while it was read may have been read incompletely.
local function check_unchanged(image)
  local changed = core.changed_file(image)
  if changed then raise("%s: changed while it was read", changed) end
end

-- Selecting the output ------------------------------------------------------------------

-- An export on standard output is printed alone. Options of reports then only contribute
-- their symspecs, which select functions for the export.
local function choose_styles(settings, data)
  if not settings.exports[1] then
    return pages.choose(settings.styles, data, settings.reports)
  elseif require "gprof.cli.exports".is_printed(settings.exports) then
    settings.reports = {}
    return { sum = settings.styles.sum }
  end
  return settings.styles
end

local function select_styles(run, data)
  run.chosen = choose_styles(run.settings, data)
  run.printed = pages.printed(run.chosen, run.settings.reports)
end

-- Styles that print nothing of a profile without records.
local print_counts <const> = { annotation = true, executions = true }

-- Whether something can be made from an empty profile: requested reports and exports, but
-- not default reports, nor what only prints counts.
local function may_be_empty(settings)
  for style, is_chosen in pairs(settings.styles) do
    if not (is_chosen and print_counts[style]) then return true end
  end
  return settings.reports[1] or settings.exports[1]
end

-- Fails if the output would be empty for lack of records.
local function check_not_empty(run, data)
  local settings = run.settings
  if data.has_histogram or data.has_arcs or may_be_empty(settings) then return end
  if not policy.of(settings).refuses_empty_profiles then return end
  if data.block_records > 0 and next(settings.styles) then return end
  if data.block_records > 0 then
    raise("%s: has only basic-block counts: print them with -l and -A or -C",
      run.name)
  end
  raise("%s: has neither a histogram nor arcs", run.name)
end

-- Checks that data has the records of everything that is printed.
local function check_records(run, data)
  local exports = run.settings.exports
  local lack = pages.lack(run.printed, data) or
    exports[1] and require "gprof.cli.exports".lack(exports, data)
  if lack then raise("%s: %s", run.name, lack) end
end

local function warn_if_nothing_is_printed(run)
  for _, is_printed in pairs(run.printed) do
    if is_printed then return end
  end
  if run.settings.exports[1] or not policy.of(run.settings).gives_hints then return end
  warn("nothing to print: the options exclude every report")
end

-- Custom reports may use any option.
local function warn_of_unused_options(run)
  local settings = run.settings
  if settings.reports[1] or not settings.has_options then return end
  if not policy.of(settings).gives_hints then return end
  require "gprof.cli.options.unused_options".warn(settings, run.printed, warn)
end

-- Opens the libraries of --with. Returns which records the program or a library has.
local function add_libraries(run)
  local libraries = require "gprof.cli.libraries"
  libraries.open(run, warn)
  local records = libraries.records(run)
  select_styles(run, records)
  return records
end

local function select_output(run)
  select_styles(run, run.data)
  local records = run.settings.with and add_libraries(run) or run.data
  check_not_empty(run, records)
  check_records(run, records)
  if run.printed.threads then require "gprof.cli.recorded".check_list(run.data) end
  warn_if_nothing_is_printed(run)
  warn_of_unused_options(run)
  if run.data.block_records == 0 or run.settings.line then return end
  if run.printed.annotation or run.printed.executions then
    warn("basic-block counts are printed only with -l (--line)")
  end
end

-- Whether the output shows functions, and not only files or records.
local function is_about_functions(run)
  return pages.about_functions(run.printed) or run.settings.exports[1] ~= nil
end

-- The profile ---------------------------------------------------------------------------

-- Returns which lines a profile by line must contain: true for the lines with records;
-- "all" if the output also depends on other lines. Reports beside a sum are by line, as
-- GNU gprof's are, but not with comparisons and exports, which it lacks.
local function needed_lines(settings, printed)
  local by_function = settings.compare[1] or settings.exports[1]
  if not (settings.line or settings.styles.sum and not by_function) then return nil end
  local all = settings.display_unused_functions or settings.static_call_graph or
    settings.include or settings.exclude or printed.annotation or
    policy.of(settings).ranks_unused_lines and (printed.graph or settings.traditional or
      printed.executions or printed.function_order or printed.file_order)
  return all and "all" or true
end

-- Sets the profile of a run. The call tree is by function, which may be an inlined one.
local function set_profile(run, profile)
  local of_tree = run.settings.tree_roots and run.settings.inlines
  run.profile, run.of_tree = profile, of_tree and profile:by_function(true) or profile
end

-- The roots of the call tree are looked up when it is printed, which is too late to fail.
-- The functions that --fail-on names are looked up here.
local function check_roots(run)
  for _, spec in ipairs(run.settings.tree_roots or {}) do
    if not run.of_tree:find(spec) then run.settings.missed(spec) end
  end
  if run.settings.fail_on then
    require "gprof.cli.compare_args".select(run.settings, run.profile)
  end
end

-- Returns the message that the context profile of a gmon.out is missing; nil if none is
-- missing, or wanted. Without any call path, the first profile stands for all.
local function missing_contexts(run)
  local data, settings = run.data, run.settings
  if not policy.of(settings).measured_times or settings.assume_proportional or
    data.call_paths == "complete" then return nil end
  for i = 1, data.call_paths and #data.files or math.min(1, #data.files) do
    local path = data.files[i].path
    if path and profile_files.contexts_id(profile_files.head(path)) then
      local missing = require "gprof.library.files.context_files".missing(path)
      if missing then return missing end
    end
  end
  return nil
end

-- Makes the profile. Fails if a symspec matches nothing: without that symspec, reports
-- would show more than the user asked for.
local function make_profile(run)
  local settings = run.settings
  if run.image.has_scripts then
    require "gprof.cli.advice.interpreted".leave_out(settings, warn)
  end
  settings.line = needed_lines(settings, run.printed)
  settings.idle_blocks = run.printed.annotation or
    run.printed.executions and settings.display_unused_functions
  settings.libraries = run.data.call_paths == "complete" and
    require "gprof.cli.recorded".shows_libraries(run)
  settings.missed = function(spec) require "gprof.cli.advice.missed".report(run, spec) end
  if settings.update_baseline and run.skipped > 0 then
    raise "bad profiles skipped: the baseline was not written"
  end
  local profile, message =
    gprof.profile(run.image, run.data, arguments.pick(settings, "profile"))
  if not profile then  -- a context profile allows for a program without symbols
    local missing = core.lacks_symbols(run.image) and missing_contexts(run)
    raise("%s", missing and missing .. ", since the program has no symbols" or message)
  end
  set_profile(run, profile)
  if settings.threads then check_records(run, run.profile.data) end
  check_roots(run)
  if run.missed then failure.stop() end
end

-- In a matching profile, nearly all callees are function entries. If their fraction is
-- lower than this, all addresses may be off by a constant.
local MOVED <const> = 0.5

-- Subtracts the slide if most callees are not function entries, and if the slide can be
-- inferred: the program may have been loaded at another address than it was linked for.
local function correct_slide(run)
  local profile, data = run.profile, run.data
  if data.shared then return end
  if not profile.foreign and core.sampled_entries(profile.symbols, data) >= MOVED then
    return
  end
  set_profile(run,
    need(require "gprof.cli.slides".correct(profile, data, run.settings, run.name)))
end

-- Refuses the profile of another program, which would give empty reports. Accepts a
-- profile whose only records are calls into libraries, although its reports are also
-- empty.
local function check_belongs(profile, name)
  if not profile.foreign or
    require "gprof.library.libraries.external_calls".is_all(profile) then
    return
  end
  require "gprof.cli.advice.diagnosis".refuse(profile.image, profile.data, name)
end

-- Warns about code without symbols.
local function warn_of_gaps(profile, name, settings)
  local image = profile.image
  local is_stripped = core.lacks_local_symbols(image) and
    core.uncovered_arcs(image, profile.symbols, profile.data) > 0 and
    require "gprof.cli.advice.diagnosis".warn_stripped(profile, name, settings, warn)
  if not is_stripped and (profile.uncovered or 0) ~= 0 then
    require "gprof.cli.advice.diagnosis".warn_uncovered(profile, warn)
  end
end

-- Whether the program was rebuilt without -pg after the profile was written.
local function lost_profiling(profile)
  return profile_files.are_older(profile.data.files, profile.image.path) and
    require "gprof.library.fit".lost_profiling(profile)
end

-- Refuses symbols of other code.
local function check_symbols(profile, settings)
  local path = settings.external_symbol_table
  local reason = path and
    require "gprof.library.fit".symbols_mismatch(profile, profile.data)
  if not reason then return end
  raise("%s: does not have the symbols of the profiled code: %s; for a kernel, read " ..
    "/proc/kallsyms in the boot that was profiled", path, reason)
end

-- Checks that a profile is from its image, and from the same build.
local function check_fit(profile, name, settings)
  check_symbols(profile, settings)
  check_belongs(profile, name)
  if profile:mismatch() or lost_profiling(profile) then
    require "gprof.cli.advice.diagnosis".tell_mismatch(profile, name, settings, warn)
  else
    warn_of_gaps(profile, name, settings)
  end
end

-- Warns if call paths were recorded, but cannot be used for times that are printed.
local function warn_of_estimates(run)
  local data, problem = run.data, nil
  if not run.settings.exports[1] and
    not pages.show_callees(run.printed, run.settings.line)
  then
    return
  end
  for _, file in ipairs(data.files) do problem = problem or file.problem end
  if not problem and data.call_paths == "partial" then
    problem = run.name .. ": lacks some call paths"
  end
  if not problem then return end
  local remedy = require "gprof.library.files.context_files".remedy(problem)
  warn(problem .. ": the time of callees is estimated" .. remedy)
end

-- Checks that the profile belongs to its image, and warns about unknown code and callers.
local function check_profile(run)
  local settings = run.settings
  if run.printed.verify then
    settings.verdict = run.profile:verify(settings.directory_path)
  elseif is_about_functions(run) and
    (policy.of(settings).checks_profile or settings.fail_on or settings.update_baseline)
  then
    correct_slide(run)
    check_fit(run.profile, run.name, settings)
    local missing = missing_contexts(run)
    if missing then
      warn(missing .. "; libraries and call paths are not shown")
    else
      warn_of_estimates(run)
    end
  end
  local profile, data = run.profile, run.data
  if settings.with then require "gprof.cli.libraries".warn_unknown(profile, warn) end
  if settings.libraries then require "gprof.cli.recorded".warn(profile, warn) end
  if data.shared then
    require "gprof.cli.libraries".check_data(profile.image, data, profile.symbols,
      settings, run.name, warn)
  end
end

-- Stores the requested comparison in the settings, where reports find it.
local function compare(run)
  local settings = run.settings
  if not settings.compare[1] then return end
  local function check(profile, name) check_fit(profile, name, settings) end
  local skipped
  local compare_with = require "gprof.cli.compare_args".compare
  settings.comparison, settings.failures, skipped =
    compare_with(settings, run.profile, run.added, check, warn)
  run.skipped = run.skipped + skipped
end

-- Gives hints about why records are missing.
local function explain_missing_records(run)
  local settings, chosen = run.settings, run.chosen
  if settings.brief or not policy.of(settings).gives_hints then return end
  if run.profile.odd then
    require "gprof.cli.advice.diagnosis".explain(run.profile, chosen, settings)
  end
  if run.data.has_arcs and require "gprof.library.collection".may_lose_calls(run.profile)
  then
    require "gprof.cli.advice.diagnosis".explain_lost_calls(run.profile, chosen)
  end
end

-- Tells if lines are to be printed, but the image has none. Then there is no annotated
-- source, and other reports are by function. With -s, profiles are by line without -l.
local function check_lines(run)
  local settings = run.settings
  local annotates = run.printed.annotation or run.printed.lines
  if not policy.of(settings).gives_hints then return end
  local by_line = settings.line and not run.chosen.sum and not settings.brief
  if annotates or by_line then
    require "gprof.cli.advice.diagnosis".explain_lines(run.profile, annotates and warn)
  end
end

-- Writing -------------------------------------------------------------------------------

-- Reads the profiles, checks them, and writes their sum. In the sandbox, the file of the
-- sum is locked already.
local function read_and_sum(run)
  local settings = run.settings
  local _ <close> = settings.styles.sum and not settings.sum_target and
    require "gprof.cli.sum.sum_target".open(settings)
  read_files(run)
  if run.data.shared and not policy.of(settings).reads_all_formats then
    raise("%s: is a shared library's profile, which GNU gprof does not read", run.name)
  end
  if run.data.full_bins > 0 and policy.of(settings).checks_profile then
    require "gprof.cli.advice.diagnosis".warn_full(run.image, run.data, run.name, warn)
  end
  select_output(run)
  if run.chosen.sum or settings.exports[1] then
    require "gprof.cli.overwrite".check(settings, run.image, run.data,
      run.chosen.sum and defaults.sum_path(settings) or nil)
  end
  if run.checkpoint then settings.sum_target.outdated = run.checkpoint:outdated() end
  if run.chosen.sum then require "gprof.cli.sum.written_sum".write(run, warn) end
end

-- Demangles the names of a large profile with threads, if all of them are needed.
local function demangle_ahead(run)
  local printed = run.printed
  if (printed.flat or printed.graph) and not run.settings.top or run.settings.exports[1]
  then
    core.demangle_ahead(run.profile, run.settings.jobs)
  end
end

local function print_output(run, write)
  local settings, exports = run.settings, run.settings.exports
  demangle_ahead(run)
  settings.warn = warn
  if not policy.of(settings).extends_reports then
    settings.errors, settings.sort, settings.short_names = nil, nil, nil
    settings.bounds = nil
  end
  local options = arguments.pick(settings, "report")
  pages.print(run.chosen, settings.reports, run.profile, options, write)
  if exports[1] then
    options.file_format = defaults.input_format(settings)
    options.selecting = require "gprof.cli.options.selecting"(settings.given)
    local is_shown = not settings.no_progress and policy.of(settings).adapts_to_terminal
    require "gprof.cli.exports".write(exports, run.profile, options, write, is_shown)
  end
end

-- Checks what can be checked before any file is read. A spread is a report, or with -s
-- the file beside the sum.
local function check_options(settings)
  settings.styles.sum = settings.by_build or settings.styles.sum
  if settings.has_own_options then
    require "gprof.cli.options.rules".check("reports", settings)
  end
  if settings.exports[1] then require "gprof.cli.exports".check_compared(settings) end
  if settings.spread and not settings.styles.sum then settings.styles.spread = true end
  if settings.checkpoint then require "gprof.cli.sum.checkpoint".check(settings) end
end

--- Reads, checks and prints what the settings request.
-- @tparam table settings as `command_line.read` returns them
-- @tparam stream write
-- @treturn integer the number of bad profiles, which were skipped
-- @treturn {string,...} a line about each regression
-- @treturn boolean whether --verify finds that image, profile and source do not match
-- @raise a table with the field `message`
return function(settings, write)
  local run = { settings = settings }
  check_options(settings)
  find_reports(settings)
  if settings.by_build then
    require "gprof.cli.options.rules".check("builds", settings)
    return require "gprof.cli.sum.by_build".run(settings, warn), {}
  end
  read_and_sum(run)
  if run.chosen.sum and not is_about_functions(run) then  -- otherwise check_fit warns
    require "gprof.cli.sum.written_sum".check(run, warn)
  end
  if not (run.printed.info or is_about_functions(run)) then return run.skipped, {} end
  make_profile(run)
  check_profile(run)
  if not settings.compare[1] then  -- the old program may have these calls
    for _, spec in ipairs(run.profile:unmatched_calls()) do settings.missed(spec) end
    if run.missed then failure.stop() end
  end
  if settings.given_to and not settings.compare[1] then
    require "gprof.cli.advice.selected".explain(run, warn)
  end
  compare(run)
  if settings.exports[1] then
    require "gprof.cli.overwrite".check_source(settings, run.profile)
  end
  local unbounded = settings.bounds and run.profile:bounds_problem()
  if unbounded then warn(("--bounds: there are no bounds: %s"):format(unbounded)) end
  if settings.inlines then require "gprof.cli.advice.inlines".warn(run, warn) end
  check_lines(run)
  explain_missing_records(run)
  check_unchanged(run.image)
  print_output(run, write)
  check_unchanged(run.image)
  local regressions = settings.fail_on and
    require "gprof.cli.compare_args".lines(settings, run.profile) or {}
  return run.skipped, regressions, settings.verdict and not settings.verdict.belongs
end
