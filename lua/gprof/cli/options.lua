--- The options of the command line: what there is, and what was given.
--
-- One table says everything about every option; reading the command line, the help
-- page, completion and messages all go by it.
--
-- @internal gprof.cli.options
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local options = {}

-- The table of options --------------------------------------------------------------
--
-- A line for each: its letter, or a blank; its long name; its argument, =NAME if it needs
-- one, [=NAME] if it may have one (attached to a short option); its effect, "flag" or one
-- of gprof.cli.actions, with what that is to know; and what the help page says.
-- It is text, as every start of the program reads it: a table of Lua would take ten times
-- as long.

--- The groups of the help page, in its order.
options.groups = { "Reports", "Analysis", "Miscellaneous", "Older forms" }

-- Options that GNU gprof has, too, by group.
local gnu <const> = { [[
A annotated-source[=SYMSPEC]    +annotation source text with execution counts
b brief                         flag        leave the explanations out
C exec-counts[=SYMSPEC]         +executions how often each function was called by others
i file-info                     +info       what the profile files hold
I directory-path=DIRS           directories where to look for source: A:B:C
J no-annotated-source[=SYMSPEC] -annotation no source text, or not that of these symbols
L print-path                    flag        names of source files with their directories
p flat-profile[=SYMSPEC]        +flat       the flat profile, or that of these symbols
P no-flat-profile[=SYMSPEC]     -flat       no flat profile, or one without these symbols
q graph[=SYMSPEC]               +graph      the call graph, or that of these symbols
Q no-graph[=SYMSPEC]            -graph      no call graph, or one without these symbols
r function-ordering             order       an order of functions that keeps callers near
R file-ordering=MAP             map         an order of object files; MAP is made by nm
t table-length=NUM              number      how many lines to list below annotated source
T traditional                   flag        reports in the style of BSD
w width=NUM                     width       width of the index, in characters (80)
x all-lines                     flag        annotate every line of a block
y separate-files                flag        write annotated source into files NAME-ann
Z no-exec-counts[=SYMSPEC]      -executions no execution counts, or not those of these
  demangle[=STYLE]              demangling  names as in the source: auto, none ...
  no-demangle                   flag        names as in the symbol table
  inline-file-names             flag        file and line behind each function's name
]], [[
a no-static                     flag         leave static functions out
c static-call-graph             flag         add calls that are found in the code
D ignore-non-functions          flag         leave symbols out that are no functions
k =FROM/TO                      arcs         leave calls from FROM to TO out
l line                          flag         by line of source instead of by function
m min-count=NUM                 number       leave out what was executed less often
n time=SYMSPEC                  include:time only their time counts in the call graph
N no-time=SYMSPEC               exclude:time their time does not count there
S external-symbol-table=FILE    path         symbols from FILE, such as /proc/kallsyms
z display-unused-functions      flag         functions without calls and time, too
]], [[
d debug[=NUM]                   debug        trace the work on standard error
h help                          flag         this page
O file-format=NAME              format       format of the profiles:
s sum                           +sum         write the sum of the profiles to gmon.sum
v version                       flag         version and licence
]], [[
B       +graph             the same as -q
e =NAME exclude:graph      no entry for this function in the call graph
E =NAME exclude:graph,time the same, and its time does not count
f =NAME include:graph      entries for this function and below it only
F =NAME include:graph,time the same, and only their time counts
]] }

