--- Checks arguments and options of the library's functions, and raises errors about
-- invalid ones.
--
-- @internal gprof.library.arguments
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local policy = require "gprof.library.policy"

local arguments = {}

--- The scopes of symspecs. A symspec restricts the functions of a report ("flat",
-- "graph", "annotation", "executions"), the functions whose time is propagated ("time"),
-- or the calls ("arcs").
arguments.scopes = { "flat", "graph", "time", "annotation", "executions", "arcs" }

--- The scopes as a set.
arguments.is_scope = {}
for _, scope in ipairs(arguments.scopes) do arguments.is_scope[scope] = true end

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

-- Settings of the program that our reports ignore. They are accepted because a user's
-- report gets all settings, and may pass them on to one of ours.
local of_program = {
  file_format = "format", sum_file = "string", traditional = "boolean", styles = "table",
  reports = "table", exports = "table", operands = "table", profiles_from = "table",
  sum_target = "table", jobs = "integer", keep_going = "boolean",
  skip_duplicates = "boolean", checkpoint = "string", checkpoint_every = "integer",
  by_build = "boolean",
  no_progress = "boolean", profiles = "table",
  record = "boolean", record_reports = "boolean", dump_signal = "string",
  dump = "integer", anew = "boolean", pause = "integer", resume = "integer",
  follow = "boolean", rate = "integer", memory = "integer", output = "string",
  dump_file = "string", wall = "boolean", count = "string", with_c = "boolean",
  sandbox = "boolean", sandbox_memory = "integer", sandbox_time = "integer",
  compare = "table", fail_on = "table", failures = "table", force = "boolean",
  verdict = "table", baseline = "string", source_root = "string",
  update_baseline = "boolean",
  slide = "integer or 'auto'",
  debug_dir = "strings", given_to = "table", words = "strings", pager = "boolean",
  has_options = "boolean", no_libraries = "boolean", spread = "boolean",
}

--- Maps the name of each library function to its options and their kinds (see `checks`).
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
    dump_file = "string", wall = "boolean", count = "string",
    with_c = "boolean" },
  compare = { old_runs = "integer", new_runs = "integer", chance = "number" },
  report = with(of_program, with(of_profile, {
    brief = "boolean", width = "integer", print_path = "boolean",
    inline_file_names = "boolean", color = "boolean", all_lines = "boolean",
    annotate_time = "boolean", errors = "boolean", min_count = "integer",
    table_length = "integer", directory_path = "strings", separate_files = "boolean",
    warn = "function", continued = "boolean", comparison = "table",
    node_threshold = "number", edge_threshold = "number", top = "integer",
    tree_roots = "strings", tree_depth = "integer", tree_threshold = "number",
    terminal_width = "integer", full_names = "boolean", short_names = "boolean",
    sort = "sorting", lines = "integer", order_format = "order format",
  })),
}

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

-- The permitted values of the option `file_format`.
local formats <const> = {
  auto = true, magic = true, bsd = true, ["4.4bsd"] = true, prof = true,
}

--- Returns the type of a value, for messages.
-- @param value
-- @treturn string "integer", "gprof.image" ...
function arguments.type_of(value)
  local kind, meta = math.type(value) or type(value), getmetatable(value)
  return kind == "userdata" and type(meta) == "table" and meta.__name or kind
end
local type_of <const> = arguments.type_of

-- The functions `wrong_*` return what is wrong with a value; nil if it is valid.

local function wrong_format(value)
  if type(value) ~= "string" then return "string expected, got " .. type_of(value) end
  if not formats[value] then return ("invalid option '%s'"):format(value) end
end

-- Maps each class of objects to a field whose access fails if the object is closed.
local of_open <const> = {
  ["gprof.image"] = "pointer_size", ["gprof.data"] = "pointer_size",
  ["gprof.profile"] = "rate",
}

-- Rejects values of the wrong type, and closed objects.
local function wrong_object(value, kind)
  if type_of(value) ~= kind then
    return ("%s expected, got %s"):format(kind, type_of(value))
  end
  if not of_open[kind] then return nil end
  local open, problem = pcall(getmetatable(value).__index, value, of_open[kind])
  return not open and problem or nil
end

local function is_array_of_strings(value)
  if type(value) ~= "table" then return false end
  local count = 0
  for _, text in pairs(value) do
    count = type(text) == "string" and count + 1 or math.huge
  end
  return count == #value
end

local function wrong_strings(value)
  if is_array_of_strings(value) then return nil end
  return "array of strings expected" ..
    (type(value) == "table" and "" or ", got " .. type_of(value))
end

