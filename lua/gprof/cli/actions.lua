--- What options do: each effect is a function of the settings, the argument,
-- and the option.
--
-- @internal gprof.cli.actions
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local options = require "gprof.cli.options"

local effects = {}

local raise = options.raise

-- GNU gprof takes as many digits as there are, none for 0, and the nearest number that
-- will do.
local function number(least, most)
  return function(settings, argument, option)
    local digits = argument:match("^%s*([+-]?%d+)")
    local value = math.max(least, math.min(tonumber(digits or 0), most)) // 1 | 0
    if not settings.gnu_compat and (digits ~= argument or value ~= tonumber(digits)) then
      raise("option %s takes a whole number from %d to %d, not '%s'",
        options.name(option), least, most, argument)
    end
    settings[options.setting(option)] = value
  end
end

effects.number = number(0, 2147483647)
effects.width = number(1, 1000000)

-- How many of something are wanted, in reports that GNU gprof has not.
local amount <const> = number(1, 2147483647)

function effects.count(settings, argument, option)
  if not settings.gnu_compat then amount(settings, argument, option) end
end

-- A limit of the sandbox, which is wanted by whoever sets one.
local limit <const> = number(1, 2147483647)

function effects.limit(settings, argument, option)
  limit(settings, argument, option)
  settings.sandbox = true
end

function effects.percent(settings, argument, option)
  local value = argument:find "^%d*%.?%d*$" and tonumber(argument)
  if not value or value > 100 then
    raise("option %s takes a number from 0 to 100, not '%s'", options.name(option),
      argument)
  end
  settings[options.setting(option)] = value
end

