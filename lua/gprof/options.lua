--- The options of the command line: what there is, and what was given.
--
-- One table says everything about every option; reading the command line, the help
-- page and messages all go by it.
--
-- @internal gprof.options
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local styles = require "gprof.styles"

local options = {}

--- The groups of the help page, in its order.
options.groups = { "Reports", "Analysis", "Miscellaneous", "Older forms" }

-- Handlers: each takes the settings and the argument. -----------------------------

local function raise(...)
  error({ message = string.format(...) }, 0)
end

local function flag(name)
  return function(settings) settings[name] = true end
end

-- A style is wanted (true), taken away (false), or was not mentioned (nil). The last
-- word about it counts.
local function style(name, wanted)
  return function(settings) settings.styles[name] = wanted end
end

-- GNU gprof takes as many digits as there are, none for 0, and the nearest number that
-- will do.
local function number(name, least, most)
  return function(settings, argument, option)
    local digits = argument:match("^%s*([+-]?%d+)")
    local value = math.max(least, math.min(tonumber(digits or 0), most)) // 1 | 0
    if not settings.gnu_compat and (digits ~= argument or value ~= tonumber(digits)) then
      raise("option %s takes a whole number from %d to %d, not '%s'", options.name(option),
        least, most, argument)
    end
    settings[name] = value
  end
end