-- Options of our own. Their names may be abbreviated where the abbreviation is that of
-- none of GNU gprof's.
local own <const> = { [[
  annotate-time                 time        the source by line, with counts and seconds
  color[=WHEN]                  choice      colours:
  errors                        flag        a column for the error of each self time
  top=N                         count       the N functions and entries with most time
  tree[=FUNCTION]               tree        a tree of calls, estimated from the graph
  tree-depth=N                  count       no deeper than that many functions
  tree-threshold=PERCENT        percent     functions of less are not in the tree (1)
  full-names                    flag        do not shorten names on a terminal
  report=NAME                   report      gprof.report.NAME, or FILE.lua of yours
  export=KIND[:FILE]            export      for other tools, into FILE:
  node-threshold=PERCENT        percent     in dot and svg, no functions of less (0.5)
  edge-threshold=PERCENT        percent     nor calls of less (0.1)
  html=FILE                     html        a page for browsers, in one file
  compare=OLD                   compare     what changed since OLD, profiles of a program
  fail-on=PERCENT               growth      the status is 2 if that much got slower
  verify                        +verify     whether program and profile belong together
]], [[
  debug-dir=DIR                 debugdir    look for debugging files in DIR, too
  with=LIBRARY[:PROFILE]        libraries   a shared library, beside the program
  slide=OFFSET                  slide       how much higher its addresses are, or auto
]], [[
  gnu-compat                    flag        reports as GNU gprof prints them under -b
  sum-file=FILE                 sum         the same as -s, into another file
  profiles-from=FILE            profiles    a list of profiles, one a line
  jobs=N                        jobs        add up with N processes (1), or auto
  keep-going                    flag        leave bad profiles out, and say which
  sandbox                       flag        work in a process that can only read
  sandbox-memory=MB             limit       the same, with at most so much memory (2048)
  sandbox-time=SECONDS          limit       the same, with at most so much CPU time (300)
  no-progress                   flag        never show how far long sums are
  print-completion=SHELL        choice      completion of options for a shell:
  print-blocks-runtime          flag        path of what counts blocks, to link with
]], "" }

-- Words to choose from, by long name; the help page lists them behind a colon.
local values <const> = {
  demangle = { "none", "auto", "gnu-v3", "java", "gnat", "dlang", "rust" },
  ["file-format"] = { "auto", "magic", "bsd", "4.4bsd", "prof" },
  color = { "auto", "always", "never" },
  ["print-completion"] = { "bash", "zsh" },
  export = {
    "callgrind", "csv", "csv-arcs", "dot", "folded", "json", "pprof", "speedscope", "svg",
  },
}

-- What an argument is the name of, if it is that of a file, by effect.
local takes <const> = {
  path = "files", map = "files", sum = "files", profiles = "files", report = "scripts",
  compare = "files", html = "files", libraries = "files", directories = "directories",
  debugdir = "directories",
}

--- Raises what is wrong with an option.
-- @tparam string format
-- @param ... its values
-- @raise a table with the field `message`
function options.raise(...)
  error({ message = string.format(...) }, 0)
end

--- The value and what comes with it; or the end of the program with the message that came
-- in its place.
-- @param value
-- @tparam[opt] string message
-- @param ... more values
-- @return all of them
-- @raise a table with the field `message`, if there is no value
function options.need(value, message, ...)
  if value == nil then options.raise("%s", message) end
  return value, message, ...
end

--- Where a sum is written to.
-- @tparam table settings
-- @treturn string
function options.sum_path(settings)
  return settings.sum_file or "gmon.sum"
end

--- The profile that is meant where none is named.
-- @tparam table settings
-- @treturn string
function options.profile_path(settings)
  return settings.file_format == "prof" and "mon.out" or "gmon.out"
end

--- Whether functions are all those of the image, under its names: some options take
-- functions away, or make them parts of others.
-- @tparam table settings
-- @treturn boolean
function options.has_all_functions(settings)
  return not (settings.no_static or settings.external_symbol_table or
    settings.file_ordering)
end

-- The table's lines -------------------------------------------------------------------

local kinds <const> = { [""] = "none", ["="] = "required", ["[="] = "optional" }

local pattern <const> = "^(.) ([%l-]*)(%[?=?)([%u/:[]*)%]? +(%l*)(%S*) +(.*)$"

local known = {}  -- options by line

