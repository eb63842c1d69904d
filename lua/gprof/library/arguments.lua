--- What the functions of the library take, and what they say of anything else.
--
-- @internal gprof.library.arguments
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local arguments = {}

-- How the functions of an image are chosen and called.
local symbols = {
  no_static = "boolean", ignore_non_functions = "boolean", no_demangle = "boolean",
  external_symbol_table = "string", file_ordering = "string", gnu_compat = "boolean",
}

-- Where the rest of an image is.
local elsewhere = { debug_dir = "strings", warn = "function" }

local function with(known, more)
  for name, kind in pairs(known) do more[name] = kind end
  return more
end

-- What data are put on them by.
local of_profile = with(symbols, {
  static_call_graph = "boolean", line = "boolean or 'all'", include = "symspecs",
  exclude = "symspecs", display_unused_functions = "boolean", missed = "function",
  debug = "integer", with = "libraries",
})

-- What the program has, besides, when it calls a report of somebody:
-- who hands it on to one of ours.
local of_program = {
  file_format = "format", sum_file = "string", traditional = "boolean", styles = "table",
  reports = "table", exports = "table", operands = "table", profiles_from = "table",
  jobs = "integer", keep_going = "boolean", no_progress = "boolean", profiles = "table",
  sandbox = "boolean", sandbox_memory = "integer", sandbox_time = "integer",
  compare = "table", fail_on = "number", slide = "integer or 'auto'", verdict = "table",
  debug_dir = "strings", joined = "table", misfits = "boolean",
}

--- Types of options by name, by the function that takes them. An alternative, "boolean or
-- 'all'", is that word. Reports that are not ours take what they like.
arguments.known = {
  image = with(symbols, with(elsewhere, {})),
  data = { file_format = "format", mixed_rates = "boolean", debug = "integer",
    slide = "integer or 'auto'", external_symbol_table = "string" },
  new = { image = "gprof.image", pointer_size = "integer", big_endian = "boolean",
    mixed_rates = "boolean", debug = "integer" },
  profile = of_profile,
  compare = { old_runs = "integer", new_runs = "integer", chance = "number" },
  report = with(of_program, with(of_profile, {
    brief = "boolean", width = "integer", print_path = "boolean",
    inline_file_names = "boolean", color = "boolean", all_lines = "boolean",
    annotate_time = "boolean", errors = "boolean", min_count = "integer",
    table_length = "integer", directory_path = "strings", separate_files = "boolean",
    warn = "function", continued = "boolean", comparison = "table",
    node_threshold = "number", edge_threshold = "number", top = "integer",
    tree_roots = "strings", tree_depth = "integer", tree_threshold = "number",
    terminal_width = "integer", full_names = "boolean",
  })),
}

--- Raises a misuse.
-- @tparam integer number of the argument; 0 for the object of a method
-- @tparam string name of the function that was misused
-- @tparam integer level of its caller, who is to blame,
--   as for `error` where this is called
-- @tparam string problem a format
-- @param ... its values
-- @raise "bad argument #3 to 'profile' (...)"
function arguments.bad(number, name, level, problem, ...)
  local where = number == 0 and "calling '%s' on bad self" or
    "bad argument #" .. number .. " to '%s'"
  error((where .. " (%s)"):format(name, problem:format(...)), level + 1)
end

-- What files of data can be read as.
local formats <const> = {
  auto = true, magic = true, bsd = true, ["4.4bsd"] = true, prof = true,
}

--- The type of a value, as messages name it.
-- @param value
-- @treturn string "integer", "gprof.image" ...
function arguments.type_of(value)
  local kind, meta = math.type(value) or type(value), getmetatable(value)
  return kind == "userdata" and type(meta) == "table" and meta.__name or kind
end
local type_of <const> = arguments.type_of

-- What is wrong with the name of a file format; nil if nothing is.
local function wrong_format(value)
  if type(value) ~= "string" then return "string expected, got " .. type_of(value) end
  if not formats[value] then return ("invalid option '%s'"):format(value) end
end

-- Fields that only open objects have.
local of_open <const> = {
  ["gprof.image"] = "pointer_size", ["gprof.data"] = "pointer_size",
  ["gprof.profile"] = "rate",
}

-- What is wrong with an object: it is of another type, or closed, which its fields tell;
-- nil if nothing is.
local function wrong_object(value, kind)
  if type_of(value) ~= kind then
    return ("%s expected, got %s"):format(kind, type_of(value))
  end
  if not of_open[kind] then return nil end
  local open, problem = pcall(getmetatable(value).__index, value, of_open[kind])
  return not open and problem or nil
end

-- Kinds that are tables, and looked at where there is one.
local tables <const> = { strings = true, symspecs = true, libraries = true }

-- What is wrong with a value, which has to be of some kind, and is one of those that are
-- `given`; nil if nothing is.
local function wrong(value, kind, given)
  if tables[kind] then return require "gprof.library.tables"[kind](value, given) end
  if kind == "format" then return wrong_format(value) end
  if kind == "number" and type(value) == kind then return nil end
  local plain, word = kind:match "^(%S+) or '(%l+)'$"
  if not plain then return wrong_object(value, kind) end
  if type_of(value) == plain or value == word then return nil end
  return ("%s expected, got %s"):format(kind, type_of(value))
end
arguments.wrong = wrong  -- a value and a kind, and what is wrong with it, or nil

--- Checks an argument; images, data and profiles have to be open.
-- @param value
-- @tparam string kind "string", "integer", "gprof.image" ..., or "strings":
--   an array of them
-- @tparam integer number of the argument
-- @tparam string name of the function
-- @tparam[opt=3] integer level as for `error` where this is called
-- @return the value
function arguments.check(value, kind, number, name, level)
  local problem = wrong(value, kind)
  if not problem then return value end
  arguments.bad(number, name, level or 3, "%s", problem)
end

--- Checks options, which need not be there.
-- @param given what was passed for them
-- @tparam integer number of the argument
-- @tparam string name of the function, which has a table in `known`
-- @treturn table the options
function arguments.options(given, number, name)
  if given == nil then return {} end
  arguments.check(given, "table", number, name, 4)
  for option, value in pairs(given) do
    local kind = arguments.known[name][option]
    if not kind then
      arguments.bad(number, name, 3, "no option '%s'", tostring(option))
    end
    local problem = wrong(value, kind, given)
    if problem then arguments.bad(number, name, 3, "option '%s': %s", option, problem) end
  end
  return given
end

--- Those options of a table that a function takes.
-- @tparam table settings
-- @tparam string name of the function
-- @treturn table
function arguments.pick(settings, name)
  local picked = {}
  for option in pairs(arguments.known[name]) do picked[option] = settings[option] end
  return picked
end

--- What traces the work on the topics that options name.
-- @tparam table options
-- @treturn trace|nil nothing if they name none
function arguments.trace(options)
  return options.debug and core.trace(options.debug, io.stderr)
end

return arguments
