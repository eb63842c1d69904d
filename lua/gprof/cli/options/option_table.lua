--- The table of options, used by the program, the help page and shell completion.
--
-- @internal gprof.cli.options.option_table
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = {}

-- One line per option:
-- - its letter, or a blank;
-- - its long name;
-- - its argument: =NAME if required, [=NAME] if optional (attached to a short option);
-- - "*" if the commands that a page shows must repeat it, to print the same figures and
--   names;
-- - "flag", or an action of actions.lua followed by the action's parameter ("+NAME"
--   and "-NAME" stand for the action "style");
-- - its description on the help page. If it ends in a colon, the help page appends the
--   permitted values.
-- The table is text because it is compiled at every start of the program. A Lua table
-- would take ten times as long.

--- Titles of the groups on the help page, in order.
options.groups = { "Reports", "Analysis", "Miscellaneous", "Older forms" }

-- Options that GNU gprof has as well, by group of the help page.
local gnu <const> = { [[
A annotated-source[=SYMSPEC]    +annotation print annotated source with execution counts
b brief                         flag        do not print explanations of the reports
C exec-counts[=SYMSPEC]         +executions print how often each function was called
i file-info                     +info       print what the profile files contain
I directory-path=DIRS          *directories search DIRS (A:B:C) for source files
J no-annotated-source[=SYMSPEC] -annotation omit annotated source, or that of SYMSPEC
L print-path                    flag        print source file names with directories
p flat-profile[=SYMSPEC]        +flat       print the flat profile
P no-flat-profile[=SYMSPEC]     -flat       omit the flat profile, or SYMSPEC from it
q graph[=SYMSPEC]               +graph      print the call graph
Q no-graph[=SYMSPEC]            -graph      omit the call graph, or SYMSPEC from it
r function-ordering             order       print a function order for the linker
R file-ordering=MAP             map         print an object file order; MAP is nm output
t table-length=NUM              number      list NUM busiest lines per file (default 10)
T traditional                   flag        print reports in BSD style
w width=NUM                     width       wrap the index at NUM columns (default 80)
x all-lines                     flag        annotate every line of a basic block
y separate-files                flag        write annotated source to files NAME-ann
Z no-exec-counts[=SYMSPEC]      -executions omit execution counts, or those of SYMSPEC
  demangle[=STYLE]             *demangling  demangle names (default); styles:
  no-demangle                  *flag        print names as in the symbol table
  inline-file-names             flag        print file and line after each function name
]], [[
a no-static                    *flag         merge static functions into preceding ones
c static-call-graph            *flag         add calls found in the machine code
D ignore-non-functions         *flag         ignore symbols that are not functions
k =FROM/TO                     *arcs         ignore calls from FROM to TO
l line                          flag         profile source lines instead of functions
m min-count=NUM                 calls        omit execution counts below NUM
n time=SYMSPEC                 *include:time in the call graph, count only SYMSPEC's time
N no-time=SYMSPEC              *exclude:time in the call graph, ignore SYMSPEC's time
S external-symbol-table=FILE   *path         read symbols from FILE, e.g. /proc/kallsyms
z display-unused-functions     *flag         include functions without calls and time
]], [[
d debug[=NUM]                   debug        trace internal steps on standard error
h help                          flag         print this help
O file-format=NAME             *format       format of the profiles:
s sum                           +sum         write the sum of the profiles to gmon.sum
v version                       flag         print version and licence
]], [[
B        +graph             like -q
e =NAME *exclude:graph      omit the call graph entry of NAME
E =NAME *exclude:graph,time like -e, and ignore its time
f =NAME *include:graph      print only the entries of NAME and its callees
F =NAME *include:graph,time like -f, and count only their time
]] }