-- The option of a line: its names, `short` and `long`; `argument`: "none", "required" or
-- "optional"; `value`: what the help page calls that; `takes`: "files", "scripts" (of
-- Lua) or "directories", if it is the name of one; `effect` and `detail`, what that is to
-- know; `help`.
local function option_of(line)
  if known[line] then return known[line] end
  local short, long, kind, value, effect, detail, help = line:match(pattern)
  local option = {
    short = short ~= " " and short or nil, long = long ~= "" and long or nil,
    argument = kinds[kind], value = value:gsub("%[.*", "%0]"), takes = takes[effect],
    effect = effect ~= "" and effect or "style", detail = detail, help = help }
  known[line] = option
  return option
end

-- All options of texts by group. Such an option has the `group`, too.
local function all_of(groups)
  local all = {}
  for group, text in ipairs(groups) do
    local start, stop = 1, text:find("\n", 1, true)
    while stop do
      local option = option_of(text:sub(start, stop - 1))
      option.group = group
      all[#all + 1] = option
      start, stop = stop + 1, text:find("\n", stop + 1, true)
    end
  end
  return all
end

local texts <const> = { gnu = gnu, own = own }

--- Options that GNU gprof has, too; made when somebody wants them all.
-- @table options.gnu

--- Options of our own; likewise.
-- @table options.own

setmetatable(options, { __index = function(_, name)
  options[name] = texts[name] and all_of(texts[name])
  return rawget(options, name)
end })

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
    options.raise("option '%s' needs an argument", word)
  elseif kind == "superfluous" then
    options.raise("option '%s' takes no argument", word)
  elseif found[2] then
    options.raise("option '%s' is ambiguous: %s", word, table.concat(found, ", "))
  end
  local near = require "gprof.cli.hints".option(word)
  near = near and ": " .. near or ""
  options.raise("unknown option '%s'%s (-h lists them)", word, near)
end

--- The words that an option's argument is one of.
-- @tparam table option
-- @treturn {string,...}|nil
function options.values(option)
  return option.takes == "scripts" and require "gprof.reports".own or
    values[option.long]
end

--- What the setting is called that an option makes.
-- @tparam table option
-- @treturn string
function options.setting(option)
  return (option.long:gsub("-", "_"))
end

--- Has an option take effect. A flag needs none of the other effects.
-- @tparam table option
-- @tparam table settings
-- @tparam string|nil argument
-- @raise a table with the field `message`
function options.take_effect(option, settings, argument)
  if option.effect == "flag" then
    settings[options.setting(option)] = true
  else
    require "gprof.cli.actions"[option.effect](settings, argument, option)
  end
end

-- Whether the program is asked about itself: then nothing else counts.
local function is_answered(settings)
  return settings.help or settings.version or settings.print_completion or
    settings.print_blocks_runtime
end

local function apply(settings, given)
  for _, pair in ipairs(given) do  -- how other options are read depends on it
    pair[1] = option_of(pair[1])
    settings.gnu_compat = settings.gnu_compat or pair[1].long == "gnu-compat" or nil
  end
  for _, pair in ipairs(given) do
    options.take_effect(pair[1], settings, pair[2])
    if is_answered(settings) then break end
  end
end

-- Directories of the environment come after those of the command line.
local function add_environment(settings)
  local list = os.getenv "GPROF_PATH"
  if list then require "gprof.cli.actions".directories(settings, list) end
end

--- Reads a command line.
-- @tparam {string,...} arguments without the program's name; each `@FILE` stands for
--   the words in that file
-- @treturn table settings: the long names with underscores; `styles`, the reports
--   asked for (true) or taken away (false); `reports`, the names of others; `exports`;
--   `compare`, names of what is old; `profiles_from`, lists of profiles; `jobs`, how many
--   processes; `operands`
-- @raise a table with the field `message`
function options.read(arguments)
  local settings = { styles = {}, reports = {}, exports = {}, compare = {},
    profiles_from = {}, jobs = 1, file_format = "auto", width = 80 }
  local words, message = core.expand("gprof.lua", arguments)
  if not words then options.raise("%s", message) end
  local given, operands, word, before =
    core.getopt(words, table.concat(gnu), table.concat(own))
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
