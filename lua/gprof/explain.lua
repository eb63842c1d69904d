--- The texts that explain the reports, printed unless --brief is given.
--
-- @module gprof.explain
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

return explain
