--- The actions of options. An action is a function of the settings, the argument and the
-- option.
--
-- @internal gprof.cli.options.actions
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local options = require "gprof.cli.options.option_table"
local policy = require "gprof.library.policy"
local wording = require "gprof.format.wording"

local actions = {}

local raise <const> = failure.raise

-- Raises an error that begins with "option -w (--width)".
local function reject(option, format, ...)
  raise("option %s" .. format, options.name(option), ...)
end

local function set(settings, option, value)
  settings[options.setting(option)] = value
end

-- Appends a value to a list, which is created if necessary.
local function append(lists, name, value)
  lists[name] = lists[name] or {}
  table.insert(lists[name], value)
end

-- Numbers -------------------------------------------------------------------------------

-- Returns the number at the beginning of a text, as C's strtol() reads it: 0 if there is
-- none, and at most 63 bits.
local function leading_number(text)
  local value = tonumber(text:match "^%s*([+-]?%d+)" or 0)
  if math.type(value) == "integer" then return value end
  return value < 0 and math.mininteger or math.maxinteger
end

-- Returns the lowest 32 bits of a number, with their sign.
local function to_int(value)
  return (string.unpack("<i4", string.pack("<i8", value)))
end

-- Makes an action that takes a whole number. GNU gprof accepts any text, converts it with
-- `convert` (by default, to the lowest 32 bits of the number), and clamps the result to
-- the permitted range.
local function number(least, most, convert)
  convert = convert or to_int
  return function(settings, argument, option)
    local value = leading_number(argument)
    local is_valid = argument:find "^[+-]?%d+$" and value == tonumber(argument) and
      value >= least and value <= most
    if not is_valid and policy.of(settings).checks_arguments then
      reject(option, " takes a whole number from %d to %d, not '%s'", least, most,
        argument)
    end
    set(settings, option,
      is_valid and value or math.max(least, math.min(convert(value), most)))
  end
end

local MOST <const> = 2147483647
local positive <const> = number(1, MOST)

actions.number = number(0, MOST)
actions.process = positive
actions.width = number(1, 1000000)

-- Sets a number of calls, of at most 63 bits. GNU gprof reads the number as unsigned, so
-- a negative number is larger than any count.
actions.calls = number(0, math.maxinteger, function(value)
  return value < 0 and math.maxinteger or value
end)

-- Sets a limit on a report. GNU gprof has no such limits, so --gnu-compat ignores them.
function actions.count(settings, argument, option)
  if policy.of(settings).extends_reports then positive(settings, argument, option) end
end

-- Sets a limit of the sandbox, and enables the sandbox.
function actions.limit(settings, argument, option)
  positive(settings, argument, option)
  settings.sandbox = true
end

-- Requests the list of lines, and sets their number.
function actions.lines(settings, argument, option)
  if not policy.of(settings).extends_reports then return end
  settings.styles.lines = true
  if argument then positive(settings, argument, option) end
end

-- Requests the spread: its report or, with -s, the file beside the sum.
function actions.spread(settings)
  if policy.of(settings).extends_reports then settings.spread = true end
end

-- Sets an option of the recorder, which must be within limits.
local function set_recorder(settings, argument, option, value, expected)
  local limits = require "gprof.library.options.recorder_options".limits[option.long]
  if not value or value < limits[1] or value > limits[2] then
    reject(option, " takes %s, not '%s'", expected, argument)
  end
  set(settings, option, value)
end

function actions.rate(settings, argument, option)
  local rate = argument:find "^%d+$" and math.tointeger(tonumber(argument))
  set_recorder(settings, argument, option, rate,
    "a number of samples per second from 0 to 100000")
end

local MEGABYTES <const> = { [""] = 1, M = 1, G = 1024 }

-- Sets a size in megabytes.
function actions.memory(settings, argument, option)
  local digits, unit = argument:match "^(%d+)([MG]?)$"
  local count = digits and math.tointeger(tonumber(digits))
  local size = count and count < 1 << 32 and count * MEGABYTES[unit]
  set_recorder(settings, argument, option, size, "a size from 1M to 1024G")
end

local function set_name(settings, argument, option, check)
  local wrong = require "gprof.library.options.recorder_options"[check](argument)
  if wrong then reject(option, ": '%s' has %s", argument, wrong) end
  set(settings, option, argument)
end

-- Sets a pattern for the names of profiles.
function actions.output(settings, argument, option)
  set_name(settings, argument, option, "check_output")
end

