--- Profiles: data put on the functions of an image.
--
-- @module gprof.profile
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local image_options = require "gprof.library.image_options"
local native = require "gprof.library.native"
local policy = require "gprof.library.policy"
local symbol_tables = require "gprof.library.symbol_tables"

-- By profile, if it is one by line: the options that it was made with.
local made_with = setmetatable({}, { __mode = "k" })

--- Puts data on the functions of an image: `gprof.profile(image, data [, options])`.
-- @function gprof.profile
-- @tparam image image
-- @tparam data data
-- @tparam[opt] table options
--
--   - those of `gprof.image`, where the image's own are not to hold;
--   - `static_call_graph`: add calls that are found in the code, with a count of 0;
--   - `line`: a profile by line, where lines stand among the functions: `true` for those
--     that something was recorded of, "all" for all that there are (which are told apart
--     by what is inlined only with `display_unused_functions`: that takes its time);
--   - `include`, `exclude`: tables of arrays of symspecs, by stage: `flat`, `graph`,
--     `time`, `annotation`, `executions`, and `arcs` for calls, FROM/TO (see
--     gprof.symspec);
--   - `with`: an array of shared libraries that are shown beside the program, each with
--     its `image`, its `data`, and the `name` that its functions have behind an "@" (that
--     of its file, without); for profiles of functions only;
--   - `missed`: a function that is called with each symspec that matches nothing;
--   - `gnu_compat`: find calls, too, just as GNU gprof does;
--   - `debug`: trace the work on standard error, a sum of 2 (numbering of functions,
--     depth first), 4 (cycles), 16 (tally of calls), 32 (order of callers and callees),
--     64 (records), 128 (symbols), 256 (static calls), 512 (lookups of addresses), 1024
--     (propagation of time), 2048 (blocks), 4096 (symspecs) and 8192 (annotation)
-- @treturn[1] profile
-- @return[2] nil
-- @treturn[2] string what is wrong
local function make(image, data, options)
  arguments.check(image, "gprof.image", 1, "profile")
  arguments.check(data, "gprof.data", 2, "profile")
  options = arguments.options(options, 3, "profile")
  options = image_options.complete(image, options)
  local trace = arguments.trace(options)
  local symbols, message = symbol_tables.of(image, options, trace, data.shared)
  if not symbols then return nil, message end
  local lines, selections, opcodes, unknown
  if options.with then
    local merge = require "gprof.library.merged_objects".merge
    symbols, data, unknown = merge(image, symbols, data, options, trace)
    if not symbols then return nil, data end
  end
  if options.static_call_graph then
    opcodes, message = native.load "gprof.opcodes"
    if not opcodes then return nil, "the " .. message end
  end
  if options.line then
    lines, message = core.lines(symbols, data, options.line == "all",
      options.display_unused_functions or not policy.of(options).recorded_lines_only)
    if not lines then return nil, message end
  end
  if options.include or options.exclude then
    selections = require "gprof.symspec".resolve(symbols, lines, options,
      options.missed or function() end, trace)
  end
  local profile
  profile, message = core.profile(lines or symbols, data, options, selections, opcodes)
  if profile and lines then made_with[profile] = options end
  if profile and unknown then
    require "gprof.library.merged_objects".unknown(profile, unknown)
  end
  return profile, message
end

--- A profile: functions with their samples and calls.
--
-- Functions and cycles have a number in the profile, their `id`; so have arcs.
--
-- Iterations (`functions`, `entries`, `cycles`, `callers` ...) take an order and names of
-- fields, both optional.
--
-- An order is the name of a field, or a function of two objects that returns whether the
-- first comes first. Names and places (`name`, `symbol`, `file`, `line`, `address`,
-- numbers) go upwards, amounts downwards, true comes before false and nil last; what is
-- equal stays in the order that the iteration has without, as with nil.
--
-- Without names of fields there is an object for each. With them, the values of these
-- fields come in its place, which makes no objects; the first should be one that is never
-- nil, as a nil ends the loop.
--
--     for f in profile:functions("calls") do print(f.name, f.calls) end
--     for name, calls in profile:functions("calls", "name", "calls") do
--       print(name, calls)
--     end
--
-- @type profile

