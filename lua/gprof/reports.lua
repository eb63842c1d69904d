--- Reports: finds a report by name and runs it.
--
-- A report is a function of (profile, options, write). It is the value of a module
-- `gprof.report.NAME`, from this library or another rock, or the value that a Lua file
-- returns:
--
--     return function(profile, options, write)
--       for f in profile:functions() do write("%8d %s\n", f.calls, f.name) end
--     end
--
-- @module gprof.reports
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local output = require "gprof.output"
local text_file = require "gprof.format.text_file"

local reports = {}

--- The names of the library's own reports, sorted.
-- @local
reports.own = { "annotation", "bsd.flat", "bsd.graph", "bsd.index", "call_tree",
  "comparison", "executions", "file_order", "flat", "function_order", "graph", "index",
  "info", "lines", "objects", "spread", "threads", "verify" }

local is_own <const> = {}
for _, name in ipairs(reports.own) do is_own[name] = true end

-- Failures ------------------------------------------------------------------------------

-- Returns the text of an error value, which can be of any type.
local function describe(problem)
  local shown, text = type(problem) == "string", problem
  local meta = getmetatable(problem)
  local printable = type(meta) == "table" and rawget(meta, "__tostring")
  if printable or type(problem) == "number" then
    shown, text = pcall(tostring, problem)
  end
  if not shown then
    return ("failed with a %s value instead of a message"):format(type(problem))
  end
  return text ~= "" and text or "failed without a message"
end

local function in_one_line(text)
  return (text:gsub("%s*\n%s*", " "))
end

--- Makes a one-line message from an error in a report.
-- @tparam string name name of the report: prepended unless the message begins with
--   FILE:LINE
-- @param problem the error value; from a table, its field `message` is used as it is
-- @treturn table with the fields `message` and `quiet`
function reports.failure(name, problem)
  local given = type(problem) == "table" and rawget(problem, "message")
  if type(given) == "string" then
    return { message = in_one_line(given), quiet = rawget(problem, "quiet") }
  end
  local text = in_one_line(describe(problem))
  return { message = text:find("^[^:]+:%d+: ") and text or name .. ": " .. text }
end

-- Finding -------------------------------------------------------------------------------

-- Returns the report that a file or module returns when run; nil and a message if that
-- fails.
local function result_of(name, run, ...)
  local done, result = pcall(run, ...)
  if not done then return nil, reports.failure(name, result).message end
  if type(result) ~= "function" then
    return nil, ("%s: returns a %s value, not a function"):format(name, type(result))
  end
  return result
end

local function from_file(path)
  local kind, message = core.file_status(path)
  if not kind then return nil, message end
  if kind == "directory" then return nil, path .. ": is a directory" end
  local text, unread = text_file.read(path)
  if not text then return nil, unread end
  -- Like loadfile, skips a byte order mark, and a first line for the system.
  local code = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
  local chunk, problem = load(code, "@" .. path, "t")
  if not chunk then return nil, reports.failure(path, problem).message end
  return result_of(path, chunk, path)
end

-- The messages of `require` are long: they are reduced to one line.
local function from_module(name)
  local module = "gprof.report." .. name
  local report, message = result_of(("report '%s'"):format(name), require, module)
  if report then return report end
  if message:find("module '" .. module .. "' not found", 1, true) then
    return nil, ("unknown report '%s': module %s not found"):format(name, module)
  end
  return nil, (message:gsub("error loading module '.-' from file '.-': ", ""))
end

--- Returns whether the name of a report is the path of a Lua file.
-- @local
-- @tparam string name
-- @treturn boolean
function reports.is_path(name)
  return (name:find("/", 1, true) or name:find "%.lua$") ~= nil
end

--- Finds a report.
-- @tparam string name a path if it ends in `.lua` or contains a `/`; otherwise the NAME
--   of a module `gprof.report.NAME`
-- @treturn[1] function of (profile, options, write)
-- @return[2] nil
-- @treturn[2] string what is wrong, in one line
function reports.find(name)
  arguments.check(name, "string", 1, "find")
  return (reports.is_path(name) and from_file or from_module)(name)