-- Sets the file that is watched.
function actions.watched(settings, argument, option)
  set_name(settings, argument, option, "check_dump_file")
end

function actions.percent(settings, argument, option)
  local value = argument:find "^%d*%.?%d*$" and tonumber(argument)
  if not value or value > 100 then
    reject(option, " takes a number from 0 to 100, not '%s'", argument)
  end
  set(settings, option, value)
end

local MOST_JOBS <const> = 1000

function actions.jobs(settings, argument, option)
  local count = argument == "auto" and math.min(core.processors(), MOST_JOBS) or
    argument:find "^%d+$" and math.tointeger(tonumber(argument))
  if not count or count < 1 or count > MOST_JOBS then
    reject(option, " takes a number from 1 to %d, or auto, not '%s'", MOST_JOBS, argument)
  end
  settings.jobs = count
end

-- Parses a number of at most 64 bits. A hexadecimal number with the sign bit set, such as
-- the address of a kernel function, becomes negative.
local function parse_offset(text)
  local sign, digits = text:match "^(%-?)(%d+)$"
  local hex = text:match "^%-?0[xX]0*(%x+)$"
  local value = digits and math.tointeger(tonumber(digits)) or
    hex and #hex <= 16 and tonumber("0x" .. hex)
  sign = sign or text:sub(1, 1)
  return value and (sign == "-" and -value or value)
end

function actions.slide(settings, argument, option)
  settings.slide = argument == "auto" and argument or parse_offset(argument) or
    reject(option, " takes an offset of at most 64 bits, such as 4096 or -0x1000, or " ..
      "auto, not '%s'", argument)
end

-- Topics of several options are combined. Without a number, all topics are traced.
function actions.debug(settings, argument, option)
  local before = settings.debug or 0
  actions.number(settings, argument or "2147483647", option)
  settings.debug = settings.debug | before
end

-- Words -------------------------------------------------------------------------------

-- Sets one of the option's permitted values. --color without an argument means "always".
function actions.choice(settings, argument, option)
  for _, value in ipairs(options.values(option)) do
    if value == (argument or "always") then return set(settings, option, value) end
  end
  reject(option, " takes %s, not '%s'", wording.all(options.values(option), "or"),
    argument)
end

-- As in GNU gprof, only the first character matters: "-O m".
local formats <const> = { a = "auto", m = "magic", b = "bsd", ["4"] = "4.4bsd",
  p = "prof" }

function actions.format(settings, argument, option)
  settings.file_format = formats[argument:sub(1, 1)] or
    raise("unknown file format '%s'; known formats: %s", argument,
      wording.all(options.values(option), "and"))
  local is_foreign = settings.file_format == "prof"
  if is_foreign and not policy.of(settings).reads_all_formats then
    raise("file format 'prof' cannot be combined with --gnu-compat: GNU gprof cannot " ..
      "read it")
  end
end

function actions.demangling(settings, argument, option)
  settings.no_demangle = nil
  if argument and not core.demangling_style(argument) then
    raise("unknown demangling style '%s'; known styles: %s", argument,
      wording.all(options.values(option), "and"))
  end
end

-- Symspecs and styles -------------------------------------------------------------------

-- Checks a symspec of functions, or of calls (FROM/TO). GNU gprof accepts any text.
-- For hints, `given_to` records the option of each symspec, and `limits_of` the limits
-- before its "@".
local function check_symspec(settings, spec, arcs, option, limits)
  if not policy.of(settings).checks_arguments then return end
  settings.given_to = settings.given_to or {}
  settings.limits_of = settings.limits_of or {}
  settings.given_to[spec], settings.limits_of[spec] = option, limits
  local problem = require "gprof.symspec".problem(spec, arcs)
  if problem then reject(option, ": %s", problem) end
  if not spec:find "[%w_*?\128-\255]" then
    reject(option, ": '%s' contains no name", spec)
  end
end

-- Appends a symspec to a symspec table ("flat", "graph", ...) of a side ("include" or
-- "exclude").
local function add_symspec(settings, side, table_name, spec, option)
  check_symspec(settings, spec, table_name == "arcs", option)
  settings[side] = settings[side] or {}
  append(settings[side], table_name, spec)
end

-- Makes the action that adds a symspec to each symspec table that the option names.
local function symspec(side)
  return function(settings, argument, option)
    for table_name in option.detail:gmatch "%l+" do
      add_symspec(settings, side, table_name, argument, option)
    end
  end
end

actions.include = symspec "include"
actions.exclude = symspec "exclude"