--- What is known of a profile.
-- @table fields
-- @tfield number|nil rate samples a second (or counts a unit); nil without a histogram
-- @tfield string|nil unit what the histogram counts: "seconds"
-- @tfield string|nil abbreviation "s"; may be empty
-- @tfield number|nil total seconds sampled, less those of the machinery of profiling
-- @tfield number|nil total_error how far that may be off by chance: `profile:error_of`
-- @tfield number total_ticks the same in samples
-- @tfield number sampled_ticks samples in all histograms
-- @tfield number met_ticks those of them that are in functions
-- @tfield number graph_ticks samples that count in the call graph
-- @tfield number recorded_ticks samples of all code, whatever was selected
-- @tfield number unknown_ticks samples in code that is of no function
-- @tfield number|nil uncovered seconds of code that no symbol covers, beyond the size of
--   the one before, whose they are in reports; nil where sizes are not known, without a
--   histogram, and with `gnu_compat`
-- @tfield number|nil bin_size bytes of code that a bin of the histogram covers: mostly no
--   whole ones, where reports have two for 3.99
-- @tfield integer arc_count arcs of the call graph
-- @tfield boolean foreign whether nothing that was recorded meets any function
-- @tfield integer|nil outside the number of the function `<outside>`, which has no code:
--   it stands for all that is not in a shared library, and calls it; nil in others
-- @tfield image image
-- @tfield data data
-- @tfield symbols symbols the functions of the image
-- @tfield {string,...}|nil map_files the object files that a map names, in its order

--- Prints a report: `profile:report(name, options, write)`.
-- @function profile:report
-- @tparam string|function name `"flat"`, `"graph"`, `"index"`, the same in the style of
--   BSD as `"bsd.flat"`, `"bsd.graph"`, `"bsd.index"`, or `"call_tree"`, `"executions"`,
--   `"annotation"`, `"function_order"`, `"file_order"`, `"info"`: a module of
--   gprof.report, where others may have put more; a path ("my.lua", "./reports/mine") of
--   a file that returns a report; or the report itself, a function of (profile, options,
--   write)
-- @tparam[opt] table options as of the program, by long name with underscores: `brief`,
--   `width`, `display_unused_functions`, `print_path`, `inline_file_names`, `gnu_compat`,
--   `errors`, `top`; `terminal_width`: to which names are shortened, unless there is
--   `full_names`; for the tree of calls `tree_roots` (an array of symspecs),
--   `tree_depth`, `tree_threshold`; for annotated source `all_lines`, `annotate_time`,
--   `min_count`, `table_length`, `directory_path` (an array), `separate_files`; `color`:
--   in colours; `warn`: a function that is told of sources that cannot be right. Reports
--   that are not the library's take what they like
-- @tparam[opt] function|file write takes strings; standard output if absent. The report
--   gets a stream to it (see gprof.output), which ends when the report returns
-- @raise what the report raises, or why the file cannot be written to
function core.profile_methods:report(name, options, write)
  return require "gprof.reports".report(self, name, options, write)
end

--- Compares the image with what profile and source say of it.
-- @function profile:verify
-- @tparam[opt] {string,...} directories to look for the source in
-- @treturn table an array of checks, and `belongs`: whether none of them failed, and one
--   of those of addresses held. A check is a table with the fields `name`: "histogram",
--   "callees", "callers", "samples", "image" or "source"; `holds`: true or false, or nil
--   if there is nothing that could be compared; `text`, its figures in words; and the
--   figures, `count` of `all` where something was counted
function core.profile_methods:verify(directories)
  arguments.check(self, "gprof.profile", 0, "verify")
  if directories ~= nil then arguments.check(directories, "strings", 1, "verify") end
  return require "gprof.library.verify"(self, directories)
