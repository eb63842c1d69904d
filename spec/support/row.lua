-- Makes images of adjacent empty functions of equal size, numbered from 0, and their profiles. Each bin of the
-- histogram covers one function.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local shell = require "support.shell"

local row = {}

--- The address of the first function, and the size of each in bytes.
row.BASE, row.SIZE = 0x100000, 16

--- Returns the name of a function.
-- @tparam integer i
-- @treturn string
function row.name(i)
  return ("f%07d"):format(i)
end

--- Returns the address of a function.
-- @tparam integer i
-- @treturn integer
function row.address(i)
  return row.BASE + row.SIZE * i
end

-- Returns the assembler text of a function body: SIZE zero bytes, without line numbers.
local function nothing()
  return (".skip %d"):format(row.SIZE)
end

--- Makes an image of the functions 0 to n + 1.
-- @tparam integer n
-- @tparam[opt] function body takes a function's number and returns its assembler text. With it the image has line
--   numbers: from `.loc` directives if there are any, otherwise from the assembler text
-- @treturn string path
function row.image(n, body)
  local dir, lines = shell.tmpdir "row", { ".text" }
  for i = 0, n + 1 do
    local name = row.name(i)
    lines[i + 2] = (".type %s,%%function\n%s: %s"):format(name, name, (body or nothing)(i))
  end
  shell.write(dir .. "/row.s", table.concat(lines, "\n") .. "\n")
  shell.check({ "as", "-o", "row.o", "row.s", body and "-g" }, { cwd = dir })
  shell.check({ "ld", "-e", "0", ("-Ttext=%#x"):format(row.BASE), "-o", "image", "row.o" }, { cwd = dir })
  return dir .. "/image"
end

--- Returns an arc between two functions, for `gmon.magic`.
-- @tparam integer from
-- @tparam integer to
-- @tparam integer count
-- @treturn table
function row.arc(from, to, count)
  return { kind = "arc", from = row.address(from) + 4, self = row.address(to), count = count }
end

--- Returns the histogram of the functions `first` to `last`, with one sample in each, or the number in `samples`.
-- @tparam integer first
-- @tparam integer last
-- @tparam[opt] {[integer]=integer} samples keyed by function
-- @treturn table
function row.histogram(first, last, samples)
  local bins = { n = last - first + 1 }
  for i = first, last do
    bins[i - first + 1] = samples and samples[i] or 1
  end
  return { kind = "histogram", low = row.address(first), high = row.address(last + 1), bins = bins }
end

--- Writes a profile.
-- @tparam {table,...} records
-- @treturn string path
function row.profile(records)
  return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
end

return row