-- Whether a symspec is FROM/TO. The slash of "operator/(int)" is part of the name.
local function names_calls(settings, spec)
  local _, callees = require "gprof.symspec".parse(spec, true, settings.gnu_compat)
  return callees ~= nil
end

-- Appends rules of a gate, all functions' or those that a symspec names.
function actions.limits(settings, argument, option)
  local rules = require "gprof.analysis.gate".parse(argument)
  if not rules then
    reject(option, " takes limits such as 5%% or calls:1%%,total:5%%, not '%s'", argument)
  end
  for _, rule in ipairs(rules) do
    append(settings, "fail_on", rule)
    if rule.spec then
      check_symspec(settings, rule.spec, false, option, argument:match "^[^@]*")
    end
  end
end

-- "+graph" requests a style (true), "-graph" excludes it (false); nil means neither. The
-- last option wins. A symspec always requests the style.
function actions.style(settings, argument, option)
  local sign, name = option.detail:match "(.)(.*)"
  settings.styles[name] = argument ~= nil or sign == "+"
  if not argument then return end
  local calls = name == "graph" and names_calls(settings, argument)
  add_symspec(settings, sign == "+" and "include" or "exclude", calls and "arcs" or name,
    argument, option)
end

-- Each --tree adds roots to the tree.
function actions.tree(settings, argument, option)
  if not policy.of(settings).extends_reports then return end
  settings.styles.tree = true
  if not argument then return end
  check_symspec(settings, argument, false, option)
  append(settings, "tree_roots", argument)
end

function actions.arcs(settings, argument, option)
  if policy.of(settings).checks_arguments and not names_calls(settings, argument) then
    reject(option, " takes FROM/TO, not '%s'", argument)
  end
  add_symspec(settings, "exclude", "arcs", argument, option)
end

-- The time of each line requires a profile by line.
function actions.time(settings)
  settings.annotate_time = true
  settings.line = true
  settings.styles.annotation = true
end

-- Files -------------------------------------------------------------------------------

local function check_not_empty(argument, option, what)
  if argument == "" then reject(option, ": the %s name is empty", what) end
end

function actions.path(settings, argument, option)
  check_not_empty(argument, option, "file")
  set(settings, option, argument)
end

-- Makes an action that appends the name of a file, directory or report to a list.
local function appending(list, what)
  return function(settings, argument, option)
    check_not_empty(argument, option, what)
    append(settings, list, argument)
  end
end

actions.profiles = appending("profiles_from", "file")
actions.debugdir = appending("debug_dir", "directory")
actions.report = appending("reports", "report")
actions.libraries = appending("with", "file")
actions.threads = appending("threads", "thread")

local add_old_profiles <const> = appending("compare", "file")

-- Requests the comparison, so default reports are not printed.
function actions.compare(settings, argument, option)
  add_old_profiles(settings, argument, option)
  settings.styles.comparison = true
end

-- Appends the directories in a list such as "A:B".
function actions.directories(settings, argument)
  local source_text = require "gprof.library.files.source_text"
  for _, directory in ipairs(source_text.directories(argument)) do
    append(settings, "directory_path", directory)
  end
end

function actions.sum(settings, argument, option)
  actions.path(settings, argument, option)
  settings.styles.sum = true
end

local function add_export(settings, export, option)
  if not export.path and require "gprof.cli.exports".is_printed(settings.exports) then
    reject(option, ": only one export can go to standard output")
  end
  if not export.path and export.binary and core.is_terminal(io.stdout) then
    reject(option, ": %s output is binary, and is not written to a terminal: use " ..
      "--export=%s:FILE", export.kind, export.kind)
  end
  table.insert(settings.exports, export)
end

function actions.export(settings, argument, option)
  local export, problem = require "gprof.cli.exports".find(argument)
  if not export then reject(option, ": %s", problem) end
  if require "gprof.cli.exports".is_compared(export.kind) then
    -- reviewers know source files by their paths in the repository
    settings.source_root = settings.source_root or
      require "gprof.library.files.source_root".of "."
  end
  add_export(settings, export, option)
end

-- Handles --html, which is also an export.
function actions.html(settings, argument, option)
  check_not_empty(argument, option, "file")
  add_export(settings, require "gprof.cli.exports".page(argument), option)
end

-- Orders ------------------------------------------------------------------------------

function actions.order(settings)
  settings.styles.function_order = true
end

function actions.map(settings, argument, option)
  actions.path(settings, argument, option)
  settings.styles.file_order = true
end

return actions