-- Words in a sentence: "a, b and c".
local function sentence(words, last)
  return table.concat(words, ", ", 1, #words - 1) .. " " .. last .. " " .. words[#words]
end

-- One of the option's values. Colours that are asked for without one are always there.
function effects.choice(settings, argument, option)
  for _, value in ipairs(options.values(option)) do
    if value == (argument or "always") then
      settings[options.setting(option)] = value
      return
    end
  end
  raise("option %s takes %s, not '%s'", options.name(option),
    sentence(options.values(option), "or"), argument)
end

-- Topics add up. Without a number it is all of them.
function effects.debug(settings, argument, option)
  local before = settings.debug or 0
  effects.number(settings, argument or "2147483647", option)
  settings.debug = settings.debug | before
end

-- Only the first letter counts, as ever: "-O m".
local formats = { a = "auto", m = "magic", b = "bsd", ["4"] = "4.4bsd", p = "prof" }

function effects.format(settings, argument, option)
  settings.file_format = formats[argument:sub(1, 1)] or
    raise("unknown file format '%s': known are %s", argument,
      sentence(options.values(option), "and"))
  if settings.gnu_compat and settings.file_format == "prof" then
    raise("file format 'prof' is not with --gnu-compat, as GNU gprof cannot read it")
  end
end

function effects.demangling(settings, argument)
  settings.no_demangle = nil
  if argument and not core.demangling_style(argument) then
    raise("unknown demangling style '%s'", argument)
  end
end

-- Puts a symspec into tables: "include", "graph" and so on.
local function add_symspec(settings, side, table_name, spec, option)
  if not settings.gnu_compat and not spec:find("[%w_\128-\255]") then
    raise("option %s: '%s' names nothing", options.name(option), spec)
  end
  settings[side] = settings[side] or {}
  settings[side][table_name] = settings[side][table_name] or {}
  table.insert(settings[side][table_name], spec)
end

-- Into all tables that the option names.
local function symspec(side)
  return function(settings, argument, option)
    for table_name in option.detail:gmatch "%l+" do
      add_symspec(settings, side, table_name, argument, option)
    end
  end
end

effects.include = symspec "include"
effects.exclude = symspec "exclude"

-- "+graph", "-graph": a style is wanted (true), taken away (false), or was not mentioned
-- (nil). The last word about it counts. With a symspec the style is wanted, whether that
-- says what to include or to exclude; which option it was joined to is kept for messages.
function effects.style(settings, argument, option)
  local sign, name = option.detail:match "(.)(.*)"
  settings.styles[name] = argument ~= nil or sign == "+"
  if not argument then return end
  settings.joined = settings.joined or {}
  settings.joined[argument] = option.short
  local calls = name == "graph" and argument:find("/", 1, true)
  add_symspec(settings, sign == "+" and "include" or "exclude", calls and "arcs" or name,
    argument, option)
end

-- Roots of the tree add up.
function effects.tree(settings, argument, option)
  if settings.gnu_compat then return end
  settings.styles.tree = true
  if not argument then return end
  if not argument:find "[%w_\128-\255]" then
    raise("option %s: '%s' names nothing", options.name(option), argument)
  end
  settings.tree_roots = settings.tree_roots or {}
  table.insert(settings.tree_roots, argument)
end

function effects.arcs(settings, argument, option)
  if not settings.gnu_compat and not argument:find("/", 1, true) then
    raise("option %s takes FROM/TO, not '%s'", options.name(option), argument)
  end
  add_symspec(settings, "exclude", "arcs", argument, option)
end

local function check_name(argument, option, what)
  if argument ~= "" then return end
  raise("option %s: the name of a %s is empty", options.name(option), what)
end

function effects.path(settings, argument, option)
  check_name(argument, option, "file")
  settings[options.setting(option)] = argument
end

-- Names that add up, in the order given.
function effects.profiles(settings, argument, option)
  check_name(argument, option, "file")
  table.insert(settings.profiles_from, argument)
end

function effects.debugdir(settings, argument, option)
  check_name(argument, option, "directory")
  settings.debug_dir = settings.debug_dir or {}
  table.insert(settings.debug_dir, argument)
end

function effects.report(settings, argument, option)
  check_name(argument, option, "report")
  table.insert(settings.reports, argument)
end

-- What is old, and that only this is printed, unless there is more.
function effects.compare(settings, argument, option)
  check_name(argument, option, "file")
  settings.styles.comparison = true
  table.insert(settings.compare, argument)
end

-- What got slower may take several times as long.
function effects.growth(settings, argument, option)
  local percent = tonumber(argument:match "^(%d+%.?%d*)%%?$")
  if not percent then
    raise("option %s takes a percentage, not '%s'", options.name(option), argument)
  end
  settings[options.setting(option)] = percent
end

-- Libraries, in the order given.
function effects.libraries(settings, argument, option)
  check_name(argument, option, "file")
  settings.with = settings.with or {}
  table.insert(settings.with, argument)
end

local function add_export(settings, export, option)
  if not export.path and require "gprof.cli.exports".is_printed(settings.exports) then
    raise("option %s: one export only can go to standard output", options.name(option))
  end
  table.insert(settings.exports, export)
end

function effects.export(settings, argument, option)
  local export, problem = require "gprof.cli.exports".find(argument)
  if not export then raise("option %s: %s", options.name(option), problem) end
  add_export(settings, export, option)
end

-- A page is an export that has an option of its own.
function effects.html(settings, argument, option)
  check_name(argument, option, "file")
  add_export(settings, require "gprof.cli.exports".page(argument), option)
end

-- The symbols of a map are files, of which there is no order of functions.
local function check_one_order(settings)
  if settings.styles.function_order and settings.styles.file_order then
    raise("options -r (--function-ordering) and -R (--file-ordering) exclude each other")
  end
end

function effects.order(settings)
  settings.styles.function_order = true
  check_one_order(settings)
end

function effects.map(settings, argument, option)
  effects.path(settings, argument, option)
  settings.styles.file_order = true
  check_one_order(settings)
end

-- Time by line is of a profile by line.
function effects.time(settings)
  settings.annotate_time = true
  settings.line = true
  settings.styles.annotation = true
end

function effects.sum(settings, argument, option)
  effects.path(settings, argument, option)
  settings.styles.sum = true
end

-- A whole number of at most 64 bits: with the sign bit it is a negative one, as addresses
-- of kernels are.
local function offset_of(text)
  local sign, digits = text:match "^(%-?)(%d+)$"
  local hex = text:match "^%-?0[xX]0*(%x+)$"
  local value = digits and math.tointeger(tonumber(digits)) or
    hex and #hex <= 16 and tonumber("0x" .. hex)
  sign = sign or text:sub(1, 1)
  return value and (sign == "-" and -value or value)
end

function effects.slide(settings, argument, option)
  settings.slide = argument == "auto" and argument or offset_of(argument) or
    raise("option %s takes an offset of at most 64 bits, such as 4096 or -0x1000, or " ..
      "auto, not '%s'", options.name(option), argument)
end

local MOST_JOBS <const> = 1000

function effects.jobs(settings, argument, option)
  local count = argument == "auto" and math.min(core.processors(), MOST_JOBS) or
    argument:find "^%d+$" and math.tointeger(tonumber(argument))
  if not count or count < 1 or count > MOST_JOBS then
    raise("option %s takes a number from 1 to %d, or auto, not '%s'",
      options.name(option), MOST_JOBS, argument)
  end
  settings.jobs = count
end

-- Lists of directories add up.
function effects.directories(settings, argument)
  settings.directory_path = settings.directory_path or {}
  for _, directory in ipairs(require "gprof.library.source_text".directories(argument)) do
    table.insert(settings.directory_path, directory)
  end
end

return effects
