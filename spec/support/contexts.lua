-- Writes context profiles (doc/contexts.md) from tables. It is independent of the core and of the recorder.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = {}

-- The CRC-32 of each byte.
local crc_of = {}
for byte = 0, 255 do
  local sum = byte
  for _ = 1, 8 do sum = sum >> 1 ~ (sum & 1) * 0xedb88320 end
  crc_of[byte] = sum
end

--- Returns the CRC-32 of bytes.
-- @tparam string bytes
-- @treturn integer
function contexts.crc32(bytes)
  local sum = 0xffffffff
  for i = 1, #bytes do sum = sum >> 8 ~ crc_of[(sum ~ bytes:byte(i)) & 0xff] end
  return sum ~ 0xffffffff
end

local function process_section(order, process)
  return (order .. "i8i8I8I8I8I8I8I8I8I4I4s4"):pack(process.id or 1, process.parent or 0, process.begin or 0,
    process.finish or 0, process.limit or 1 << 26, process.lost or 0, process.clock_error or 0, process.low,
    process.high, process.rate or 1000, process.joined or 0, process.command or "program\0")
end

local function module_section(order, modules)
  local parts = { (order .. "I4"):pack(#modules) }
  for i, module in ipairs(modules) do
    parts[i + 1] = (order .. "I8I8I8I8I8I4s4s4"):pack(module.bias or 0, module.low, module.high,
      module.code or module.low, module.code_end or module.high, module.closed or 0, module.build_id or "",
      module.path or "program")
  end
  return table.concat(parts)
end

local function table_section(order, number, records)
  number = records.number or number
  local parts = { (order .. "I4I4I4I4I8I8I8s4I4"):pack(number, records.id or number, records.threads or 1,
    records.handlers or 0, records.cpu or 0, records.signals or 0, records.inside or 0, records.name or "thread",
    3 + #records) }
  for root = 0, 2 do parts[root + 2] = (order .. "I4I4I8I8I8"):pack(root, root, 0, 0, 0) end
  for i, record in ipairs(records) do
    parts[i + 4] = (order .. "I4I4I8I8I8"):pack(record.context, record.entered or i + 2, record.from,
      record.self or 0, record.count)
  end
  return table.concat(parts)
end

--- Encodes a file.
-- @tparam table profile `big`, the byte order; `process` and `modules`, with the fields that `recorder.read`
--   returns; `tables`, arrays of records (numbered from 3), each with `context`, `entered` (by default itself),
--   `from`, `self` (absent in samples) and `count`, and with the table's `number`, `id`, `name`, `threads`,
--   `handlers`, `cpu`, `signals`, `inside`; `processes`, their number in a sum; `sections`, pairs of a kind and bytes
--   that replace the usual sections; `version`, `pointer`, `sum` and `mark` for damaged files
-- @treturn string the bytes of the file
function contexts.pack(profile)
  local order = profile.big and ">" or "<"
  local sections = profile.sections or contexts.sections(profile)
  local parts = { "gprofctx", (order .. "I4I2I2"):pack(profile.mark or 0x01020304, profile.version or 1,
    profile.pointer or 8) }
  for _, section in ipairs(sections) do parts[#parts + 1] = (order .. "I4s8"):pack(section[1], section[2]) end
  parts[#parts + 1] = (order .. "I4I8"):pack(0, 4)
  local bytes = table.concat(parts)
  return bytes .. (order .. "I4"):pack(profile.sum or contexts.crc32(bytes))
end

--- Encodes the sections before the last.
-- @tparam table profile as for `pack`
-- @treturn {table,...} pairs of a kind and bytes
function contexts.sections(profile)
  local order = profile.big and ">" or "<"
  local sections = { { 1, process_section(order, profile.process) }, { 2, module_section(order, profile.modules) } }
  if profile.processes then table.insert(sections, 2, { 4, (order .. "i8"):pack(profile.processes) }) end
  for number, records in ipairs(profile.tables) do
    table.insert(sections, { 3, table_section(order, number, records) })
  end
  return sections
end

return contexts
