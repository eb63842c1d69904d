--- Explanations of the reports, printed unless the option `brief` is set.
--
-- @internal gprof.print.explain
-- SPDX-License-Identifier: GPL-3.0-or-later

local explain = {}

-- How the time of callees is divided among their callers: in estimates, and if it was
-- measured. The texts replace DIVISION in an explanation.
local division <const> = {
  graph = { [false] = [[
Time is divided among callers in proportion to their calls: a caller with a
tenth of the calls is charged a tenth of the time. The calls are counted; the
times are estimates, as some calls take longer than others.]], [true] = [[
The times of callers and callees were measured: each sample counts for the
calls that led to it. A callee with 0 calls was compiled without -pg.
LIBRARIES]] },
  tree = { [false] = [[
The tree is an estimate: a profile records how often each caller called a
function, but not the path by which the caller was reached. Every call of a
function is therefore assumed to cost the same. The sum of a function's self
times over the whole tree does not depend on this estimate. A ? marks totals of
which less than half is certain: others call the function, or its callees.]], [true] = [[
The tree was measured: each sample counts for the calls that led to it. If
functions call each other recursively, the path continues where the callee ran
already.
LIBRARIES]] },
  bounds = { [false] = "The estimate above divides by calls.",
    [true] = "The times above were measured." },
}

-- Whether functions of shared libraries are shown. The texts replace LIBRARIES.
local libraries <const> = {
  [false] = [[
Calls from a library count as calls by the function that called the library.
Samples in libraries are not counted.]],
  [true] = [[
In a library without -pg, only the function with the sample or the call is
known.]],
}

explain.flat = [[

How to read the flat profile

Each line shows one function. Functions are sorted by the time spent in their
own code, then by calls, then by name. Functions without samples and calls are
omitted, unless -z is given.

 %         The function's share of the total sampled time. The column adds up
time       to about 100 %.

cumulative The time of this function and of all functions above it.
 seconds

 self      The time spent in this function's own code, without the functions
seconds    that it called. The table is sorted by this column.

calls      The number of calls, without recursive ones. Blank if no call was
           recorded: the function was never called, or it was compiled without
           -pg.

 self      The average time per call spent in the function's own code. The
 /call     unit is in the heading (ms/call: milliseconds), or in each row.

 total     The same, including the functions that it called. Only this column
 /call     is computed from the call graph.

name       The name of the function.

Time is sampled: at a fixed rate, the address that the program is executing is
recorded. The line above the table gives the time that one sample stands for.
The error of n samples is about the square root of n, so times of a few samples
are not reliable. Calls are counted, not sampled.
]]

--- Returns the explanation of a flat profile for one without calls.
-- @tparam string text `explain.flat` or `explain.bsd_flat`
-- @treturn string
function explain.without_calls(text)
  return (text:gsub("calls      .-(name  )", "%1"):gsub("by calls, then ", "")
    :gsub("samples and calls are\nomitted,", "samples are omitted,")
    :gsub(" Calls are counted, not sampled%.", ""))
end

explain.errors = [[

 self      The statistical error of the self time, in the same unit. For n
 error     samples it is the square root of n, but at least one sample. The true
           time is within one error in two of three runs, and within two errors
           in 19 of 20.
]]

explain.bounds = [[

 total     The least and the most time that can have passed in the function and
low, high  its callees, whatever the division of a callee's time among its
           callers was. DIVISION
]]

explain.tree = [[

How to read the call tree

Each line shows one function, called along the path of functions above it. Its
callees are indented below it, those with the most time first.

 %         The share of the total sampled time spent in the function and its
time       callees, on this path.

 total     The same, in the unit of the heading.

 self      The part of the total that was spent in the function's own code.

name       The name of the function, with (recursive) if it calls itself.
           Functions that call each other form a cycle, and are listed below
           it. A line in parentheses counts the callees that are not shown
           because they took too little time or are too deep, and gives their
           total time.

DIVISION
]]