end

-- Running -------------------------------------------------------------------------------

--- Runs a report. Its stream is flushed and closed when the report returns or fails.
-- @tparam function report
-- @tparam profile profile
-- @tparam table options
-- @tparam function|stream write takes strings
function reports.run(report, profile, options, write)
  local stream <close> = output.through(write)
  report(profile, options, stream)
end

-- Returns the function that receives the report's text, and whether that function writes
-- to a file. If it does, it must be called once more at the end, without text.
local function sink(write, is_colored)
  if write == nil then write = io.stdout end
  if io.type(write) == "file" then
    local put = output.writer(write, is_colored)
    return function(text)
      local done, message = put(text)
      if not done then error(message, 0) end
    end, true
  end
  local meta = getmetatable(write)
  if type(write) == "function" or type(meta) == "table" and meta.__call then
    return write
  end
  arguments.bad(3, "report", 3, "function or file expected, got %s",
    io.type(write) or arguments.type_of(write))
end

-- Whether a function is an export of the library. All exports need the profile's data.
local function is_export(report)
  for name, module in pairs(package.loaded) do
    if module == report and tostring(name):find "^gprof%.export%." then return true end
  end
  return false
end

-- Runs a report of the library for reports.report. An error about data is one about the
-- profile: which reports need its data depends on the profile and the options.
local function run_own(report, profile, options, put)
  local done, problem = pcall(reports.run, report, profile, options, put)
  if done then return end
  if type(problem) == "string" and problem:find("data is closed", 1, true) then
    arguments.check_with_data(profile, 0, "report", 4)
  end
  error(problem, 0)
end

-- Returns the options of a report, and those that the profile was made with: some reports
-- make others like it, or say what it shows.
local function completed(profile, given)
  local all = {}
  for name, value in pairs(core.state(profile).options) do all[name] = value end
  for name in pairs(arguments.known.report) do
    if given[name] ~= nil then all[name] = given[name] end
  end
  all.missed, all.debug = nil, nil  -- they are about how the profile was made
  return all
end

--- Runs a report. Implements `profile:report`, which documents the parameters.
-- @tparam profile profile
-- @tparam string|function name
-- @tparam[opt] table options
-- @tparam[opt] function|file write
function reports.report(profile, name, options, write)
  arguments.check(profile, "gprof.profile", 0, "report")
  local report, kind = name, type(name)
  if kind == "string" then
    local found, message = reports.find(name)
    report = found or error(message, 2)
  elseif kind ~= "function" then
    arguments.bad(1, "report", 2, "function or string expected, got %s", kind)
  end
  local is_an_export = kind == "function" and is_export(report)
  if is_an_export then arguments.check_with_data(profile, 0, "report") end
  if is_own[name] or is_an_export then
    options = completed(profile, arguments.options(options, 2, "report"))
  elseif options ~= nil then
    arguments.check(options, "table", 2, "report")
  end
  options = options or {}
  local put, is_file = sink(write, function() return options.color end)
  local _ <close> = is_file and setmetatable({}, { __close = function(_, problem)
    if problem == nil then put() else pcall(put) end  -- the report's own error goes on
  end })
  local run = is_own[name] and run_own or reports.run
  run(report, profile, options, put)
end

local function copy(options)
  local copied = {}
  for name, value in pairs(options) do copied[name] = value end
  return copied
end

--- Runs a report that the user asked for by name. The report may also print by other
-- means, so its text is flushed at once to keep the order of the output. It gets a copy
-- of the options, because it may change them. Any error becomes a message for users.
-- @tparam table page the report's `name`, and its function `print`
-- @tparam profile profile
-- @tparam table options
-- @tparam stream write
-- @raise a table with the field `message`
function reports.print(page, profile, options, write)
  local function print(text)
    write(text)
    write:flush()
  end
  write:flush()
  local done, problem = pcall(reports.run, page.print, profile, copy(options), print)
  if not done then error(reports.failure(page.name, problem), 0) end
end

return reports