end

--- What is known of the lines of a source file.
-- @function profile:annotate
-- @tparam string file as recorded, or its last components
-- @tparam[opt] {string,...} directories to look for the text in
-- @treturn[1] {table,...} the lines of its text, each with the fields `number`; `text`,
--   with its end; and, if there is code for it, `counts`, an array of the calls of
--   functions that begin there and the executions of basic blocks, by address; `calls`
--   and `blocks`, their sums, or nil; `seconds` sampled in code of the line, and
--   `seconds_error`, how far they may be off by chance, or nil
-- @return[2] nil
-- @treturn[2] string what is wrong: several files, or none, of that name; no text
function core.profile_methods:annotate(file, directories)
  return require "gprof.library.annotation".annotate(self, file, directories)
end

--- A profile of the same data, made in the same way, but by function.
-- @function profile:by_function
-- @treturn profile itself, if it is not by line
-- @raise if there is no memory for it
function core.profile_methods:by_function()
  arguments.check(self, "gprof.profile", 0, "by_function")
  local options = {}
  if not self.by_line then return self end
  for name, value in pairs(made_with[self]) do options[name] = value end
  options.line, options.missed = nil, nil
  return assert(make(self.image, self.data, options))
end

--- The functions that a symspec names (`gprof.symspec`). In a profile by line those are
-- functions, too, unless it names a line.
-- @function profile:find
-- @tparam string spec such as "main", "table.c:find" or "table.c:41"
-- @treturn function,... all of them, by address: nothing if there are none
function core.profile_methods:find(spec)
  arguments.check(self, "gprof.profile", 0, "find")
  arguments.check(spec, "string", 1, "find")
  local symbols, found, seen = self.symbols, {}, {}
  local ids, by_line = require "gprof.symspec".find(symbols, spec)
  for _, id in ipairs(ids) do
    local f = self:node(symbols:owner(id))  -- a part is of another one
    if not seen[f] and (by_line or not f.is_line) then found[#found + 1] = f end
    seen[f] = true
  end
  return table.unpack(found)
end

--- Iterates over all functions: by self time and calls, descending, then name.
-- @function profile:functions
-- @tparam[opt="self"] string|function order
-- @tparam[opt] string ... fields

--- Iterates over functions and cycles in the order of the call graph: by time spent in
-- them and below, descending.
-- @function profile:entries
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields that functions and cycles have in common

--- Iterates over the cycles of recursion, by number.
-- @function profile:cycles
-- @tparam[opt="number"] string|function order
-- @tparam[opt] string ... fields

--- Iterates over all arcs, those from a function to itself among them, in the order in
-- which the profile met them.
-- @function profile:arcs
-- @tparam[opt="id"] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the arcs into a function, as its entry shows them; or over those into a
-- cycle, from functions outside it, in the same order: by the time that they move, then
-- calls, ascending.
-- @function profile:callers
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the arcs out of a function, as its entry shows them; or over those out
-- of a cycle, from its members to functions outside it, in the same order: by time, then
-- calls, descending.
-- @function profile:callees
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the lines of a function: its own first, then the others by address. The
-- profile has to be one by line.
-- @function profile:lines
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- Iterates over the basic blocks of a function, or, in a profile by line, of a line.
-- @function profile:blocks
-- @tparam integer id
-- @treturn function gives address and executions of each,
--   in the order in which the profile met them

--- Iterates over the members of a cycle, as its entry shows them.
-- @function profile:members
-- @tparam integer id
-- @tparam[opt] string|function order
-- @tparam[opt] string ... fields

--- The code in one piece that has most of `profile.uncovered`.
-- @function profile:uncovered_range
-- @treturn integer|nil its first address; nil if there is none
-- @treturn integer its last one
-- @treturn number seconds that were spent there
-- @treturn function that they count for

--- The function or cycle of a number.
-- @function profile:node
-- @tparam integer id
-- @return function or cycle

--- Fields of the function or cycle of a number.
-- @function profile:get
-- @tparam integer id
-- @tparam string ... fields
-- @return their values

--- The function whose code is at an address.
-- @function profile:lookup
-- @tparam integer address
-- @return function, or nil

--- The statistical error of a time that was sampled, such as the sum of the self times of
-- some functions: for n samples the square root of n (GNU gprof's manual, "Statistical
-- Sampling Error"), and never less than one sample, as no sample may have been bad luck.
-- In two of three runs a time is within that error. Fractions of samples count like whole
-- ones. Errors do not add up: ask for that of the sum.
-- @function profile:error_of
-- @tparam number time in seconds, or whatever the profile's unit is
-- @treturn number|nil in the same unit; nil without a histogram

--- @section end

--- A function. There is one object for each in a profile. What the profile tells of the
-- function of a number, the function tells of itself: `f:callers([order [, field...]])`,
-- `f:callees(...)`, `f:lines(...)` and `f:blocks()`.
--
-- @table function
-- @tfield string name as reports show it: demangled, unless the profile was made with
--   `no_demangle`
-- @tfield string symbol as in the symbol table
-- @tfield integer address of its entry
-- @tfield boolean static local to its file
-- @tfield boolean listed selected for the flat profile
-- @tfield boolean tallied selected for execution counts
-- @tfield boolean mapped stands for an object file of a map, whose name it bears
-- @tfield string|nil object the name of the library that it is of, beside a program
-- @tfield string|nil file source file as recorded
-- @tfield integer|nil line of its entry in that file
-- @tfield cycle|nil cycle that it is a member of
-- @tfield integer id its number in the profile
-- @tfield boolean is_cycle false
-- @tfield integer index its place in the call graph: the N of [N]
-- @tfield boolean printed has an entry in the call graph
-- @tfield integer calls recorded calls by others
-- @tfield integer self_calls recorded calls by itself
-- @tfield number self seconds in its own code
-- @tfield number|nil self_error how far they may be off by chance: see `profile:error_of`
-- @tfield number children seconds in what it called, on its behalf
-- @tfield number ticks samples in its own code; fractions where a bin covers several
-- @tfield number children_ticks samples in what it called
-- @tfield number share of its time that counts in the call graph, 0 to 1
-- @tfield number graph_self seconds in its own code that count there
-- @tfield number graph_children seconds in what it called that count there
-- @tfield number graph_percent both, in percent of all that counts there
-- @tfield boolean is_line in a profile by line: stands for a line in the
--   middle of a function
-- @tfield boolean is_function typed as a function by the object file
-- @tfield integer function_id number of the function that it is a line of, or its own
-- @tfield profile profile
-- @see profile:lines
-- @see profile:blocks
-- @see profile:callers
-- @see profile:callees

--- A cycle: functions that call each other in a circle. It has the fields of functions
-- from `id` on; `calls` are those from outside, `self_calls` those between members,
-- `self` and `children` the sums over the members. `cycle:members([order [, field...]])`
-- goes through these; `cycle:callers(...)` through the arcs into the cycle from outside,
-- `cycle:callees(...)` through those out of it. Arcs between members are in neither.
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
-- @tfield integer id its number among the arcs, from 1, in the order of creation
-- @tfield function caller
-- @tfield function callee
-- @tfield integer caller_id the caller's number in the profile
-- @tfield integer callee_id the callee's
-- @tfield integer count calls along this arc
-- @tfield integer of recorded calls of the callee, or of its whole cycle, by others
-- @tfield number self seconds in the callee's (or its cycle's) own code due to them
-- @tfield number children seconds in what that called, due to them
-- @tfield boolean recursive of itself or within a cycle: such calls move no time
-- @tfield profile profile

return make