explain.comparison = [[

How to read the comparison

Each line compares one function of the two programs. The largest change in self
time comes first. Functions without any change are omitted, unless -z is given;
so are those whose only changes are not comparable. All figures are means per
run.

 self      The time spent in the function's own code: in the old profile, in the
           new one, and the difference. It also grows if the compiler inlines
           functions that were called before; then the total does not.

 total     The same, including the functions that it called. Unless it was
           measured, the time of these is an estimate, which a new call elsewhere
           can change: "not comparable" stands where the true change may be
           anything (see --bounds). --record measures total times.

 calls     The number of calls by other functions.

 error     The statistical error of the change. A ~ follows if the change may be
           due to chance. The limit depends on how many time values are compared:
           if nothing has changed, at most one comparison in twenty shows any
           change without the mark.

 ratio     The new value divided by the old one; "new" if the old program lacks
           the function, "gone" if the new one does.

name       The name of the function, followed by its source file if the name is
           ambiguous, and by the old file if that was different. A function
           and its clones, such as f.isra.0, are added up if the programs have
           different clones of it.
]]

explain.spread = [[

How to read the spread

A run is one profile: of a process, or of a rank of a parallel job. Runs in which
a function had no time count with 0. The functions that lose most by imbalance
come first.

 lost      max - mean: the time that would be saved if all runs took the mean
           time, and the others wait for the slowest.

 max/mean  The imbalance; 1 if all runs have the same time.

 mean      The mean of the self times in all runs; also their minimum (min), their
           maximum (max) and their standard deviation.

 runs      The number of runs in which the function has time.

function   The name of the function. The first line is about the total time of
           each run.

maximum    The profile of the run with the maximum; the first one if there are
 in        several.

With --sort=calls, the columns show calls in place of times.
]]

explain.graph = [[

How to read the call graph

Each function has an entry. Lines of dashes separate the entries. The primary
line of an entry begins with a number in brackets. The lines above it show the
function's callers, the lines below it the functions that it called, its
callees. Entries are sorted by the time spent in the function and its callees.

Columns of the primary line:

 index     The number of the entry. It follows the function's name in all other
           lines: [7] refers to entry 7. An entry with its number in
           parentheses is not printed.

 % time    The share of the total time spent in this function and its callees.
           This time also counts for the callers, so the column can add up to
           more than 100 %.

 self      The time spent in the function's own code.

 children  The time spent in its callees on behalf of this function.

 called    The number of calls; after a +, the number of recursive calls.

 name      The name of the function, with the number of its cycle if it is a
           member of one.

Columns of a caller's line:

 self      The part of this function's self time that is due to this caller.
 children  The part of its children's time that is due to this caller.

 called    Calls by this caller / all calls of this function, without recursive
           ones.

Columns of a callee's line:

 self      The part of the callee's self time that is due to this function.
 children  The part of its children's time that is due to this function.

 called    Calls by this function / all calls of the callee, without recursive
           ones.

DIVISION

<spontaneous> replaces the callers if none is known: the system called the
function, as with main or a signal handler, or the caller was compiled without
-pg.

Functions that call each other, directly or indirectly, form a cycle. Time
cannot be divided among them, so calls within a cycle propagate no time, and
their lines show none. The cycle as a whole has an entry. Its primary line
shows the time spent in all members and their callees, and the number of calls
from outside + calls between members. The lines below it show the members, with
their times and calls. If a function outside the cycle calls a member, the line
of that call shows the part of the whole cycle's time that is due to that
function.
]]

