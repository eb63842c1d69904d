-- Readers of profiles as trees: gmon.out, context profiles (doc/contexts.md), spreads of sums (doc/internals.md). All
-- are of little-endian 64-bit programs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local nodes = require "fuzz.repaired.nodes"

local number <const>, record <const>, text <const> = nodes.number, nodes.record, nodes.text
local sized <const>, counted <const>, many <const> = nodes.sized, nodes.counted, nodes.many

local profiles = {}

-- Returns a reader of numbers of one format.
local function numbers(name, format, fields)
  local readers = {}
  for field in fields:gmatch "%S+" do readers[#readers + 1] = number(name .. "." .. field, format) end
  return record(name, table.unpack(readers))
end

local function string4(name) return sized(name .. " size", "<I4", text(name)) end

-- gmon.out ------------------------------------------------------------------------------------------------------------

local HISTOGRAM <const> = 48 -- bytes of its header

local histogram <const> = function(bytes, at, stop)
  local bins = ("<I4"):unpack(bytes, at + 17)
  local head, after = record("histogram", number("tag", "B"), numbers("range", "<I8", "low high"),
    number("bins", "<I4"), number("rate", "<I4"), text("dimension", 15), text("abbreviation", 1),
    text("ticks", 2 * bins))(bytes, at, stop)
  assert(after == at + HISTOGRAM + 2 * bins - 3 or after <= stop)
  return head, after
end

local arc <const> = record("arc", number("tag", "B"), number("from", "<I8"), number("self", "<I8"),
  number("count", "<I4"))

local gmon_record <const> = nodes.choice(function(bytes, at) return bytes:byte(at) == 0 and histogram or arc end)

--- Reads a gmon.out with histograms and arcs.
profiles.gmon = record("gmon", text("magic", 4), number("version", "<I4"), number("stamp of spread", "<I4"),
  number("stamp of contexts", "<I8"), many("records", gmon_record))

-- Context profiles ----------------------------------------------------------------------------------------------------

local process <const> = record("process", numbers("process", "<I8",
  "id parent begin written memory lost errno low high"), number("rate", "<I4"), number("flags", "<I4"),
  string4 "command")

local module <const> = record("module", numbers("module", "<I8", "bias low high code code_end"),
  number("closed", "<I4"), string4 "build ID", string4 "path")

local call <const> = record("context record", number("context", "<I4"), number("entered", "<I4"),
  number("address", "<I8"), number("address", "<I8"), number("count", "<I8"))

local thread <const> = record("thread", numbers("thread", "<I4", "number id threads handlers"),
  numbers("thread", "<I8", "cpu signals inside"), string4 "thread name", counted("calls", "<I4", call))

local script_function <const> = record("function", string4 "source", numbers("function", "<I4",
  "first last signature rank"), string4 "name", counted("lines", "<I4", number("line", "<I4")))

local execution <const> = record("execution", number("line number", "<I4"), number("executions", "<I8"))

-- The contents of sections, by kind.
local sections <const> = {
  process, counted("modules", "<I4", module), thread, number("processes", "<I8"),
  many("functions", script_function), many("executions", execution),
}

local section <const> = nodes.choice(function(bytes, at)
  local kind = ("<I4"):unpack(bytes, at)
  return record("section", number("kind", "<I4"), sized("section size", "<I8", sections[kind] or text "section"))
end)

local END <const> = 12 -- bytes of the last section, without the checksum

--- Reads a context profile.
profiles.contexts = nodes.summed("checksum", record("context profile", text("magic", 8), number("mark", "<I4"),
  number("version", "<I2"), number("pointer", "<I2"), many("sections", section, END), number("end kind", "<I4"),
  number("end size", "<I8")))

-- Spreads -------------------------------------------------------------------------------------------------------------

local amounts <const> = record("amounts", numbers("amounts", "<I8", "runs sum least most squares squares"),
  number("who", "<I4"), number("padding", "<I4"))

--- Reads the spread of a sum.
profiles.spread = nodes.summed("checksum", record("spread", text("magic", 8), number("version", "<I4"),
  number("functions", "<I4"), number("checksum of functions", "<I4"), number("build ID size", "<I4"),
  text("build ID", 64), numbers("scale", "<I8", "units bins"), number("rate", "<I4"), text("dimension", 15),
  text("abbreviation", 1), number("padding", "<I4"), number("runs", "<I8"), number("skipped", "<I8"), amounts, amounts,
  counted("names", "<I4", string4 "run"),
  counted("records", "<I4", record("of function", number("address", "<I8"), amounts, amounts))))

-- Stamps --------------------------------------------------------------------------------------------------------------

-- Returns the checksum at the end of a file.
local function checksum(tree)
  local bytes = nodes.write(tree)
  return ("<I4"):unpack(bytes, #bytes - 3)
end

-- Returns the number in the header of a gmon.out that belongs to a context profile.
local function stamp_of(contexts)
  local process_of = nodes.find(contexts, "process")
  local is_sum = process_of and nodes.find(process_of, "process.id").value == 0
  if is_sum then return checksum(contexts) end
  local written = process_of and nodes.find(process_of, "process.written")
  return written and written.value or 0
end

local SHARED <const> = 0x1ffff -- a version of gmon.out

--- Writes into the header of a gmon.out which context profile and which spread belong to it.
-- @tparam table|nil gmon
-- @tparam table|nil contexts
-- @tparam table|nil spread
function profiles.stamp(gmon, contexts, spread)
  local head = gmon and nodes.find(gmon, "stamp of contexts")
  if head and contexts then head.value = stamp_of(contexts) end
  head = gmon and nodes.find(gmon, "stamp of spread")
  local sum = head and spread and checksum(spread)
  if sum then head.value = (sum == 0 or sum == SHARED) and 1 or sum end
end

return profiles
