--- Callgrind's profile format, for KCachegrind, QCachegrind and callgrind_annotate. It
-- stores a call graph directly, so no call chains have to be estimated.
--
-- Readers compute inclusive times from calls, so the file differs from our call graph:
--
-- - A function <spontaneous> calls all functions without a known caller.
-- - Calls within a cycle carry time if the callee is called only from within the cycle.
--   Otherwise readers would show the callee without time.
--
-- @module gprof.export.callgrind
-- SPDX-License-Identifier: GPL-3.0-or-later

local apportion = require "gprof.analysis.apportion"
local escape = require "gprof.format.escape"
local extract = require "gprof.analysis.extract"
local gprof = require "gprof"
local guesses = require "gprof.analysis.guesses"
local labels = require "gprof.print.labels"
local line_costs = require "gprof.analysis.line_costs"
local path_share = require "gprof.analysis.path_share"
local without_detours <const> = require "gprof.format.path".without_detours

local UNKNOWN <const>, SPONTANEOUS <const> = "???", "<spontaneous>"

local function plain(text)
  return escape.bytes(text, "%c")
end

-- Name compression: the first use writes "(NUMBER) NAME", later ones "(NUMBER)". Keys
-- are separate from names, since several functions can have the same name.
local function compressor()
  local texts, count = {}, 0
  return function(key, name)
    local text = texts[key]
    if text then return text end
    count = count + 1
    texts[key] = ("(%d)"):format(count)
    return texts[key] .. " " .. plain(name)
  end
end

-- Like `compressor`, for source files. callgrind_annotate removes the current directory
-- from the files of callers, but not of callees, and takes them for two files. It does
-- not find its directory in "/./home/me/x.c", which is the same file.
local function file_names()
  local compressed, texts = compressor(), {}
  return function(file)
    local text = texts[file or false]
    if text then return text end
    local name = file and without_detours(file):gsub("^/", "/./") or UNKNOWN
    text = compressed(name, name)
    texts[file or false] = compressed(name, name)  -- only the first one has the name
    return text
  end
end

-- Like `compressor`, for objects.
local function object_names()
  local compressed = compressor()
  return function(object) return compressed(object, object.path or object.name) end
end

-- Returns the name of the event. Readers know "Time_(10ns)", Xdebug's name for real time.
local function event_of(profile)
  if extract.in_seconds(profile) then return "Time_(10ns)" end
  local name = profile.unit:gsub("[^%w]", "_")
  return profile.rate == 1 and name or ("%s_(1/%d)"):format(name, profile.rate)
end

-- The graph -----------------------------------------------------------------------------

-- Returns the exported functions, indexed by id. Each has the fields `id`, `name`,
-- `object`, `file`, `line`, `calls`, `cycle` (a table shared by its members) and `arcs`
-- (the rows of calls made); and, in units, `self` and `time` (self and children). Also
-- returns the object of the program.
local function functions_of(profile, ids, units, names)
  local objects, object_of = extract.objects(profile)
  local functions = {}
  for _, id in ipairs(ids) do
    local file, line, self, children, calls =
      profile:get(id, "file", "line", "ticks", "children_ticks", "calls")
    functions[id] = { id = id, name = names[id], object = object_of(id), file = file,
      line = line or 0, calls = calls, self = math.floor(self * units + 0.5),
      time = (self + children) * units, arcs = {} }
  end
  for cycle in profile:cycles() do
    local time = (cycle.ticks + cycle.children_ticks) * units
    local whole = { calls = cycle.calls, time = time }
    for id in cycle:members(nil, "id") do
      if functions[id] then
        functions[id].cycle = whole
        whole.first = whole.first or functions[id]
      end
    end
  end
  return functions, objects[1]
end

