--- The texts that explain the reports, printed unless --brief is given.
--
-- @internal gprof.print.explain
-- SPDX-License-Identifier: GPL-3.0-or-later

local explain = {}

explain.flat = [[

How to read the flat profile

Each line is about one function. Functions come in the order of the time spent
in their own code, then of their calls, then of their names. A function that
took no sample and of which no call was recorded is left out, unless -z is
given.

 %         This function's share of all the time that was sampled. The column
time       adds up to about 100 %.

cumulative The time of this function and of all those above it.
 seconds

 self      The time spent in this function's own code, without the functions
seconds    that it called. The list is sorted by this column.

calls      How often the function was called, calls by itself left out. Blank if
           no call was recorded: the function was never called, or it was
           compiled without -pg.

 self      The time that one call took on the average in the function's own
 /call     code. The heading names the unit: ms/call are milliseconds.

 total     The same, together with the functions that it called. This is the
 /call     only column that the call graph has a part in.

name       The function.

Time is sampled: at a fixed rate, the program is looked at and found in some
function. The line above the table says what one sample counts as. A time of n
samples is right to about the square root of n samples: figures of a few
samples say little. Calls are counted, and exact.
]]

explain.errors = [[

 self      How far the self time may be off by chance: for n samples the square
 error     root of n, in the unit of the time, and never less than one sample. In
           two of three runs the time is within that error of what is true, in
           nineteen of twenty within twice as much.
]]

explain.tree = [[

How to read the call tree

Each line is about one function, on behalf of those above it, whose callees
stand below it, set to the right. The one with most time comes first.

 %         The share of all the time that was sampled which was spent there and
time       below.

 total     The same in the unit of the heading.

 self      What of it was spent in the function's own code.

name       The function; (recursive) if it calls itself. Functions that call
           each other in a circle stand below their cycle as a whole. In
           parentheses stands how many callees are not shown, as they are too
           light, or too deep, and the time that they have together.

The tree is an estimate: a profile knows how often a function was called by
each of its callers, and not on behalf of whom these were called. So all calls
of a function are taken to cost the same. Self times are exact in sum.
]]

explain.comparison = [[

How to read the comparison

Each line is about one function of both programs, the largest change of self
time first. Functions without any change are left out, unless -z is given. All
figures are those of one run: where there are profiles of several runs, their
mean.

 self      The time spent in the function's own code; in the old profile, in the
           new one, and how much more or less it is now.

 total     The same, together with the functions that it called.

 calls     How often the function was called by others.

 error     How far the change may be off by chance, as time is sampled. A mark,
           ~, stands behind the error if the change is not larger than chance
           alone may make it, considering how many times there are to compare:
           of comparisons in which nothing changed, one in twenty has any
           change without the mark.

 ratio     How many times as much it is now; or "new" if the old program does
           not have the function, "gone" if the new one does not.

name       The function, with its source file if there are several of the name,
           and where it was before if that was in another file.
]]

explain.graph = [[

How to read the call graph

Each function has an entry, set off by lines of dashes. The line that begins
with a number in brackets is the entry's own, its primary line. Above it stand
the functions that called this one, its callers; below it those that it
called, its callees. Entries come in the order of the time spent in the
function and in everything that it called.

In the primary line:

 index     The number of the entry. It stands behind the function's name where
           that is mentioned: [7] leads to entry 7. A number in parentheses has
           no entry printed.

 % time    The share of the whole time that was spent in this function and its
           callees. The time counts for the callers again: this column does not
           add up to 100 %.

 self      The time spent in the function's own code.

 children  The time spent in the functions that it called, as far as it was on
           its behalf.

 called    How often it was called. After a + stand calls by itself.

 name      The function; if it is a member of a cycle, with the cycle's number.

In the line of a caller:

 self      The part of this function's own time that is due to this caller,
 children  and the part of its children's time that is.

 called    Calls from this caller / all calls of this function but its own.

In the line of a callee:

 self      The part of the callee's own time that is due to this function,
 children  and the part of the callee's children's time that is.

 called    Calls by this function / all calls of the callee but its own.

Time is divided by calls: a caller that made a tenth of the calls bears a
tenth of the time. That is exact for what was counted, and an estimate for the
time, as not every call takes equally long.

<spontaneous> stands in the place of the callers if none is known: the system
called the function, as it does main or a signal handler, or the caller was
compiled without -pg.

Functions that call each other in a circle form a cycle. What one of them
spends in another cannot be told from what that one spends in it, so calls
within a cycle move no time, and their lines have blanks for it. Instead the
cycle as a whole has an entry of its own: its primary line has the time in all
its members and in what they called, and counts calls from outside + calls
among the members. Below it stand the members, each with its own time and
calls. Where a function outside calls a member, the line shows the part of the
whole cycle's time that is due to it.
]]

explain.bsd_graph = [[
How to read the call graph

Each function has an entry, set off by lines of dashes. The line that begins
with a number in brackets is the entry's own; the lines above it are about the
function's parents, those who called it, and the lines below it about its
children, those that it called. Entries come in the order of the time spent in
the function and in its descendants: all that it called, directly or not.

In a function's own line:

 index        The number of the entry, by which other lines refer to it.

 %time        The share of the whole time that was spent in the function and
              its descendants. What a child took counts for its parents again:
              this column does not add up to 100 %.

 self         The time spent in the function's own code.

 descendants  The time spent in its descendants, as far as it was on its behalf.

 called       How often it was called by others,
 +self        and, after the +, by itself.

 name         The function; if it is a member of a cycle, with the cycle's
              number; and where its entry is: [7] leads to entry 7, while (7)
              would have been entry 7, but is not printed.

In the line of a parent:

 self         The part of the function's own time that is due to this parent,
 descendants  and the part of its descendants' time that is.

 called       Calls by this parent
 /total       of all calls of the function, those by itself left out.

In the line of a child:

 self         The part of the child's own time that is due to the function,
 descendants  and the part of the child's descendants' time that is.

 called       Calls by the function
 /total       of all calls of the child, those by itself left out.

<spontaneous> stands for parents that nobody knows: the system called the
function, or something that was compiled without -pg.

Functions that call each other in a circle are a cycle, and share their time.
The cycle as a whole has an entry: its own line has the time of all members
and of what they called, and counts the calls from outside + those between
members. Below it stand the members, each with what it adds to that. Lines
about calls between members have no times, as such calls move none.
]]

explain.bsd_flat = [[
How to read the flat profile

Functions come in the order of the time spent in their own code.

 %         This function's share of all the time that was sampled.
time

cumulative The time of this function and of all those above it.
 seconds

 self      The time spent in this function's own code.
seconds

calls      How often the function was called by others; blank if that is not
           known to have happened.

 self      Milliseconds that one call took on the average in the function's own
ms/call    code,

 total     and together with all that it called from there.
ms/call

name       The function, and the number of its entry in the call graph, in
           parentheses if that is not printed.
]]

return explain
