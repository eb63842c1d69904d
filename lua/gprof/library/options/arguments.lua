--- Checks arguments and options of the library's functions, and raises errors about
-- invalid ones.
--
-- @internal gprof.library.options.arguments
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local arguments = {}

-- Options that select the functions among the symbols of an image, and their names.
local symbols = {
  no_static = "boolean", ignore_non_functions = "boolean", no_demangle = "boolean",
  external_symbol_table = "string", file_ordering = "string", gnu_compat = "boolean",
}

-- Options for finding debugging files.
local debug_files = { debug_dir = "strings", warn = "function" }

-- Copies options into the table `target`, and returns it.
local function with(known, target)
  for name, kind in pairs(known) do target[name] = kind end
  return target
end

-- Options for making a profile.
local of_profile = with(symbols, {
  static_call_graph = "boolean", line = "boolean or 'all'", idle_blocks = "boolean",
  assume_proportional = "boolean",
  include = "symspecs", exclude = "symspecs", display_unused_functions = "boolean",
  missed = "function", debug = "integer", with = "libraries", bounds = "boolean",
  libraries = "boolean", threads = "threads", inlines = "boolean", frames = "boolean",
})

--- Maps the name of each library function to its options and their kinds (see `wrong`).
-- The kind "boolean or 'all'" accepts a boolean or the string "all". Users' reports
-- accept any options.
arguments.known = {
  image = with(symbols, with(debug_files, {})),
  data = { file_format = "format", mixed_rates = "boolean", debug = "integer",
    contexts = "boolean", assume_proportional = "boolean",
    slide = "integer or 'auto'", external_symbol_table = "string",
    spread = "boolean", warn = "function" },
  new = { image = "gprof.image", pointer_size = "integer", big_endian = "boolean",
    mixed_rates = "boolean", debug = "integer" },
  profile = of_profile,
  record = { warn = "function", rate = "integer", memory = "integer",
    dump_signal = "string", anew = "boolean", follow = "boolean", output = "string",
    dump_file = "string", wall = "boolean", no_paths = "boolean", count = "string",
    with_c = "boolean" },
  labels = { symbols = "boolean", short_names = "boolean", bare = "boolean",
    inline_file_names = "boolean", static_files = "boolean", references = "boolean",
    last_entry = "integer", print_path = "boolean", suffixes = "suffixes",
    width = "integer", ascii = "boolean" },
  compare = { old_runs = "integer", new_runs = "integer", chance = "number" },
}

-- The options of reports are many, and few programs check them.
setmetatable(arguments.known, { __index = function(known, name)
  if name ~= "report" then return nil end
  known.report = with(of_profile, require "gprof.library.options.report_options")
  return known.report
end })

--- Raises an error about an invalid argument.
-- @tparam integer number position of the argument; 0 for the object of a method
-- @tparam string name name of the function that was called
-- @tparam integer level stack level of its caller, as for `error` in the calling function
-- @tparam string problem a format
-- @param ... values to format
-- @raise "bad argument #3 to 'profile' (...)"
function arguments.bad(number, name, level, problem, ...)
  local where = number == 0 and "calling '%s' on bad self" or
    "bad argument #" .. number .. " to '%s'"
  error((where .. " (%s)"):format(name, problem:format(...)), level + 1)
end

--- Returns the type of a value, for messages.
-- @param value
-- @treturn string "integer", "gprof.image" ...
function arguments.type_of(value)
  local kind, meta = math.type(value) or type(value), getmetatable(value)
  local may_be_object = kind == "userdata" or kind == "table"
  return may_be_object and type(meta) == "table" and meta.__name or kind
end
local type_of <const> = arguments.type_of

-- Maps each class of objects to a field whose access fails if the object is closed.
local of_open <const> = {
  ["gprof.image"] = "pointer_size", ["gprof.data"] = "pointer_size",
  ["gprof.profile"] = "rate",
}