-- Adds the row of each arc to its caller's `arcs`. Arcs without calls are left out:
-- callgrind_annotate takes the cost line after "calls=0" for the caller's self time. If
-- such an arc has time, which was measured, its count is set to 1. `moved` is the time of
-- arcs into a function or cycle. Returns the rows as columns: the functions `callee`,
-- `count` and `time` (in units); the rows of calls within cycles; and whether there are
-- arcs without calls.
local function add_arcs(functions, arcs, per_unit)
  local callees, times, counts, inner, has_uncounted = {}, {}, arcs.count, {}, false
  for i, count in ipairs(counts) do
    local caller, callee = functions[arcs.caller[i]], functions[arcs.callee[i]]
    local time = (arcs.self[i] + arcs.children[i]) * per_unit
    callees[i], times[i] = callee, time
    if count > 0 or time > 0 then
      caller.arcs[#caller.arcs + 1] = i
      if count == 0 then counts[i], has_uncounted = 1, true end
      if caller ~= callee and not (caller.cycle and caller.cycle == callee.cycle) then
        local node = callee.cycle or callee
        node.explained = (node.explained or 0) + count
        node.moved = (node.moved or 0) + time
        callee.entered = true
      elseif caller ~= callee then
        inner[#inner + 1] = i
        callee.inner = (callee.inner or 0) + count
      end
    end
  end
  return { callee = callees, count = counts, time = times }, inner, has_uncounted
end

-- Sets the time of calls within a cycle, if the callee is not called from outside the
-- cycle.
local function share_inside(calls, inner)
  for _, row in ipairs(inner) do
    local callee = calls.callee[row]
    if not callee.entered then
      calls.time[row] = callee.time * calls.count[row] / callee.inner
    end
  end
end

-- Adds the calls made by <spontaneous>, and returns their rows. It calls the functions
-- and cycles that have no known callers, or that were called more often than their known
-- callers called them. If times of arcs were measured, it also gets the time that no
-- caller gets. A cycle is entered at its first member.
local function spontaneous(functions, ids, calls, measured)
  local rows, row = {}, #calls.callee
  for _, id in ipairs(ids) do
    local f = functions[id]
    local node = f.cycle or f
    local missing = node.calls - (node.explained or 0)
    local rest = measured and node.time - (node.moved or 0)
    if (node.first or f) == f and
      (missing > 0 or not node.explained or (rest or 0) > 0.5)
    then
      local part = node.explained and missing / node.calls or 1
      row = row + 1
      calls.callee[row], calls.count[row] = f, math.max(missing, 1)
      calls.time[row], rows[#rows + 1] = rest or part * node.time, row
      f.entered = true
    end
  end
  return rows
end

-- Writing -------------------------------------------------------------------------------

-- Writes a call at a line. The file of the callee is always written, and so is its object
-- if there are libraries: gprof2dot takes both from the call before.
local function write_call(out, callee, count, line, time)
  if out.has_libraries then out.write("cob=%s\n", out.object(callee.object)) end
  local file, name = out.file(callee.file), out.name(callee.id, callee.name)
  out.write("cfi=%s\ncfn=%s\ncalls=%d %d\n%d %d\n", file, name, count, callee.line,
    line, time)
end

-- Names the file of the lines that follow, if it changes. Lines of another file than the
-- function's belong to inlined code.
local function enter_file(out, f, file)
  if file == out.entered then return end
  out.write("%s%s\n", file == f.file and "fe=" or "fi=", out.file(file))
  out.entered = file
end

-- Writes an arc as one call, or as one call for each line that contains call sites.
local function write_calls(out, caller, row, sites)
  local calls = out.calls
  local callee, time = calls.callee[row], math.floor(calls.time[row] + 0.5)
  sites = sites and sites[callee.id]
  if not sites then
    return write_call(out, callee, calls.count[row], caller.line, time)
  end
  local counts = {}
  for i, site in ipairs(sites) do counts[i] = site.count end
  local times = apportion.divide(time, counts)
  for i, site in ipairs(sites) do
    enter_file(out, caller, site.file)
    write_call(out, callee, site.count, site.line, times[i])
  end
  enter_file(out, caller, caller.file)
end

-- Writes the self time of each line.
local function write_lines(out, f, lines)
  local ticks = {}
  for i, line in ipairs(lines) do ticks[i] = line.ticks end
  for i, time in ipairs(apportion.divide(f.self, ticks)) do
    enter_file(out, f, lines[i].file)
    out.write("%d %d\n", lines[i].line, time)
  end
  enter_file(out, f, f.file)
end

local function write_function(out, f, lines, sites)
  if f.object ~= out.current then out.write("\nob=%s", out.object(f.object)) end
  out.current = f.object
  out.write("\nfl=%s\n", out.file(f.file))
  out.entered = f.file
  out.write("fn=%s\n", out.name(f.id, f.name))
  if lines and f.self > 0 then
    write_lines(out, f, lines)
  else
    out.write("%d %d\n", f.line, f.self)
  end
  for _, row in ipairs(f.arcs) do write_calls(out, f, row, sites) end
end

local function write_header(profile, total, has_uncounted, write)
  write "# callgrind format\nversion: 1\n"
  write("creator: gprof for Lua " .. gprof._VERSION .. "\n")
  write("cmd: " .. plain(profile.image.path) .. "\n")
  local note = path_share.note(profile) or guesses.sentence(guesses.share(profile))
  write(("desc: Note: call times are %s%s\n"):format(
    profile.exact and "measured" or "estimates based on call counts",
    note and ": " .. note or ""))
  if has_uncounted then
    write "desc: Note: calls that were not counted have a count of 1\n"
  end
  write("positions: line\nevents: " .. event_of(profile) .. "\n")
  write(("summary: %d\n"):format(total))
end

--- Writes a profile in Callgrind's format.
-- @tparam profile profile with a histogram; a profile by line adds the costs of lines
-- @tparam table options `display_unused_functions`: also write functions without time and
--   calls; those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  local by_function = profile:by_function()
  local lines = line_costs.of(profile, by_function)
  local sites = line_costs.sites(profile, by_function)
  local units = extract.units(by_function, 100000000)
  local arcs = extract.arc_columns(by_function)
  local ids = extract.functions(by_function, options, arcs)
  local functions, program = functions_of(by_function, ids, units,
    labels.exported(by_function, options))
  local calls, inner, has_uncounted =
    add_arcs(functions, arcs, units * by_function.rate)
  local measured = by_function.exact or by_function.has_inlines
  local roots = { id = 0, name = SPONTANEOUS, object = program, line = 0, self = 0,
    arcs = spontaneous(functions, ids, calls, measured) }
  share_inside(calls, inner)
  local total = 0
  for _, id in ipairs(ids) do total = total + functions[id].self end
  write_header(by_function, total, has_uncounted, write)
  local out = { write = write, calls = calls, file = file_names(), name = compressor(),
    object = object_names(), has_libraries = by_function.has_libraries }
  write_function(out, roots)
  for _, id in ipairs(ids) do write_function(out, functions[id], lines[id], sites[id]) end
  write(("\ntotals: %d\n"):format(total))
end