-- Options that GNU gprof lacks, by group. An abbreviated name means one of these only if
-- no GNU option begins with it.
local own <const> = { [[
  order-format=LINKER      choice   file format of -r:
  annotate-time            time     print annotated source with time per line
  color[=WHEN]             choice   use colours:
  errors                   flag     add the sampling error of each self time
  bounds                  *flag     add lower and upper bounds of total times
  inlines                  flag     show inlined functions as functions of their own
  top=N                    count    print only the first N functions or entries
  sort=FIELD               choice   sort the flat profile, or the comparison, by:
  tree[=FUNCTION]          tree     print a call tree, of all or from FUNCTION
  lines[=N]                lines    print the N source lines with most time (default 20)
  spread                   spread   print how functions differ between runs
  objects                  +objects print the time in the program and in each library
  threads                  +threads print the threads that were recorded
  tree-depth=N             count    limit the call tree to N levels
  tree-threshold=PERCENT   percent  tree: omit nodes below PERCENT (default 1)
  short-names              flag     omit parameters and template arguments of names
  full-names               flag     do not shorten names to the terminal's width
  report=NAME              report   print report NAME, or that of script FILE.lua
  export=KIND[:FILE]       export   write the profile for other tools:
  node-threshold=PERCENT   percent  dot, svg: omit functions below PERCENT (default 0.5)
  edge-threshold=PERCENT   percent  dot, svg: omit calls below PERCENT (default 0.1)
  html=FILE                html     write the profile as an HTML page
  compare=OLD              compare  print what changed since the profile OLD
  baseline=FILE            path     print what changed since the baseline FILE
  update-baseline          flag     write the profiles to the baseline, one run each
  fail-on=LIMITS           limits   exit with status 2 above limits: 5%,calls:1% ...
  force                    flag     compare even profiles from another build
  verify                   +verify  check that program, profile and source match
]], [[
  assume-proportional          *flag        ignore call paths: divide time by calls
  thread=NAME                  *threads     show only threads of this name, glob or number
  no-libraries                 *flag        omit recorded shared libraries
  debug-dir=DIR                *debugdir    also search DIR for debugging files
  with=LIBRARY[:PROFILE]       *libraries   add a shared library and its profile
  slide=OFFSET                 *slide       subtract OFFSET from all addresses, or auto
]], [[
  gnu-compat                    flag        with -b, print exactly what GNU gprof prints
  sum-file=FILE                 sum         like -s, but write to FILE
  profiles-from=FILE            profiles    read profile names from FILE, or tar:FILE
  skip-duplicates               flag        skip profiles that were already added
  jobs=N                        jobs        read with N processes; auto: one per processor
  by-build                      flag        write a sum for each build: gmon.BUILD-ID.sum
  checkpoint=FILE               path        save the sum in FILE, and resume it from there
  checkpoint-every=N            count       save it after every N profiles, not every 10 s
  keep-going                    flag        skip bad profiles, and report each
  sandbox                       flag        read the files in a sandboxed process
  sandbox-memory=MB             limit like --sandbox, limiting memory (default 2048)
  sandbox-time=SECONDS          limit like --sandbox, limiting CPU time (default 300)
  pager                         flag        show output in $PAGER (default less)
  no-progress                   flag        do not show progress on the terminal
  record                        flag        record PROGRAM or SCRIPT.lua [ARGUMENT...]
  rate=HZ                       rate        record: samples per second (default 1000)
  wall                          flag        record: also sample waiting threads
  count=WHAT                    choice      record: what to count in Lua (default calls):
  with-c                        flag        record: also the C functions of a Lua program
  memory=SIZE                   memory      record: limit for call paths (default 64M)
  no-paths                      flag        record: no callers in programs without -pg
  follow                        flag        record: also programs that PROGRAM starts
  output=PATTERN                output      record: name of the profile (%e %h %p %r)
  dump-signal=SIGNAL            choice      record: write the profile at this signal:
  dump-file=FILE                watched     record: write the profile when FILE is touched
  dump=PID                      process     make a recorded process write its profile
  anew                          flag        start a new profile after each dump
  pause=PID                     process     pause the recording of a process
  resume=PID                    process     resume the recording of a process
  print-completion=SHELL        choice      print shell completion:
  print-blocks-runtime          flag        print the path of the block-counting library
]], "" }