-- Returns the first symspec that is not FROM/TO; nil if there is none.
local function first_without_slash(specs)
  for _, spec in ipairs(specs) do
    if not spec:find("/", 1, true) then return spec end
  end
end

local sortings <const> = { self = true, total = true, calls = true, name = true }

local function wrong_sorting(value)
  if not sortings[value] then return "'self', 'total', 'calls' or 'name' expected" end
end

local order_formats <const> = {
  lld = true, ["call-graph"] = true, gold = true, ld = true,
}

local function wrong_order_format(value)
  if order_formats[value] then return nil end
  return "'lld', 'call-graph', 'gold' or 'ld' expected"
end

-- Returns what is wrong with the first invalid symspec; nil if all are valid.
local function first_problem(specs, arcs, options)
  for _, spec in ipairs(specs) do
    local problem = spec:find("/", 1, true) and
      require(policy.of(options).symspecs):problem(spec, arcs)
    if problem then return problem end
  end
end

-- Checks the option `include` or `exclude`: a table from scopes to arrays of symspecs.
-- GNU gprof accepts any symspec for calls.
local function wrong_symspecs(value, options)
  if type(value) ~= "table" then return "table expected, got " .. type_of(value) end
  for scope, specs in pairs(value) do
    if not arguments.is_scope[scope] then
      return ("no scope '%s'"):format(tostring(scope))
    end
    if not is_array_of_strings(specs) then
      return ("array of strings expected for '%s'"):format(scope)
    end
    local spec = scope == "arcs" and policy.of(options).checks_arguments and
      first_without_slash(specs)
    if spec then return ("FROM/TO expected for 'arcs', got '%s'"):format(spec) end
    local problem = first_problem(specs, scope == "arcs", options)
    if problem then return problem end
  end
end

-- Checks a symspec of functions, by our own rules.
local function wrong_symspec(value)
  if type(value) ~= "string" then return "string expected, got " .. type_of(value) end
  return first_problem({ value }, false, {})
end

-- Checks an entry of the option `with`.
local function wrong_library(entry)
  if type(entry) ~= "table" then return "table expected, got " .. type_of(entry) end
  for field in pairs(entry) do
    if field ~= "image" and field ~= "data" and field ~= "name" then
      return ("no field '%s'"):format(tostring(field))
    end
  end
  for _, field in ipairs { "image", "data" } do
    local problem = wrong_object(entry[field], "gprof." .. field)
    if problem then return ("field '%s': %s"):format(field, problem) end
  end
  if entry.name ~= nil and type(entry.name) ~= "string" then
    return "field 'name': string expected, got " .. type_of(entry.name)
  end
end

-- Checks an entry of the option `threads`.
local function wrong_thread(entry)
  if type(entry) == "string" then return nil end
  if type(entry) ~= "table" then
    return "string or table expected, got " .. type_of(entry)
  elseif type(entry.name) ~= "string" then
    return "field 'name': string expected, got " .. type_of(entry.name)
  elseif math.type(entry.number) ~= "integer" then
    return "field 'number': integer expected, got " .. type_of(entry.number)
  end
end

local function wrong_threads(value)
  if type(value) ~= "table" then return "table expected, got " .. type_of(value) end
  for i, entry in ipairs(value) do
    local problem = wrong_thread(entry)
    if problem then return ("thread %d: %s"):format(i, problem) end
  end
end

local function wrong_libraries(value)
  if type(value) ~= "table" then return "table expected, got " .. type_of(value) end
  for i, entry in ipairs(value) do
    local problem = wrong_library(entry)
    if problem then return ("library %d: %s"):format(i, problem) end
  end
end

-- Maps some kinds to functions that check a value. Such a function takes the value, and
-- the table of options that contains it. All other kinds are types of Lua or classes of
-- objects.
local checks <const> = {
  format = wrong_format, strings = wrong_strings, symspecs = wrong_symspecs,
  symspec = wrong_symspec, sorting = wrong_sorting, libraries = wrong_libraries,
  threads = wrong_threads,
  ["order format"] = wrong_order_format,
}

-- Returns what is wrong with a value of any kind. If the value is an option, `options` is
-- the table that contains it.
local function wrong(value, kind, options)
  if checks[kind] then return checks[kind](value, options) end
  if kind == "number" and type(value) == kind then return nil end
  local plain, word = kind:match "^(%S+) or '(%l+)'$"
  if not plain then return wrong_object(value, kind) end
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

--- Checks an optional table of options.
-- @param given the argument: a table or nil
-- @tparam integer number position of the argument
-- @tparam string name name of the function, a key of `known`
-- @treturn table the options
-- @raise "bad argument ..." if one is invalid
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
