-- Writes profile files from tables, and reads the current format back. It is independent of the core, to check it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local pack <const>, unpack <const>, concat <const> = string.pack, string.unpack, table.concat

local gmon = {}

--- Returns the combinations of address size and byte order, each with an object format for `build.craft`.
-- @treturn {table,...} `name`; `pointer`, bytes of an address; `big`, the byte order; `target`, the object format: 32
--   bits little and big endian, 64 bits little and big endian, x86-64
function gmon.shapes()
  return {
    { name = "32-bit little-endian", pointer = 4, big = false, target = "elf32-little" },
    { name = "32-bit big-endian", pointer = 4, big = true, target = "elf32-big" },
    { name = "64-bit little-endian", pointer = 8, big = false, target = "elf64-little" },
    { name = "64-bit big-endian", pointer = 8, big = true, target = "elf64-big" },
    { name = "x86-64", pointer = 8, big = false, target = "elf64-x86-64" },
  }
end

local BATCH <const> = 200 -- values per call of string.pack, to amortize the cost of the call

local BSD44_VERSION <const> = 0x00051879

-- Converts our format strings to format strings of string.pack: P is an address, all else is the same.
local function layout(profile)
  local pointer = profile.pointer or 8
  assert(pointer == 4 or pointer == 8, "pointer: 4 or 8 expected")
  local order = profile.big and ">" or "<"
  return function(format)
    return order .. format:gsub("P", "I" .. pointer)
  end
end