--- Returns what is wrong with an object; nil if it is valid. Rejects values of the wrong
-- type, and closed objects.
-- @param value
-- @tparam string kind a type of Lua, "integer" or a class of objects
-- @treturn string|nil
function arguments.wrong_object(value, kind)
  if type_of(value) ~= kind and type(value) ~= kind then
    return ("%s expected, got %s"):format(kind, type_of(value))
  end
  if not of_open[kind] then return nil end
  local open, problem = pcall(getmetatable(value).__index, value, of_open[kind])
  return not open and problem or nil
end

-- Kinds that are neither types of Lua nor classes of objects.
local special <const> = {
  count = true, format = true, libraries = true, ["order format"] = true,
  percentage = true, sorting = true, strings = true, suffixes = true, symspec = true,
  symspecs = true, threads = true,
}

-- Returns what is wrong with a value of any kind. If the value is an option, `options` is
-- the table that contains it.
local function wrong(value, kind, options)
  if special[kind] then
    local option_values = require "gprof.library.options.option_values"
    return option_values.problem(value, kind, arguments, options)
  end
  if kind == "number" and type(value) == kind then return nil end
  local plain, word = kind:match "^(%S+) or '(%l+)'$"
  if not plain then return arguments.wrong_object(value, kind) end
  if type_of(value) == plain or value == word then return nil end
  return ("%s expected, got %s"):format(kind, type_of(value))
end

--- Checks an argument. Images, data and profiles must be open.
-- @param value
-- @tparam string kind "string", "integer", "gprof.image" ..., "symspec", or "strings": an
--   array of strings
-- @tparam integer number position of the argument
-- @tparam string name name of the function
-- @tparam[opt=3] integer level as for `error` in the calling function
-- @return the value
-- @raise "bad argument ..." if it is invalid
function arguments.check(value, kind, number, name, level)
  local problem = wrong(value, kind)
  if not problem then return value end
  arguments.bad(number, name, level or 3, "%s", problem)
end

--- Checks a profile that is used with its data: both must be open.
-- @param profile the argument
-- @tparam integer number position of the argument; 0 for the object of a method
-- @tparam string name name of the function
-- @tparam[opt=3] integer level as for `error` in the calling function
-- @treturn profile
-- @raise "bad argument ..." if it is invalid
function arguments.check_with_data(profile, number, name, level)
  level = level or 3
  arguments.check(profile, "gprof.profile", number, name, level + 1)
  if not arguments.wrong_object(profile.data, "gprof.data") then return profile end
  arguments.bad(number, name, level, "the profile's data is closed")
end

--- Checks an optional table of options.
-- @param given the argument: a table or nil
-- @tparam integer number position of the argument
-- @tparam string name name of the function, a key of `known`
-- @treturn table the options
-- @raise "bad argument ..." if one is invalid
function arguments.options(given, number, name)
  if given == nil then return {} end
  arguments.check(given, "table", number, name, 4)
  local known = arguments.known[name]
  for option in pairs(given) do
    if not known[option] then
      arguments.bad(number, name, 3, "no option '%s'", tostring(option))
    end
  end
  for option, kind in pairs(known) do  -- the table can inherit options
    local value = given[option]
    local problem = value ~= nil and wrong(value, kind, given)
    if problem then arguments.bad(number, name, 3, "option '%s': %s", option, problem) end
  end
  return given
end

--- Picks the options that a function takes from a table.
-- @tparam table settings
-- @tparam string name of the function
-- @treturn table
function arguments.pick(settings, name)
  local picked = {}
  for option in pairs(arguments.known[name]) do picked[option] = settings[option] end
  return picked
end

--- Makes a trace, if the option `debug` asks for one.
-- @tparam table options `debug`: the topics to trace
-- @treturn trace|nil
function arguments.trace(options)
  return options.debug and core.trace(options.debug, io.stderr)
end

return arguments
