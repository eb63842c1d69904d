--- The table of options: all that the program, the help page and completion know about
-- them.
--
-- @internal gprof.cli.options
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = {}

-- One line per option: its letter, or a blank; its long name; its argument, =NAME if
-- required, [=NAME] if optional (attached to a short option); what it does, "flag" or an
-- action of gprof.cli.actions followed by that action's parameter, "+NAME" and "-NAME"
-- being the action "style"; and its text on the help page.
-- The table is text because every start of the program compiles it: as a Lua table it
-- would take ten times as long.

--- Titles of the groups on the help page, in order.
options.groups = { "Reports", "Analysis", "Miscellaneous", "Older forms" }

-- Options that GNU gprof has, too, by group of the help page.
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

-- Options that GNU gprof lacks, by group. An abbreviated name means one of these only if
-- no name of GNU gprof's begins with it.
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

-- Permitted values by long name; the help page lists them after a colon.
local values <const> = {
  demangle = { "none", "auto", "gnu-v3", "java", "gnat", "dlang", "rust" },
  ["file-format"] = { "auto", "magic", "bsd", "4.4bsd", "prof" },
  color = { "auto", "always", "never" },
  ["print-completion"] = { "bash", "zsh" },
  export = {
    "callgrind", "csv", "csv-arcs", "dot", "folded", "json", "pprof", "speedscope", "svg",
  },
}

-- The kind of file that an argument names, by action.
local takes <const> = {
  path = "files", map = "files", sum = "files", profiles = "files", report = "scripts",
  compare = "files", html = "files", libraries = "files", directories = "directories",
  debugdir = "directories",
}

--- The lines of the table, for `core.getopt`: options that GNU gprof has, too, and ours.
options.text = { gnu = table.concat(gnu), own = table.concat(own) }

local argument_kinds <const> = { [""] = "none", ["="] = "required", ["[="] = "optional" }

local pattern <const> = "^(.) ([%l-]*)(%[?=?)([%u/:[]*)%]? +(%l*)(%S*) +(.*)$"

local parsed = {}  -- options by line

--- Parses a line of the table, once.
-- @tparam string line
-- @treturn table `short` and `long`, its names; `argument`: "none", "required" or
--   "optional"; `value`: the argument's name on the help page; `takes`: "files",
--   "scripts" (Lua files) or "directories" if the argument is a path; `action` and its
--   parameter `detail`; `help`
function options.parse(line)
  if parsed[line] then return parsed[line] end
  local short, long, kind, value, action, detail, help = line:match(pattern)
  local option = {
    short = short ~= " " and short or nil, long = long ~= "" and long or nil,
    argument = argument_kinds[kind], value = value:gsub("%[.*", "%0]"),
    takes = takes[action], action = action ~= "" and action or "style", detail = detail,
    help = help }
  parsed[line] = option
  return option
end

-- Parses all lines of texts by group.
local function parse_all(groups)
  local list = {}
  for group, text in ipairs(groups) do
    local start, stop = 1, text:find("\n", 1, true)
    while stop do
      local option = options.parse(text:sub(start, stop - 1))
      start, stop = stop + 1, text:find("\n", stop + 1, true)
      option.group = group
      list[#list + 1] = option
    end
  end
  return list
end

local lists <const> = {
  gnu = function() return parse_all(gnu) end,
  own = function() return parse_all(own) end,
  all = function()
    local list = { table.unpack(options.gnu) }
    return table.move(options.own, 1, #options.own, #list + 1, list)
  end,
}

--- Options that GNU gprof has, too, each with the number of its `group`. The lists are
-- made on first use: most command lines need none.
-- @table options.gnu

--- Options of our own.
-- @table options.own

--- All options, in the order of the table.
-- @table options.all

setmetatable(options, { __index = function(_, name)
  options[name] = lists[name] and lists[name]()
  return rawget(options, name)
end })

--- An option as messages name it: "-w (--width)".
-- @tparam table option
-- @treturn string
function options.name(option)
  if option.short and option.long then
    return ("-%s (--%s)"):format(option.short, option.long)
  end
  return option.short and "-" .. option.short or "--" .. option.long
end

--- The permitted values of an option's argument.
-- @tparam table option
-- @treturn {string,...}|nil
function options.values(option)
  return option.takes == "scripts" and require "gprof.reports".own or
    values[option.long]
end

--- The key of the setting that an option changes.
-- @tparam table option
-- @treturn string
function options.setting(option)
  return (option.long:gsub("-", "_"))
end

return options