-- Words in a sentence: "a, b and c".
local function sentence(words, last)
  return table.concat(words, ", ", 1, #words - 1) .. " " .. last .. " " .. words[#words]
end

-- One of the values that the option's row has; this one, if none is given.
local function choice(name, default)
  return function(settings, argument, option)
    for _, value in ipairs(option.values) do
      if value == (argument or default) then settings[name] = value return end
    end
    raise("option %s takes %s, not '%s'", options.name(option),
      sentence(option.values, "or"), argument)
  end
end

-- Topics add up. Without a number it is all of them.
local function set_debug(settings, argument, option)
  local before = settings.debug or 0
  number("debug", 0, 2147483647)(settings, argument or "2147483647", option)
  settings.debug = settings.debug | before
end

-- Only the first letter counts, as ever: "-O m".
local formats = { a = "auto", m = "magic", b = "bsd", ["4"] = "4.4bsd" }

local function set_format(settings, argument, option)
  local letter, known = argument:sub(1, 1), sentence(option.values, "and")
  if letter == "p" then
    raise("file format '%s' is not supported: known are %s", argument, known)
  end
  settings.file_format = formats[letter] or
    raise("unknown file format '%s': known are %s", argument, known)
end

local function set_demangling(settings, argument)
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

-- Any number of tables of one side.
local function symspec(side, ...)
  local tables = { ... }
  return function(settings, argument, option)
    for _, table_name in ipairs(tables) do
      add_symspec(settings, side, table_name, argument, option)
    end
  end
end

-- A report with a symspec is wanted, whether it says what to include or to exclude.
local function symspec_style(name, wanted)
  local apply = style(name, wanted)
  local side = wanted and "include" or "exclude"
  return function(settings, argument, option)
    if not argument then
      apply(settings)
    else
      local calls = name == "graph" and argument:find("/", 1, true)
      settings.styles[name] = true
      add_symspec(settings, side, calls and "arcs" or name, argument, option)
    end
  end
end

local exclude_arcs = symspec("exclude", "arcs")

local function set_deleted_arcs(settings, argument, option)
  if not settings.gnu_compat and not argument:find("/", 1, true) then
    raise("option %s takes FROM/TO, not '%s'", options.name(option), argument)
  end
  exclude_arcs(settings, argument, option)
end

local function check_name(argument, option, what)
  if argument ~= "" then return end
  raise("option %s: the name of a %s is empty", options.name(option), what)
end

local function path(name)
  return function(settings, argument, option)
    check_name(argument, option, "file")
    settings[name] = argument
  end
end

-- Names that add up, in the order given.
local function names(name, what)
  return function(settings, argument, option)
    check_name(argument, option, what)
    table.insert(settings[name], argument)
  end
end

-- The symbols of a map are files, of which there is no order of functions.
local function check_one_order(settings)
  if settings.styles.function_order and settings.styles.file_order then
    raise("options -r (--function-ordering) and -R (--file-ordering) exclude each other")
  end
end

local function set_function_ordering(settings)
  settings.styles.function_order = true
  check_one_order(settings)
end

local function set_file_ordering(settings, argument, option)
  path("file_ordering")(settings, argument, option)
  settings.styles.file_order = true
  check_one_order(settings)
end

-- Time by line is of a profile by line.
local function set_annotate_time(settings)
  settings.annotate_time = true
  settings.line = true
  settings.styles.annotation = true
end

local function set_sum_file(settings, argument, option)
  path("sum_file")(settings, argument, option)
  settings.styles.sum = true
end

local MOST_JOBS <const> = 1000

local function set_jobs(settings, argument, option)
  local count = argument == "auto" and math.min(core.processors(), MOST_JOBS) or
    argument:find "^%d+$" and math.tointeger(tonumber(argument))
  if not count or count < 1 or count > MOST_JOBS then
    raise("option %s takes a number from 1 to %d, or auto, not '%s'", options.name(option),
      MOST_JOBS, argument)
  end
  settings.jobs = count
end

-- Lists of directories add up.
local function add_directories(settings, argument)
  settings.directory_path = settings.directory_path or {}
  for _, directory in ipairs(require "gprof.source_text".directories(argument)) do
    table.insert(settings.directory_path, directory)
  end
end

-- GNU gprof's options ---------------------------------------------------------------
--
-- short, long: the names. argument: "none", "required" or "optional" (attached to a
-- short option, after = on a long one). value: what the help page calls it. handle:
-- what it does. group, help: for the help page. values: words to choose from, which the
-- help page lists where a colon ends the text. takes: "files", "scripts" (of Lua) or
-- "directories", if the argument is the name of one.

--- Options that GNU gprof has, too.
options.gnu = {
  { short = "A", long = "annotated-source", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("annotation", true),
    group = 1, help = "source text with execution counts" },
  { short = "b", long = "brief", argument = "none", handle = flag "brief",
    group = 1, help = "leave the explanations out" },
  { short = "C", long = "exec-counts", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("executions", true),
    group = 1, help = "how often each function was called by others" },
  { short = "i", long = "file-info", argument = "none", handle = style("info", true),
    group = 1, help = "what the profile files hold" },
  { short = "I", long = "directory-path", argument = "required", value = "DIRS",
    takes = "directories", handle = add_directories,
    group = 1, help = "where to look for source: A:B:C" },
  { short = "J", long = "no-annotated-source", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("annotation", false),
    group = 1, help = "no source text, or not that of these symbols" },
  { short = "L", long = "print-path", argument = "none", handle = flag "print_path",
    group = 1, help = "names of source files with their directories" },
  { short = "p", long = "flat-profile", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("flat", true),
    group = 1, help = "the flat profile, or that of these symbols" },
  { short = "P", long = "no-flat-profile", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("flat", false),
    group = 1, help = "no flat profile, or one without these symbols" },
  { short = "q", long = "graph", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("graph", true),
    group = 1, help = "the call graph, or that of these symbols" },
  { short = "Q", long = "no-graph", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("graph", false),
    group = 1, help = "no call graph, or one without these symbols" },
  { short = "B", argument = "none", handle = style("graph", true),
    group = 4, help = "the same as -q" },
  { short = "r", long = "function-ordering", argument = "none",
    handle = set_function_ordering,
    group = 1, help = "an order of functions that keeps callers near" },
  { short = "R", long = "file-ordering", argument = "required", value = "MAP",
    takes = "files", handle = set_file_ordering,
    group = 1, help = "an order of object files; MAP is made by nm" },
  { short = "t", long = "table-length", argument = "required", value = "NUM",
    handle = number("table_length", 0, 2147483647),
    group = 1, help = "how many lines to list below annotated source" },
  { short = "T", long = "traditional", argument = "none", handle = flag "traditional",
    group = 1, help = "reports in the style of BSD" },
  { short = "w", long = "width", argument = "required", value = "NUM", handle = number("width", 1, 1000000),
    group = 1, help = "width of the index, in characters (80)" },
  { short = "x", long = "all-lines", argument = "none", handle = flag "all_lines",
    group = 1, help = "annotate every line of a block" },
  { short = "y", long = "separate-files", argument = "none", handle = flag "separate_files",
    group = 1, help = "write annotated source into files NAME-ann" },
  { short = "Z", long = "no-exec-counts", argument = "optional", value = "SYMSPEC",
    handle = symspec_style("executions", false),
    group = 1, help = "no execution counts, or not those of these" },
  { long = "demangle", argument = "optional", value = "STYLE",
    values = { "none", "auto", "gnu-v3", "java", "gnat", "dlang", "rust" },
    handle = set_demangling,
    group = 1, help = "names as in the source: auto, none ..." },
  { long = "no-demangle", argument = "none", handle = flag "no_demangle",
    group = 1, help = "names as in the symbol table" },
  { long = "inline-file-names", argument = "none", handle = flag "inline_file_names",
    group = 1, help = "file and line behind each function's name" },

  { short = "a", long = "no-static", argument = "none", handle = flag "no_static",
    group = 2, help = "leave static functions out" },
  { short = "c", long = "static-call-graph", argument = "none", handle = flag "static_call_graph",
    group = 2, help = "add calls that are found in the code" },
  { short = "D", long = "ignore-non-functions", argument = "none",
    handle = flag "ignore_non_functions",
    group = 2, help = "leave symbols out that are no functions" },
  { short = "k", argument = "required", value = "FROM/TO",
    handle = set_deleted_arcs,
    group = 2, help = "leave calls from FROM to TO out" },
  { short = "l", long = "line", argument = "none", handle = flag "line",
    group = 2, help = "by line of source instead of by function" },
  { short = "m", long = "min-count", argument = "required", value = "NUM",
    handle = number("min_count", 0, 2147483647),
    group = 2, help = "leave out what was executed less often" },
  { short = "n", long = "time", argument = "required", value = "SYMSPEC",
    handle = symspec("include", "time"),
    group = 2, help = "only their time counts in the call graph" },
  { short = "N", long = "no-time", argument = "required", value = "SYMSPEC",
    handle = symspec("exclude", "time"),
    group = 2, help = "their time does not count there" },
  { short = "S", long = "external-symbol-table", argument = "required", value = "FILE",
    takes = "files", handle = path "external_symbol_table",
    group = 2, help = "symbols from FILE, such as /proc/kallsyms" },
  { short = "z", long = "display-unused-functions", argument = "none",
    handle = flag "display_unused_functions",
    group = 2, help = "functions without calls and time, too" },

  { short = "d", long = "debug", argument = "optional", value = "NUM",
    handle = set_debug,
    group = 3, help = "trace the work on standard error" },
  { short = "h", long = "help", argument = "none", handle = flag "help",
    group = 3, help = "this page" },
  { short = "O", long = "file-format", argument = "required", value = "NAME",
    values = { "auto", "magic", "bsd", "4.4bsd" }, handle = set_format,
    group = 3, help = "format of the profiles:" },
  { short = "s", long = "sum", argument = "none", handle = style("sum", true),
    group = 3, help = "write the sum of the profiles to gmon.sum" },
  { short = "v", long = "version", argument = "none", handle = flag "version",
    group = 3, help = "version and licence" },

  { short = "e", argument = "required", value = "NAME",
    handle = symspec("exclude", "graph"),
    group = 4, help = "no entry for this function in the call graph" },
  { short = "E", argument = "required", value = "NAME",
    handle = symspec("exclude", "graph", "time"),
    group = 4, help = "the same, and its time does not count" },
  { short = "f", argument = "required", value = "NAME",
    handle = symspec("include", "graph"),
    group = 4, help = "entries for this function and below it only" },
  { short = "F", argument = "required", value = "NAME",
    handle = symspec("include", "graph", "time"),
    group = 4, help = "the same, and only their time counts" },
}

--- Options of our own. Their names may be abbreviated where the abbreviation is that
-- of none of GNU gprof's.
options.own = {
  { long = "gnu-compat", argument = "none", handle = flag "gnu_compat",
    group = 3, help = "reports as GNU gprof prints them under -b" },
  { long = "annotate-time", argument = "none", handle = set_annotate_time,
    group = 1, help = "the source by line, with counts and seconds" },
  { long = "sum-file", argument = "required", value = "FILE",
    takes = "files", handle = set_sum_file,
    group = 3, help = "the same as -s, into another file" },
  { long = "profiles-from", argument = "required", value = "FILE",
    takes = "files", handle = names("profiles_from", "file"),
    group = 3, help = "a list of profiles, one a line" },
  { long = "jobs", argument = "required", value = "N", handle = set_jobs,
    group = 3, help = "add up with N processes (1), or auto" },
  { long = "keep-going", argument = "none", handle = flag "keep_going",
    group = 3, help = "leave bad profiles out, and say which" },
  { long = "no-progress", argument = "none", handle = flag "no_progress",
    group = 3, help = "never show how far long sums are" },
  { long = "color", argument = "optional", value = "WHEN",
    values = { "auto", "always", "never" }, handle = choice("color", "always"),
    group = 1, help = "colours:" },
  { long = "print-completion", argument = "required", value = "SHELL",
    values = { "bash", "zsh" }, handle = choice "print_completion",
    group = 3, help = "completion of options for a shell:" },
  { long = "report", argument = "required", value = "NAME", values = styles.reports(),
    takes = "scripts", handle = names("reports", "report"),
    group = 1, help = "gprof.report.NAME, or FILE.lua of yours" },
  { long = "print-blocks-runtime", argument = "none", handle = flag "print_blocks_runtime",
    group = 3, help = "path of what counts blocks, to link with" },
}

-- Reading the command line ------------------------------------------------------------

--- An option as messages name it: "-w (--width)".
-- @tparam table option
-- @treturn string
function options.name(option)
  if option.short and option.long then
    return ("-%s (--%s)"):format(option.short, option.long)
  end
  return option.short and "-" .. option.short or "--" .. option.long
end

local colons = { none = "", required = ":", optional = "::" }

local function letters()
  local result = {}
  for _, option in ipairs(options.gnu) do
    if option.short then
      result[#result + 1] = option.short .. colons[option.argument]
    end
  end
  return table.concat(result)
end

local function with_long_name(list)
  local result = {}
  for _, option in ipairs(list) do
    if option.long then
      result[#result + 1] = option
    end
  end
  return result
end

local function by_name()
  local result = {}
  for _, list in ipairs { options.gnu, options.own } do
    for _, option in ipairs(list) do
      if option.short then result[option.short] = option end
      if option.long then result[option.long] = option end
    end
  end
  return result
end

-- Long options that begin with a word of the command line: "--fi" or "--fi=x".
local function candidates(word)
  local prefix = word:match("^%-%-([^=]*)")
  local found = {}
  for _, list in ipairs { options.gnu, options.own } do
    for _, option in ipairs(list) do
      if prefix and option.long and option.long:sub(1, #prefix) == prefix then
        found[#found + 1] = "--" .. option.long
      end
    end
    if found[1] then break end
  end
  return found
end

local function complain(kind, word)
  local found = candidates(word)
  if kind == "missing" then
    raise("option '%s' needs an argument", word)
  elseif kind == "superfluous" then
    raise("option '%s' takes no argument", word)
  elseif found[2] then
    raise("option '%s' is ambiguous: %s", word, table.concat(found, ", "))
  end
  raise("unknown option '%s' (-h lists them)", word)
end

-- Whether the program is asked about itself: then nothing else counts.
local function is_answered(settings)
  return settings.help or settings.version or settings.print_completion or
    settings.print_blocks_runtime
end

local function apply(settings, given)
  local known = by_name()
  for _, pair in ipairs(given) do  -- how other options are read depends on it
    settings.gnu_compat = settings.gnu_compat or pair[1] == "gnu-compat" or nil
  end
  for _, pair in ipairs(given) do
    local option = known[pair[1]]
    option.handle(settings, pair[2], option)
    if is_answered(settings) then break end
  end
end

-- Directories of the environment come after those of the command line.
local function add_environment(settings)
  local list = os.getenv "GPROF_PATH"
  if list then add_directories(settings, list) end
end

--- Reads a command line.
-- @tparam {string,...} arguments without the program's name; each `@FILE` stands for
--   the words in that file
-- @treturn table settings: the long names with underscores; `styles`, the reports
--   asked for (true) or taken away (false); `reports`, the names of others;
--   `profiles_from`, lists of profiles; `jobs`, how many processes; `operands`
-- @raise a table with the field `message`
function options.read(arguments)
  local settings = { styles = {}, reports = {}, profiles_from = {}, jobs = 1,
    file_format = "auto", width = 80 }
  local words = core.expand("gprof.lua", arguments)
  local given, operands, word, before =
    core.getopt(words, letters(), with_long_name(options.gnu), with_long_name(options.own))
  if given then
    apply(settings, given)
    add_environment(settings)
    settings.operands = operands
  else
    apply(settings, before)
    if not is_answered(settings) then
      complain(operands, word)
    end
  end
  return settings
end

return options
