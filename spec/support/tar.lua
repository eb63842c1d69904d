-- Writes tar archives, as POSIX and GNU tar define them. Independent of the core's reader.
-- SPDX-License-Identifier: GPL-3.0-or-later

local tar = {}

local function padded(text)
  return text .. ("\0"):rep(-#text % 512)
end

local function octal(number, size)
  return ("%0" .. size - 1 .. "o\0"):format(number)
end

--- Returns a header of 512 bytes.
-- @tparam table entry `name`; `type` (default "0"), `size` (a number, or the text of the field), `prefix`; `magic`:
--   "posix" (default), "gnu" or "none"; `checksum`, in place of the right one; `tail`: bytes at offset 345
-- @treturn string
function tar.header(entry)
  local magics = { posix = "ustar\00000", gnu = "ustar  \0", none = ("\0"):rep(8) }
  local size = type(entry.size) == "string" and entry.size or octal(entry.size or #(entry.content or ""), 12)
  local function block(checksum)
    local text = ("c100 c8 c8 c8 c12 c12 c8 c1 c100 c8 c32 c32 c8 c8"):gsub(" ", ""):pack(entry.name:sub(1, 100),
      octal(420, 8), octal(0, 8), octal(0, 8), size, octal(0, 12), checksum, entry.type or "0", "",
      magics[entry.magic or "posix"], "root", "root", octal(0, 8), octal(0, 8))
    return text .. ("c167"):pack(entry.tail or entry.prefix or "")
  end
  local sum, bytes = 0, block((" "):rep(8))
  for i = 1, #bytes do sum = sum + bytes:byte(i) end
  return block(entry.checksum or ("%06o\0 "):format(sum))
end

--- Returns an entry: its header and its content.
-- @tparam table entry as for `tar.header`, and `content`
-- @treturn string
function tar.entry(entry)
  return tar.header(entry) .. padded(entry.content or "")
end

--- Returns an extended header of pax.
-- @tparam {{string,string},...} records keys and values
-- @tparam[opt="x"] string kind "x" or "g"
-- @treturn string
function tar.pax(records, kind)
  local lines = {}
  for i, record in ipairs(records) do
    local rest = (" %s=%s\n"):format(record[1], record[2])
    local length = #rest + 1
    while #tostring(length) + #rest ~= length do length = length + 1 end
    lines[i] = length .. rest
  end
  return tar.entry { name = "PaxHeaders/x", type = kind or "x", content = table.concat(lines) }
end

--- Returns GNU tar's entry for a long name.
-- @tparam string name
-- @treturn string
function tar.long_name(name)
  return tar.entry { name = "././@LongLink", type = "L", magic = "gnu", content = name .. "\0" }
end

tar.END = ("\0"):rep(1024)

--- Returns an archive of files.
-- @tparam {{string,string},...} files names and contents
-- @treturn string
function tar.archive(files)
  local parts = {}
  for i, file in ipairs(files) do parts[i] = tar.entry { name = file[1], content = file[2] } end
  return table.concat(parts) .. tar.END
end

return tar
