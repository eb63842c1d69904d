--- Profiles: combine data with the functions of an image.
--
-- @module gprof.profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local failure = require "gprof.library.failure"
local image_options = require "gprof.library.options.image_options"
local policy = require "gprof.library.policy"
local symbol_tables = require "gprof.library.symbol_tables"

-- What the library keeps of a profile: `options`, with which it was made;
-- `unmatched_calls`, the symspecs of calls that match no call; `bounds_problem`, why
-- there are no bounds of inclusive times; `threads`, the option; `unusable`, the
-- libraries whose functions are unknown; `program_data`, the program's own data, if the
-- profile has more; and `unknown_callers` (see merged_objects.lua).
local state_of <const> = core.state

-- Whether to compute bounds of inclusive times, and why it is not possible.
local function bounds_options(image, data, options)
  if not options.bounds or not policy.of(options).extends_reports then return false end
  local problem = require "gprof.library.bounds".problem(image, data, options)
  return not problem, problem
end

-- Whether inlined functions can be shown. They are looked up in the image, so its own
-- symbols are needed.
local function can_show_inlines(options)
  return policy.of(options).extends_reports and
    not (options.external_symbol_table or options.file_ordering)
end

-- Finds the functions and calls that symspecs select, and then reports those that select
-- none: what is called may close the image and the data.
local function resolve_symspecs(symbols, lines, data, options, trace)
  if lines and options.inlines and can_show_inlines(options) then
    local message
    symbols, message = core.inlined_symbols(symbols, data)
    if not symbols then return nil, message end
  end
  local missed = {}
  local selections = require "gprof.symspec".resolve(symbols, lines, options,
    function(spec) missed[#missed + 1] = spec end, trace)
  for _, spec in ipairs(options.missed and missed or {}) do options.missed(spec) end
  return selections
end

-- Options with which functions are not those of the image alone, or the figures not those
-- of whole runs. Then functions have no spread.
local without_spread <const> = { "no_static", "ignore_non_functions",
  "external_symbol_table", "file_ordering", "gnu_compat", "line", "threads" }

-- Gives the functions of a profile the spread of its data, if there is one.
local function add_spread(profile, data, options)
  local spread = core.spread_of(data)
  if not spread or profile.has_inlines then return end
  for _, name in ipairs(without_spread) do
    if options[name] then return end
  end
  core.attach_spread(profile, spread)
end

--- Makes a profile from an image and data: `gprof.profile(image, data [, options])`.
-- @function gprof.profile
-- @tparam image image
-- @tparam data data
-- @tparam[opt] table options
--
--   - the options of `gprof.image` that choose functions, to override the image's own:
--     all but `debug_dir` and `warn`;
--   - `assume_proportional`: divide the time of callees in proportion to calls, even if
--     the data has the call paths of all samples;
--   - `static_call_graph`: add calls found in the machine code, with a count of 0;
--   - `line`: make a profile by line, where lines are listed among the functions: `true`
--     for lines with recorded samples, calls or blocks, "all" for all lines (with "all",
--     inlined functions in lines without records are found only if
--     `display_unused_functions` is set, which is slow);
--   - `idle_blocks`: also find the basic blocks that never ran, in the machine code; they
--     have a count of 0. Needs `line = "all"`; ignored with `gnu_compat`;
--   - `bounds`: compute the bounds `total_low` and `total_high` of functions and cycles,
--     from the calls and the machine code; see `profile:bounds_problem`. Ignored with
--     `gnu_compat`;
--   - `include`, `exclude`: tables of arrays of symspecs. Their keys are what the
--     symspecs restrict: `flat`, `graph`, `time`, `annotation`, `executions`, or `arcs`
--     for calls, FROM/TO (see gprof.symspec);
--   - `with`: array of shared libraries to show with the program, each with its `image`,
--     its `data`, and a `name` (default: its file name), which is appended to the names
--     of its functions after an "@"; not for profiles by line;
--   - `inlines`: functions that were inlined are functions of their own: their time is
--     not that of the functions around them (`profile.has_inlines`). In a profile by
--     line, symspecs select the lines of such functions wherever they were inlined, and
--     `frames` is implied. Needs debugging information; ignored with
--     `external_symbol_table`, `file_ordering` and `gnu_compat`;
--   - `frames`: in a profile by line, `profile:frames` tells where each line was inlined
--     (`profile.has_frames`). Ignored where `inlines` is;
--   - `libraries`: also show the functions of the shared libraries that were recorded, if
--     the data has the call paths of all samples, and if no other option prevents it;
--     `profile.has_libraries` tells. See `profile:unusable_libraries`;
--   - `threads`: show only these threads: an array of numbers, names and globs of names,
--     all strings, and of threads from `profile:threads`;
--   - `missed`: function called with each symspec that names no function, and with each
--     FROM/TO of which a side names none;
--   - `gnu_compat`: behave like GNU gprof, also in the search for static calls;
--   - `debug`: trace the work on standard error. The value is a sum of 2 (numbering of
--     functions, depth first), 4 (cycles), 16 (tally of calls), 32 (order of callers and
--     callees), 64 (records), 128 (symbols), 256 (static calls), 512 (lookups of
--     addresses), 1024 (propagation of time), 2048 (blocks) and 4096 (symspecs)
-- @treturn[1] profile
-- @return[2] nil
-- @treturn[2] string what is wrong
local function make(image, data, options)
  arguments.check(image, "gprof.image", 1, "profile")
  arguments.check(data, "gprof.data", 2, "profile")
  options = arguments.options(options, 3, "profile")
  options = image_options.complete(image, options)
  local trace = arguments.trace(options)
  local symbols, message = symbol_tables.of(image, options, trace, data.shared,
    data.call_paths ~= nil)
  if not symbols then return nil, message end
  local lines, selections, opcodes, unknown
  local own_data, problems = data, nil
  if options.threads or options.libraries and data.call_paths == "complete" then
    local recorded = require "gprof.library.libraries.recorded"
    symbols, data, problems = recorded.select_records(image,
      symbols, data, options, trace)
    if not symbols then return nil, data end
  end
  if options.with then
    local merge = require "gprof.library.libraries.merged_objects".merge
    symbols, data, unknown = merge(image, symbols, data, options, trace)
    if not symbols then return nil, data end
  end
  if options.inlines and not options.line and can_show_inlines(options) then
    symbols, message = core.inlined_symbols(symbols, data)
    if not symbols then return nil, message end
  end
  options.idle_blocks = options.idle_blocks and options.line == "all" and
    data.block_records > 0 and policy.of(options).finds_idle_blocks
  local problem
  options.bounds, problem = bounds_options(image, data, options)
  if options.static_call_graph or options.idle_blocks or options.bounds then
    opcodes, message = require "gprof.library.native".load "gprof.opcodes"
    if not opcodes then return nil, "the " .. message end
  end
  if options.line then
    lines, message = core.lines(symbols, data, options.line == "all",
      options.display_unused_functions or not policy.of(options).recorded_lines_only,
      (options.inlines or options.frames) and can_show_inlines(options))
    if not lines then return nil, message end
  end
  if options.include or options.exclude then
    selections, message = resolve_symspecs(symbols, lines, data, options, trace)
    if message then return nil, message end
    arguments.check(image, "gprof.image", 1, "profile")
    arguments.check(own_data, "gprof.data", 2, "profile")
  end
  local profile
  profile, message = core.profile(lines or symbols, data, options, selections, opcodes)
  if not profile then return nil, message end
  add_spread(profile, own_data, options)
  local state = state_of(profile)
  state.options, state.bounds_problem, state.threads = options, problem, options.threads
  state.unusable, state.unknown_callers = problems, unknown
  state.program_data = data ~= own_data and own_data or nil
  state.unmatched_calls = selections and
    require "gprof.symspec".unmatched_calls(profile, selections)
  return profile
end

--- A profile: functions with their samples and calls.
--
-- The field `id` numbers functions and cycles in one sequence, arcs in another. What is
-- unknown is nil; reading a field that an object cannot have raises an error.
--
-- Iterators (`functions`, `entries`, `cycles`, `callers` ...) take an order and names of
-- fields, both optional.
--
-- An order is the name of a field, or a function that takes two objects and returns true
-- if the first one comes first. Names, positions and numbers (`name`, `symbol`, `file`,
-- `line`, `address`, `id` ...) sort in ascending order, amounts in descending order; true
-- comes before false, and nil last. Equal elements stay in the iterator's default order,
-- which is also used if the order is nil. A function that is an order must not yield.
--
-- Without field names, an iterator yields objects. With field names, it yields the values
-- of these fields and creates no objects. If the first field of a row is nil, the
-- iterator raises an error, because a nil would end the loop.
--
--     for f in profile:functions("calls") do print(f.name, f.calls) end
--     for name, calls in profile:functions("calls", "name", "calls") do
--       print(name, calls)
--     end
--
-- @type profile

--- Fields of a profile.
-- @table fields
-- @tfield number|nil rate samples per second (or per unit); nil without a histogram
-- @tfield string|nil unit what the histogram counts: "seconds"
-- @tfield string|nil abbreviation "s"; may be empty
-- @tfield number|nil total seconds sampled, except in profiling code
-- @tfield number|nil total_error statistical error of `total`, see `profile:error_of`
-- @tfield number total_ticks `total` in periods of the sampling clock
-- @tfield number ticks_per_sample mean number of these periods for which a sample counts:
--   more than 1 if the recorder's timer was late. 1 if that is unknown
-- @tfield number|nil cpu processor time in seconds, by the recorder; nil if unknown
-- @tfield number coverage the part of this time for which samples stand, if that is less
--   than 0.95 and not by chance; otherwise 1
-- @tfield number|nil path_share the part of the samples whose call paths are complete, in
--   a recorded program without `-pg`. Measured times of callees may lack the others
-- @tfield integer clocks which clocks took the samples: flags, see doc/contexts.md
-- @tfield number recorder_share the part of all samples that fell in the recorder
-- @tfield number sampled_ticks samples in all histograms
-- @tfield number met_ticks samples that fell in functions
-- @tfield number graph_ticks samples that are included in the call graph
-- @tfield number recorded_ticks samples in all code, whichever functions are selected
-- @tfield number unknown_ticks samples in code without a symbol
-- @tfield number|nil uncovered seconds in code past the end of one symbol and before the
--   next; reports attribute these seconds to the preceding function. Nil without a
--   histogram, with `gnu_compat`, and if the sizes of symbols are unknown
-- @tfield number|nil bin_size bytes of code per bin of the histogram, usually a fraction;
--   reports round it down to a multiple of 2
-- @tfield integer arc_count number of arcs in the call graph
-- @tfield boolean has_bounds whether there are bounds of total times (option `bounds`)
-- @tfield boolean has_inlines whether inlined functions are functions (option `inlines`)
-- @tfield boolean has_frames whether `profile:frames` knows where lines were inlined (by
--   line, options `inlines` and `frames`)
-- @tfield boolean has_libraries whether there are functions of shared libraries (options
--   `libraries` and `with`)
-- @tfield boolean exact whether the children's time of functions and the times of arcs
--   were measured, with call paths; otherwise they are estimates
-- @tfield boolean has_call_paths whether call paths of samples or calls are known
-- @tfield table|nil spread how the runs of the data differ (option `spread` of
--   `gprof.data`): for whole runs, the fields of `spread` below, and `runs`, the number
--   of runs; `skipped`, that of sums without a spread, which are left out. Nil with the
--   options `line`, `inlines`, `threads`, and those that change the image's functions
-- @tfield boolean by_line whether lines are listed among the functions (option `line`)
-- @tfield boolean seeks_frames whether it was made to know where lines were inlined
-- @tfield boolean gnu_compat whether it was computed as by GNU gprof (option
--   `gnu_compat`)
-- @tfield boolean foreign whether no record matches any function of the image
-- @tfield boolean odd whether there are no samples, no calls, or samples in code without
--   a symbol; false without a histogram
-- @tfield integer|nil outside in the profile of a shared library, number of the function
--   `<outside>`: it has no code and stands for all callers outside the library
-- @tfield image image
-- @tfield data data
-- @tfield symbols symbols the functions of the image, see `gprof.image`; in a profile by
--   line, also their lines
-- @tfield {string,...}|nil map_files the object files of the map (option
--   `file_ordering`), in its order

--- Prints a report: `profile:report(name, options, write)`.
-- @function profile:report
-- @tparam string|function name one of
--
--   - the name of a module in gprof.report: `"flat"`, `"graph"`, `"index"`, the same in
--     BSD's layout as `"bsd.flat"`, `"bsd.graph"`, `"bsd.index"`, or `"call_tree"`,
--     `"executions"`, `"annotation"`, `"function_order"`, `"file_order"`, `"info"`,
--     `"lines"`, `"objects"`, `"threads"`, `"verify"`, `"spread"`, `"comparison"`, or a
--     module of your own;
--   - the path of a file that returns a report ("my.lua", "./reports/mine");
--   - the report itself, a function of (profile, options, write)
-- @tparam[opt] table options named like the program's long options, with underscores:
--   `brief`, `width`, `display_unused_functions`, `print_path`, `inline_file_names`,
--   `gnu_compat`, `errors`, `top`, `sort`, `short_names`; for the call tree `tree_roots`
--   (an array of symspecs), `tree_depth`, `tree_threshold`; for the lines with the most
--   time `lines`, their number; for the function order `order_format` ("lld",
--   "call-graph", "gold" or "ld"), a file for a linker, and `heuristic`, a function as
--   for `gprof.linker_order.of_profile`; for the comparison, and exports of it,
--   `comparison`, from `gprof.compare`; for these exports `failures`, from
--   `gprof.compare.failures`; for annotated source
--   `all_lines`, `annotate_time`, `min_count`, `table_length`, `directory_path` (an
--   array), `separate_files`; for the exports `dot` and `svg` `node_threshold`,
--   `edge_threshold`. Other options:
--   `terminal_width`: shorten names to fit this width, unless `full_names` is true;
--   `color`: use colours; `warn`: function called with each warning about source files.
--   Reports of your own can take other options. Those of the library, and its exports,
--   also have the options that the profile was made with
-- @tparam[opt] function|file write takes strings; standard output if absent. The report
--   gets a stream to it (see gprof.output), which is closed when the report returns. The
--   function must not yield; the report may
-- @raise what the report raises, or why writing to the file failed
function core.profile_methods:report(name, options, write)
  return require "gprof.reports".report(self, name, options, write)
end

--- Checks whether image, profile and source belong together.
-- @function profile:verify
-- @tparam[opt] {string,...} directories to search for the source
-- @treturn table an array of checks, and the field `belongs`: true if no check failed and
--   at least one check of addresses passed. A check has the fields
--
--   - `name`: "histogram", "callees", "callers", "samples" (checks of addresses), "image"
--     or "source";
--   - `holds`: true or false; nil if there is nothing to compare;
--   - `text`: the result as a sentence;
--   - `count`, `all`: number of items that passed, and of all items, if items were
--     counted
function core.profile_methods:verify(directories)
  arguments.check_with_data(self, 0, "verify")
  if directories ~= nil then arguments.check(directories, "strings", 1, "verify") end
  return require "gprof.library.verify".all(self, directories)
end

--- Returns evidence that data and image are from different builds of the program. Such a
-- profile shows times and calls for the wrong functions. Unlike `profile:verify`, this
-- method is quick, and ignores when files were modified.
-- @function profile:mismatch
-- @treturn string|nil such as "6 of 10 arcs do not lead to a function entry"; nil without
--   such evidence
function core.profile_methods:mismatch()
  arguments.check_with_data(self, 0, "mismatch")
  local data = (state_of(self).program_data or self.data)
  if not self.odd and core.seem_to_fit(self.image, self.symbols, data) then return nil end
  return require "gprof.library.fit".mismatch(self, data)
end

--- Returns the symspecs FROM/TO in `include` and `exclude` whose functions exist, but do
-- not call each other.
-- @function profile:unmatched_calls
-- @treturn {string,...} sorted; empty with `gnu_compat`
function core.profile_methods:unmatched_calls()
  arguments.check(self, "gprof.profile", 0, "unmatched_calls")
  return { table.unpack(state_of(self).unmatched_calls or {}) }
end

--- Returns the lines of a source file with their counts and times.
-- @function profile:annotate
-- @tparam string file as recorded, or its last components
-- @tparam[opt] {string,...} directories to search for the file
-- @treturn[1] {table,...} the lines of the file, each with the fields
--
--   - `number`;
--   - `text`, including the line ending;
--
--   and, if there is code for the line,
--
--   - `counts`: array of the calls of functions that begin there and the executions of
--     basic blocks, in address order;
--   - `calls`, `blocks`: sums of these calls and of these executions, or nil;
--   - `seconds`: sampled in code of the line;
--   - `seconds_error`: its statistical error, or nil;
--   - `inlined_in`: if `profile.has_frames`, and if some of the seconds are in code that
--     was inlined: an array of the lines that call the line's function there, those with
--     most time first. Each has the `name` of its function, `file`, `line`, and
--     `seconds`, the part of the line's seconds in that code
-- @return[2] nil
-- @treturn[2] string what is wrong: the name is ambiguous or unknown, or the file cannot
--   be read
function core.profile_methods:annotate(file, directories)
  return require "gprof.library.annotation".annotate(self, file, directories)
end

--- Returns the threads to which the profile is restricted.
-- @function profile:selected_threads
-- @treturn {string,...}|nil their numbers and names, as in the option `threads`; nil for
--   all threads
function core.profile_methods:selected_threads()
  arguments.check(self, "gprof.profile", 0, "selected_threads")
  local words, entries = {}, state_of(self).threads
  for i, thread in ipairs(entries or {}) do
    if type(thread) == "table" then
      thread = thread.number > 0 and tostring(thread.number) or thread.name
    end
    words[i] = thread
  end
  return entries and words
end

--- Returns the recorded threads. Threads with the same name and number, of several runs,
-- are one.
-- @function profile:threads
-- @treturn[1] {table,...} the threads, in the order of the profile, each with the fields
--
--   - `name`;
--   - `number`, which the system gave the thread; 0 in sums of context profiles, where
--     threads with the same name are one;
--   - `count`: number of threads, if threads were joined because they ended before the
--     next one started, or because they have the same name;
--   - `ticks`: samples, in the program and in libraries;
--   - `time`: the same in seconds;
--   - `calls`: number of calls;
--   - `selected`: whether the profile is of this thread (option `threads`)
-- @return[2] nil
-- @treturn[2] string why they are not known: the profile has no call paths
function core.profile_methods:threads()
  arguments.check_with_data(self, 0, "threads")
  local recorded = require "gprof.library.libraries.recorded"
  return recorded.threads((state_of(self).program_data or self.data), self.rate,
    state_of(self).threads)
end

--- Returns the shared libraries whose functions are unknown, although the option
-- `libraries` was set. Their time is that of one function, such as `<libx.so.1>`. If no
-- library can be shown at all, there is one item without `path`.
-- @function profile:unusable_libraries
-- @treturn {table,...} the libraries, each with the fields `path` and `problem`, such as
--   "is from another build"
function core.profile_methods:unusable_libraries()
  arguments.check(self, "gprof.profile", 0, "unusable_libraries")
  return { table.unpack(state_of(self).unusable or {}) }
end

--- Returns the objects of the profile: the program, and the libraries whose functions are
-- shown with it, in the order of their addresses.
-- @function profile:objects
-- @treturn {table,...} the objects, each with the fields
--
--   - `name`: the field `object` of its functions; nil for the program;
--   - `path` and `build_id` of its file; nil if unknown;
--   - `image`: its image; nil if its functions are unknown;
--   - `low`, `high`: the addresses of its code in the profile, `high` exclusive.
--     Libraries are moved, so that no addresses overlap;
--   - `slide`: what was added to the addresses in the file;
--   - `offset`: where the code from `low` on is in the file
function core.profile_methods:objects()
  arguments.check(self, "gprof.profile", 0, "objects")
  return require "gprof.library.libraries.object_list".of(self)
end

--- Returns why there are no bounds of inclusive times, although the option `bounds` was
-- set.
-- @function profile:bounds_problem
-- @treturn string|nil such as "the profile is by line"; nil if there are bounds, or if
--   the option was not set
function core.profile_methods:bounds_problem()
  arguments.check(self, "gprof.profile", 0, "bounds_problem")
  return state_of(self).bounds_problem or core.bounds_problem(self)
end

--- Returns the self times of functions in each run, in the order in which the profiles
-- were added.
-- @function profile:run_times
-- @tparam {integer,...} ids of functions
-- @treturn[1] {table,...} for each id an array of seconds
-- @return[2] nil if `profile.spread` is, if there were more than 256 runs, or if sums of
--   runs were added
function core.profile_methods:run_times(ids)
  arguments.check(self, "gprof.profile", 0, "run_times")
  arguments.check(ids, "table", 1, "run_times")
  local addresses = {}
  for i, id in ipairs(ids) do
    arguments.check(id, "integer", 1, "run_times")
    addresses[i] = self:get(id, "address") or -1
  end
  return core.run_times(self, addresses)
end

--- Makes the fields `least_ticks` and `most_ticks` of functions and cycles known: the
-- true time in a function and its callees lies between them. They are the bounds of the
-- option `bounds` where these can be computed; elsewhere they follow from the recorded
-- calls alone, as if no call had been lost. Bounds that are known are kept.
-- @function profile:find_limits
-- @tparam[opt] string how "calls": from the recorded calls alone, which takes less time
function core.profile_methods:find_limits(how)
  arguments.check_with_data(self, 0, "find_limits")
  if how ~= nil and how ~= "calls" then
    arguments.bad(1, "find_limits", 2, "nil or 'calls' expected")
  end
  local decodes = not how and not (self.exact or self.gnu_compat) and
    not require "gprof.library.bounds".problem(self.image, self.data,
      state_of(self).options)
  local opcodes = decodes and require "gprof.library.native".load "gprof.opcodes"
  local done = opcodes and pcall(core.find_limits, self, opcodes)
  if not done then core.find_limits(self) end  -- the code may not be readable
end

--- Makes a profile of the same data with the same options, but by function. Without the
-- argument, functions have the same code as in the profile by line.
-- @function profile:by_function
-- @tparam[opt=false] boolean inlines keep the option `inlines`: inlined functions are
--   functions of their own
-- @treturn profile the profile itself, if it is by function already
-- @raise if memory runs out
function core.profile_methods:by_function(inlines)
  arguments.check(self, "gprof.profile", 0, "by_function")
  local options = {}
  if not self.by_line then return self end
  arguments.check_with_data(self, 0, "by_function")
  for name, value in pairs(state_of(self).options) do options[name] = value end
  options.line, options.missed = nil, nil
  options.frames = nil
  if not inlines then options.inlines = nil end
  return assert(make(self.image, self.data, options))
end

--- Makes a profile of the same data with the same options, but by line; without the
-- libraries of the option `with`. With block counts, it has all lines, so that lines that
-- never ran can be told from lines without code.
-- @function profile:by_lines
-- @tparam[opt] table options those of `gprof.profile`, to replace the profile's; others
--   are ignored
-- @treturn profile the profile itself if it is suitable: by line, without block counts,
--   and made to know where lines were inlined if the options ask for that
-- @raise a table with the field `message`, if memory runs out or a module is missing
function core.profile_methods:by_lines(options)
  arguments.check_with_data(self, 0, "by_lines")
  if options ~= nil then arguments.check(options, "table", 1, "by_lines") end
  local picked = arguments.pick(options or {}, "profile")
  for name, value in pairs(state_of(self).options) do
    if picked[name] == nil then picked[name] = value end
  end
  local has_blocks = self.data.block_records > 0
  local lacks_frames = (picked.inlines or picked.frames) and not self.seeks_frames
  if self.by_line and not has_blocks and not lacks_frames then return self end
  picked.line = (picked.include or picked.exclude or has_blocks) and "all" or true
  picked.idle_blocks = has_blocks
  picked.missed = nil   -- this profile has reported symspecs without a match
  picked.with = nil     -- these libraries cannot be profiled by line
  picked.threads = nil  -- the data has no others
  return (failure.need(make(self.image, self.data, picked)))
end

--- Finds the functions that a symspec names (see gprof.symspec). In a profile by line, a
-- symspec with a line number finds lines; all others find functions.
-- @function profile:find
-- @tparam string spec such as "main", "table.c:find" or "table.c:41"
-- @treturn function,... all matches in address order; nil if nothing matches
function core.profile_methods:find(spec)
  arguments.check(self, "gprof.profile", 0, "find")
  arguments.check(spec, "symspec", 1, "find")
  local symbols, found, seen = self.symbols, {}, {}
  local ids, by_line = require "gprof.symspec".find(symbols, spec)
  for _, id in ipairs(ids) do
    local f = self:node(symbols:owner(id))  -- for a cold part, its function
    if not seen[f] and (by_line or not f.is_line) then found[#found + 1] = f end
    seen[f] = true
  end
  return table.unpack(found, 1, math.max(#found, 1))
end

--- Iterates over all functions, by default in the order of the flat profile: by self time
-- and calls, descending, then by name.
-- @function profile:functions
-- @tparam[opt="self"] string|function order also "sampled": by address, and only the
--   functions that have samples of their own
-- @tparam[opt] string ... fields

--- Iterates over functions and cycles, by default in the order of the call graph: by self
-- and children's time, descending.
-- @function profile:entries
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields that functions and cycles have in common

--- Iterates over the cycles.
-- @function profile:cycles
-- @tparam[opt="number"] string|function order
-- @tparam[opt] string ... fields

--- Iterates over all arcs, including those from a function to itself, by default in the
-- order of their creation.
-- @function profile:arcs
-- @tparam[opt="id"] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the arcs into a function, as in its entry of the call graph, or over
-- the arcs into a cycle from functions outside it. The default order is by propagated
-- time, then calls, both ascending.
-- @function profile:callers
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the arcs out of a function, as in its entry of the call graph, or over
-- the arcs from members of a cycle to functions outside it. The default order is by
-- propagated time, then calls, both descending.
-- @function profile:callees
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the lines of a function in a profile by line. By default the line of the
-- function's entry comes first, the others follow in address order.
-- @function profile:lines
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the basic blocks of a function; in a profile by line, of a line.
-- @function profile:blocks
-- @tparam integer id
-- @treturn function iterator over address and executions, in the order of the data

--- Iterates over the nodes of the measured call tree, callers before callees. There are
-- none unless `profile.exact`. A node is a function, called through all nodes above it.
-- @function profile:stacks
-- @treturn function iterator over the number of a node, the number of its caller's node
--   (0 if there is none), the `id` of its function, and the samples in its own code on
--   this path

--- Iterates over compiled functions with samples, and over the functions that were
-- inlined there, outer ones first. There are none without the option `inlines`, and none
-- if `profile.exact`: `profile:stacks` then has inlined functions.
-- @function profile:inlined_code
-- @treturn function iterator over the number of a node, the number of the node into which
--   it was inlined (0 for a compiled function), the `id` of its function, and the samples
--   in its own code there

--- Returns the functions that a line of a profile by line belongs to: the innermost one,
-- the one into which it was inlined, and so on, up to the function that was compiled.
-- They are known for lines with records, if `profile.has_frames`.
-- @function profile:frames
-- @tparam integer id
-- @tparam[opt] integer most return at most this many frames
-- @treturn {table,...}|nil frames as in `image:frames`, with names as reports show them;
--   nil if they are unknown

--- Returns whether a line of a profile by line is code of a function that was inlined. It
-- is known if `profile:frames` is.
-- @function profile:is_inlined
-- @tparam integer id
-- @treturn boolean

--- Iterates over the members of a cycle, as in its entry of the call graph.
-- @function profile:members
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Finds the contiguous piece of code with the largest part of `profile.uncovered`.
-- @function profile:uncovered_range
-- @treturn integer|nil its first address; nil if there is none
-- @treturn integer its last address
-- @treturn number seconds spent there
-- @treturn function the function to which reports attribute these seconds

--- Returns the function or cycle with a given number.
-- @function profile:node
-- @tparam integer id
-- @return function or cycle

--- Returns fields of the function or cycle with a given number.
-- @function profile:get
-- @tparam integer id
-- @tparam string ... fields
-- @return their values

--- Returns fields of functions as columns.
-- @function profile:columns
-- @tparam {integer,...} ids
-- @tparam string ... fields
-- @treturn table for each field, an array of its values in the order of `ids`

--- Finds the function whose code contains an address.
-- @function profile:lookup
-- @tparam integer address
-- @tparam[opt] string ... fields
-- @return function, or the values of its fields; or nil

--- Returns the statistical error of a sampled time. The error of n samples is the square
-- root of n (GNU gprof's manual, "Statistical Sampling Error"), but at least one sample,
-- because a function without samples may still have run. Two of three runs are within
-- this error of the true time. Fractional samples are as uncertain as the same number of
-- whole samples. If a sample counts for w periods of the clock on average, a time of n
-- periods has n/w samples, and its error is the square root of n*w. If samples stand for
-- the part c < 1 of the processor time (`profile.coverage`), the function may have its
-- share of the rest, `time / c - time`: the error is the square root of the sum of both
-- squares. The error of a sum of times is not the sum of their errors: pass the sum of
-- the times.
-- @function profile:error_of
-- @tparam number time in the profile's unit, such as seconds
-- @treturn number|nil in the same unit; nil without a histogram

--- @section end

--- A function. There is one object for each function of a profile. Four iterators of the
-- profile are also methods of the function, without the argument `id`:
-- `f:callers([order [, field...]])`, `f:callees(...)`, `f:lines(...)` and `f:blocks()`.
--
-- @table function
-- @tfield string name as reports show it: demangled, unless the profile was made with
--   `no_demangle`
-- @tfield string symbol name as in the symbol table
-- @tfield integer|nil address of its entry; nil if it was only inlined
-- @tfield integer|nil size bytes from its entry to the next symbol; nil if it was only
--   inlined
-- @tfield boolean static local to its file
-- @tfield boolean listed selected for the flat profile
-- @tfield boolean tallied selected for execution counts
-- @tfield boolean annotated selected for annotated source
-- @tfield boolean mapped stands for an object file of the map (option `file_ordering`)
--   and has the name of that file
-- @tfield string|nil object name of its shared library; nil for the program, and in
--   profiles of one object
-- @tfield string|nil file source file as recorded
-- @tfield integer|nil line of its entry in that file; if it was only inlined, of its
--   declaration
-- @tfield cycle|nil cycle the cycle it is a member of
-- @tfield integer id its number in the profile
-- @tfield boolean is_cycle false
-- @tfield integer index its position in the call graph: the N of [N]
-- @tfield boolean printed has an entry in the call graph
-- @tfield string reference its number as in other entries: "[7]"; "(7)" if it is not
--   `printed`
-- @tfield boolean is_outside stands for the callers outside a shared library, and has
--   calls of them
-- @tfield boolean used has calls or time in the call graph; reports omit the others
-- @tfield string kind "recursive" if it calls itself, "called" if others call it, or
--   "uncalled"
-- @tfield integer calls recorded calls by other functions
-- @tfield integer self_calls recorded calls by itself
-- @tfield number self seconds in its own code
-- @tfield number|nil self_error statistical error of `self`, see `profile:error_of`
-- @tfield number|nil inlined the part of `self` in code that was inlined into other
--   functions; nil without the option `inlines`
-- @tfield number percent `self` as a percentage of the total time
-- @tfield number children seconds in its callees on its behalf
-- @tfield number ticks samples in its own code; a fraction if a bin covers several
--   functions
-- @tfield number children_ticks samples in its callees on its behalf
-- @tfield number|nil least_ticks the least that can have been sampled in it and its
--   callees; nil before `profile:find_limits`
-- @tfield number|nil most_ticks the most that can have been sampled there
-- @tfield number|nil total_low the least time that can have passed in the function and
--   its callees, in seconds; nil without the option `bounds`, or if the bounds are not
--   known
-- @tfield number|nil total_high the most time that can have passed there
-- @tfield number share fraction of its time that is included in the call graph, 0 to 1
-- @tfield number graph_self seconds in its own code that are included in the call graph
-- @tfield number graph_children seconds in its callees that are included in the call
--   graph
-- @tfield number graph_percent `graph_self` and `graph_children` as a percentage of the
--   total time in the call graph
-- @tfield boolean is_line in a profile by line: stands for a line, not for a function's
--   entry
-- @tfield boolean is_function typed as a function by the object file
-- @tfield table|nil spread how its time and its calls differ between runs, see `spread`;
--   nil if `profile.spread` is, and for functions of libraries
-- @tfield integer function_id for a line, number of its function; otherwise `id`
-- @tfield profile profile
-- @see profile:lines
-- @see profile:blocks
-- @see profile:callers
-- @see profile:callees

--- The field `spread` of profiles and functions: the tables `self`, times in seconds (nil
-- if no run has samples), and `calls`. Both have the fields below. A run in which the
-- function was not entered counts with 0.
--
-- @table spread
-- @tfield integer runs number of runs in which the value is above 0
-- @tfield number sum sum over all runs
-- @tfield number mean
-- @tfield number min
-- @tfield number max
-- @tfield number lost `max` - `mean`: how much sooner a parallel program could be done if
--   all runs had the same value
-- @tfield number|nil ratio `max` / `mean`; nil if the mean is 0
-- @tfield number deviation standard deviation
-- @tfield string|nil who the run that has the maximum, the first if there are several:
--   usually the path of its profile; nil if the maximum is 0

--- A cycle: functions that call each other recursively. It has the fields of a function
-- from `id` to `graph_percent`; the others are nil. `calls` are calls from outside,
-- `self_calls` calls between members; `self` and `children` are sums over the members.
-- `cycle:members([order [, field...]])` iterates over the members, `cycle:callers(...)`
-- over the arcs into the cycle from outside, and `cycle:callees(...)` over the arcs out
-- of it. Arcs between members are in neither.
--
-- @table cycle
-- @tfield string name "&lt;cycle N&gt;"
-- @tfield integer number N, from 1
-- @tfield boolean is_cycle true
-- @see profile:members
-- @see profile:callers
-- @see profile:callees

--- An arc: the calls of one function by another.
--
-- @table arc
-- @tfield integer id number of the arc, from 1, in the order of creation
-- @tfield function caller
-- @tfield function callee
-- @tfield integer caller_id the caller's number in the profile
-- @tfield integer callee_id the callee's number
-- @tfield integer count calls along this arc
-- @tfield integer of number of recorded calls of the callee by all other functions; if
--   the callee is in a cycle, of calls from outside the cycle to any member
-- @tfield number self the part of the callee's self time that is propagated along this
--   arc, in seconds; if the callee is in a cycle, of the whole cycle's self time
-- @tfield number children the same for children's time
-- @tfield number ticks `self` in samples
-- @tfield number children_ticks `children` in samples
-- @tfield boolean inlined the callee was inlined into the caller, at least in one place;
--   such code has no calls, so `count` may be 0
-- @tfield boolean recursive from a function to itself or within a cycle: propagates no
--   time
-- @tfield boolean printed its caller or its callee has an entry in the call graph
-- @tfield string kind what is known of it: "counted"; "recursive"; "uncounted", if the
--   calls of the callee were not counted, as in libraries, but its time is known from
--   call paths; "inlined", if the callee was only inlined; or "inlined_recursive"
-- @tfield profile profile

return make