-- Maps the long name of an option to the permitted values of its argument.
local values <const> = {
  demangle = { "none", "auto", "gnu-v3", "java", "gnat", "dlang", "rust" },
  ["file-format"] = { "auto", "magic", "bsd", "4.4bsd", "prof" },
  color = { "auto", "always", "never" },
  sort = { "self", "total", "calls", "name" },
  ["order-format"] = { "lld", "call-graph", "gold", "ld" },
  count = { "lines", "calls", "none" },
  ["dump-signal"] = { "USR1", "USR2", "HUP", "QUIT", "PROF", "PWR", "URG", "WINCH" },
  ["print-completion"] = { "bash", "zsh" },
  export = {
    "callgrind", "cpuprofile", "csv", "csv-arcs", "dot", "folded", "json", "junit",
    "lcov", "markdown", "pprof", "sample-profile", "sarif", "speedscope", "svg",
  },
}

-- Maps each action whose argument is a path to what that path names.
local takes <const> = {
  path = "files", map = "files", sum = "files", profiles = "files", report = "scripts",
  compare = "files", html = "files", libraries = "files", directories = "directories",
  debugdir = "directories", watched = "files",
}

--- The lines of the table, for `core.getopt`: GNU gprof's options, and our own.
options.text = { gnu = table.concat(gnu), own = table.concat(own) }

--- Returns whether a word is the long name of an option without a letter. Does not parse
-- the table.
-- @tparam string name letters and dashes
-- @treturn boolean
function options.lacks_letter(name)
  local line = "\n  " .. name:gsub("%-", "%%-") .. "[ =[]"
  return ("\n" .. options.text.gnu .. "\n" .. options.text.own):find(line) ~= nil
end

local argument_kinds <const> = { [""] = "none", ["="] = "required", ["[="] = "optional" }

local pattern <const> = "^(.) ([%l-]*)(%[?=?)([%u/:[]*)%]? +(%*?)(%l*)(%S*) +(.*)$"

local parsed = {}  -- parsed options, indexed by their lines

--- Parses a line of the table, once.
-- @tparam string line
-- @treturn table `short` and `long`, its names; `argument`: "none", "required" or
--   "optional"; `value`: the argument's name on the help page; `takes`: "files",
--   "scripts" (Lua files) or "directories" if the argument is a path; `selects`, whether
--   it is marked with "*"; `action` and its parameter `detail`; `help`
function options.parse(line)
  if parsed[line] then return parsed[line] end
  local short, long, kind, value, mark, action, detail, help = line:match(pattern)
  local option = {
    short = short ~= " " and short or nil, long = long ~= "" and long or nil,
    argument = argument_kinds[kind], value = value:gsub("%[.*", "%0]"),
    takes = takes[action], action = action ~= "" and action or "style", detail = detail,
    help = help, selects = mark == "*" }
  parsed[line] = option
  return option
end

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

--- GNU gprof's options, each with the number of its `group`. This list and the next two
-- are made on first use, as most command lines need none of them.
-- @table options.gnu

--- Options that GNU gprof lacks.
-- @table options.own

--- All options, in the order of the table.
-- @table options.all

setmetatable(options, { __index = function(_, name)
  options[name] = lists[name] and lists[name]()
  return rawget(options, name)
end })

--- Returns the name of an option in messages: "-w (--width)".
-- @tparam table option
-- @treturn string
function options.name(option)
  if option.short and option.long then
    return ("-%s (--%s)"):format(option.short, option.long)
  end
  return option.short and "-" .. option.short or "--" .. option.long
end

--- Returns the name of the option that changes a setting, as `options.name` does.
-- @tparam string setting
-- @treturn string
function options.name_of(setting)
  for _, option in ipairs(options.all) do
    if option.long and options.setting(option) == setting then
      return options.name(option)
    end
  end
end

--- Returns the permitted values of an option's argument.
-- @tparam table option
-- @treturn {string,...}|nil
function options.values(option)
  return option.takes == "scripts" and require "gprof.reports".own or
    values[option.long]
end

--- Returns the key of the setting that an option changes.
-- @tparam table option
-- @treturn string
function options.setting(option)
  return (option.long:gsub("-", "_"))
end

return options