-- Packs the bins, an array with `n` elements (default: its length). Missing elements are 0.
local function pack_bins(like, bins)
  local n = bins.n or #bins
  local full = like(("I2"):rep(BATCH))
  local parts, batch = {}, {}
  for first = 1, n, BATCH do
    local size = math.min(BATCH, n - first + 1)
    for i = 1, size do
      batch[i] = bins[first + i - 1] or 0
    end
    parts[#parts + 1] = pack(size == BATCH and full or like(("I2"):rep(size)), table.unpack(batch, 1, size))
  end
  return concat(parts), n
end

-- Writers for each kind of record: functions of (append, like, record, profile).
local writers = {}

function writers.histogram(append, like, record)
  local bins, n = pack_bins(like, record.bins)
  append(pack(like "BPPI4I4c15c1", 0, record.low, record.high, n, record.rate or 100,
    record.dimension or "seconds", record.abbreviation or "s"))
  append(bins)
end

function writers.arc(append, like, record)
  append(pack(like "BPPI4", 1, record.from, record.self, record.count))
end

function writers.blocks(append, like, record, profile)
  append(pack(like "BI4", 2, #record))
  if profile.version == 0 then
    append(pack("z", record.note or ""))
    local format = like "I8I8zzI4" -- independent of the address size
    for _, block in ipairs(record) do
      append(pack(format, block[2], block[1], block[3] or "", block[4] or "", block[5] or 0))
    end
  else
    local format = like "PP"
    for _, block in ipairs(record) do
      append(pack(format, block[1], block[2]))
    end
  end
end

function writers.raw(append, _, record)
  append(record.bytes)
end

--- Encodes a file in the current format.
-- @tparam table profile `pointer` (4 or 8, default 8), `big` (byte order, default little), `version` (default 1),
--   `spare` (12 bytes, default zero) and `records`, an array of:
--
--   * `{ kind = "histogram", low =, high =, bins = { n =, ... }, rate = 100, dimension = "seconds",
--     abbreviation = "s" }`: bins are counted from 1, missing ones are 0, `n` defaults to `#bins`;
--   * `{ kind = "arc", from =, self =, count = }`;
--   * `{ kind = "blocks", { address, count }, ... }`; in version 0 the record may have a `note`, and entries also hold
--     file, function and line;
--   * `{ kind = "raw", bytes = }`: arbitrary bytes.
-- @treturn string the bytes of the file
function gmon.magic(profile)
  local like = layout(profile)
  local parts = { pack(like "c4I4c12", "gmon", profile.version or 1, profile.spare or "") }
  local function append(bytes)
    parts[#parts + 1] = bytes
  end
  -- With a million arcs, function calls dominate the cost, so the arcs' format is computed once.
  local arc = like "BPPI4"
  for i, record in ipairs(profile.records) do
    if record.kind == "arc" then
      parts[#parts + 1] = pack(arc, 1, record.from, record.self, record.count)
    else
      local writer = writers[record.kind]
      if not writer then
        error(("record %d: unknown kind '%s'"):format(i, record.kind))
      end
      writer(append, like, record, profile)
    end
  end
  return concat(parts)
end

--- Encodes a file in the format of LD_PROFILE.
-- @tparam table profile `pointer`, `big`; `low`, `high`, `bins`, `rate`, `dimension`, `abbreviation` of the histogram;
--   `arcs`, an array of `{ from, self, count }`, both addresses as offsets from `low`; `claimed`, the number of arcs in
--   the header; `room`, the number of zero bytes after the arcs; `version`; `tags`, the tags of both records
-- @treturn string the bytes of the file
function gmon.shared(profile)
  local like = layout(profile)
  local tags = profile.tags or { 0, 1 }
  local bins, n = pack_bins(like, profile.bins)
  local parts = {
    pack(like "c4I4c12", "gmon", profile.version or 0x1ffff, ""),
    pack(like "I4PPI4I4c15c1", tags[1], profile.low, profile.high, n, profile.rate or 100,
      profile.dimension or "seconds", profile.abbreviation or "s"),
    bins, pack(like "I4I4", tags[2], profile.claimed or #profile.arcs),
  }
  for _, arc in ipairs(profile.arcs) do
    parts[#parts + 1] = pack(like "PPI4", arc[1], arc[2], arc[3])
  end
  parts[#parts + 1] = ("\0"):rep(profile.room or 0)
  return concat(parts)
end

-- Encodes a file in either BSD format: the common header, the rest of the header, bins, and arcs to the end.
local function bsd(profile, extra)
  local like = layout(profile)
  local bins = pack_bins(like, profile.bins or {})
  local format = like "PPI4"
  local size = string.packsize(format) + #extra + #bins
  local parts = { pack(format, profile.low, profile.high, profile.ncnt or size), extra, bins }
  local arc = like "PPP"
  for _, record in ipairs(profile.arcs or {}) do
    parts[#parts + 1] = pack(arc, record[1], record[2], record[3])
  end
  return concat(parts)
end

--- Encodes a file in the old BSD format, which has no sampling rate.
-- @tparam table profile `pointer`, `big`, `low`, `high`, `bins` as above; `arcs` an array of `{ from, self, count }`;
--   `ncnt`, a wrong size for the header
-- @treturn string the bytes of the file
function gmon.bsd(profile)
  return bsd(profile, "")
end

--- Encodes a file in the 4.4BSD format.
-- @tparam table profile as for `bsd`, with `rate` (default 100) and `version` (default 0x51879)
-- @treturn string the bytes of the file
function gmon.bsd44(profile)
  return bsd(profile, pack(layout(profile) "I4I4c12", profile.version or BSD44_VERSION, profile.rate or 100, ""))
end

--- Encodes a `mon.out` of System V: a header, call counters, and bins to the end.
-- @tparam table profile `pointer`, `big`, `low`, `high`, `bins` as above; `counters` an array of `{ address, calls }`;
--   `count`, a wrong number of counters for the header; `int`, whether that number is an int followed by padding
-- @treturn string the bytes of the file
function gmon.mon(profile)
  local like = layout(profile)
  local counters = profile.counters or {}
  local header = profile.int and like("PPI4c" .. (profile.pointer or 8) - 4) or like "PPP"
  local parts = { pack(header, profile.low, profile.high, profile.count or #counters, profile.int and "" or nil) }
  for _, counter in ipairs(counters) do
    parts[#parts + 1] = pack(like "PP", counter[1], counter[2])
  end
  parts[#parts + 1] = pack_bins(like, profile.bins or {})
  return concat(parts)
end

-- Readers for each kind of record, by tag: functions of (bytes, position, like) that return a record and the position
-- after it.
local readers = {}

readers[0] = function(bytes, at, like)
  local low, high, n, rate, dimension, abbreviation
  low, high, n, rate, dimension, abbreviation, at = unpack(like "PPI4I4c15c1", bytes, at)
  assert(at + 2 * n - 1 <= #bytes, "histogram cut short")
  local bins = { n = n }
  for first = 1, n, BATCH do
    local size = math.min(BATCH, n - first + 1)
    table.move({ unpack(like(("I2"):rep(size)), bytes, at) }, 1, size, first, bins)
    at = at + 2 * size
  end
  return {
    kind = "histogram", low = low, high = high, rate = rate, bins = bins,
    dimension = dimension:match("^(.-)\0*$"), abbreviation = abbreviation:match("^[^\0]*"),
  }, at
end

readers[1] = function(bytes, at, like)
  local record = { kind = "arc" }
  record.from, record.self, record.count, at = unpack(like "PPI4", bytes, at)
  return record, at
end

readers[2] = function(bytes, at, like)
  local record, format = { kind = "blocks" }, like "PP"
  local n
  n, at = unpack(like "I4", bytes, at)
  for i = 1, n do
    local block = {}
    block[1], block[2], at = unpack(format, bytes, at)
    record[i] = block
  end
  return record, at
end

--- Decodes a file in the current format (version 1). Raises an error if the file is invalid.
-- @tparam string bytes
-- @tparam[opt] table shape `pointer` and `big`, which the file does not contain
-- @treturn table the profile as for `magic`, which would encode it to the same bytes
function gmon.parse(bytes, shape)
  local profile = { pointer = shape and shape.pointer or 8, big = shape and shape.big or false, records = {} }
  local like = layout(profile)
  local magic, at
  magic, profile.version, profile.spare, at = unpack(like "c4I4c12", bytes)
  assert(magic == "gmon", "no magic")
  assert(profile.version == 1, "unsupported version")
  local records = profile.records
  while at <= #bytes do
    local reader = readers[bytes:byte(at)]
    if not reader then
      error(("offset %d: unknown tag %d"):format(at - 1, bytes:byte(at)))
    end
    records[#records + 1], at = reader(bytes, at + 1, like)
  end
  return profile
end

--- Selects the records of one kind.
-- @tparam table profile as returned by `parse`
-- @tparam string kind
-- @treturn table array of records
function gmon.select(profile, kind)
  local found = {}
  for _, record in ipairs(profile.records) do
    if record.kind == kind then
      found[#found + 1] = record
    end
  end
  return found
end

--- Writes a file.
-- @tparam string path
-- @tparam string bytes
-- @treturn string the path
function gmon.write(path, bytes)
  return shell.write(path, bytes)
end

--- Writes a copy of a profile with an offset added to all addresses.
-- @tparam string path
-- @tparam integer offset
-- @tparam[opt] function change modifies the decoded profile before it is written
-- @tparam[opt] table shape as for `parse`
-- @treturn string path of the copy
function gmon.moved(path, offset, change, shape)
  local profile = gmon.parse(shell.read(path), shape)
  local mask = profile.pointer == 4 and 0xFFFFFFFF or -1
  for _, record in ipairs(profile.records) do
    for _, field in ipairs { "low", "high", "from", "self" } do
      record[field] = record[field] and record[field] + offset & mask
    end
    for _, block in ipairs(record) do block[1] = block[1] + offset & mask end
  end
  if change then change(profile) end
  return gmon.write(shell.tmpdir "moved" .. "/gmon.out", gmon.magic(profile))
end

return gmon