explain.bsd_graph = [[
How to read the call graph

Each function has an entry. Lines of dashes separate the entries. The primary
line of an entry begins with a number in brackets. The lines above it show the
function's parents, which called it. The lines below it show its children,
which it called. Entries are sorted by the time spent in the function and its
descendants: the functions that it called, directly or indirectly.

Columns of the primary line:

 index        The number of the entry, by which other lines refer to it.

 %time        The share of the total time spent in the function and its
              descendants. This time also counts for the parents, so the
              column can add up to more than 100 %.

 self         The time spent in the function's own code.

 descendants  The time spent in its descendants on behalf of this function.

 called       The number of calls by other functions
 +self        and, after the +, of recursive calls.

 name         The name of the function, with the number of its cycle if it is
              a member of one, and the number of its entry: [7] refers to
              entry 7, (7) to an entry that is not printed.

Columns of a parent's line:

 self         The part of the function's self time that is due to this parent.
 descendants  The part of its descendants' time that is due to this parent.

 called       Calls by this parent
 /total       / all calls of the function, without recursive ones.

Columns of a child's line:

 self         The part of the child's self time that is due to the function.
 descendants  The part of its descendants' time that is due to the function.

 called       Calls by the function
 /total       / all calls of the child, without recursive ones.

<spontaneous> replaces the parents if none is known: the system called the
function, or the caller was compiled without -pg.

Functions that call each other, directly or indirectly, form a cycle. The cycle
as a whole has an entry. Its primary line shows the time spent in all members
and their descendants, and the number of calls from outside + calls between
members. The lines below it show the members, with their contributions. Calls
between members propagate no time, so their lines show none.
]]

explain.bsd_flat = [[
How to read the flat profile

Functions are sorted by the time spent in their own code.

 %         The function's share of the total sampled time.
time

cumulative The time of this function and of all functions above it.
 seconds

 self      The time spent in this function's own code.
seconds

calls      The number of calls by other functions. Blank if no call was
           recorded.

 self      The average milliseconds per call spent in the function's own code.
ms/call

 total     The same, including the functions that it called.
ms/call

name       The name of the function, and the number of its entry in the call
           graph, in parentheses if the entry is not printed.
]]

explain.objects = [[

How to read the times by object

Each line shows the program or one shared library, those with the most time
first.

 %         The share of the total sampled time spent in the object's own code.

seconds    The same, in the unit of the heading.

calls      The number of calls of its functions that were recorded. Blank if
           none was, as in libraries compiled without -pg.

name       The name of the program or library. For a library NAME without
           symbols, reports show the function <NAME>. "unknown code" is in no
           object: it was generated while the program ran.
]]

explain.lines = [[

How to read the list of lines

Each line shows one line of source code, those with the most time first. Time
in inlined functions belongs to their lines.

 %         The share of the total sampled time spent in the line's own code,
           without functions that it called.

seconds    The same, in the unit of the heading.

line       The file and the number of the line. Blank for code without line
           information, which has one row for each function.

function   The function whose code the line is. An inlined function has its
           own name.

source     The text of the line. Blank if the source was not found.
]]

explain.threads = [[

How to read the list of threads

Each line shows one thread, those with the most time first.

 %         The share of the samples of all threads.

seconds    The time that it used, in the program and in libraries.

calls      The number of calls that were recorded.

number     The number that the system gave the thread. Blank in sums, where
           threads with the same name are one.

name       The name of the thread. Threads whose records were joined are
           counted in parentheses.
]]

local inlines <const> = [[

inlined    In place of calls: the function was inlined into its caller. Inlined
           code is not called, so there is no count. CALLS
]]

local calls_of_inlined <const> = {
  [false] = [[Calls by an inlined
           function count for the compiled function around it, because the
           profile has only rounded addresses of calls.]],
  [true] = [[Calls by an inlined
           function are its own.]],
}

--- Returns the explanation of inlined functions in the call graph.
-- @tparam profile profile
-- @treturn string "" if it has none
function explain.inlined(profile)
  if not profile.has_inlines then return "" end
  return (inlines:gsub("CALLS", calls_of_inlined[profile.exact]))
end

--- Returns the explanation of a report on times of callees.
-- @tparam string name "graph" or "tree"
-- @tparam profile profile
-- @treturn string
function explain.times(name, profile)
  local text = division[name][profile.exact]:gsub("LIBRARIES",
    libraries[profile.has_libraries])
  return (explain[name]:gsub("DIVISION", { DIVISION = text }))
end

return explain
