-- Programs that are a row of functions: numbered from 0, of one size, one behind the other, with nothing in them. And
-- profiles of them, in which a bin of the histogram covers just one function.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gmon = require "support.gmon"
local shell = require "support.shell"

local row = {}

--- Where the first function begins, and how many bytes each has.
row.BASE, row.SIZE = 0x100000, 16

--- The name of a function.
-- @tparam integer i
-- @treturn string
function row.name(i)
  return ("f%07d"):format(i)
end

--- Where a function begins.
-- @tparam integer i
-- @treturn integer
function row.address(i)
  return row.BASE + row.SIZE * i
end

-- A function has no lines, and SIZE bytes of nothing.
local function nothing()
  return (".skip %d"):format(row.SIZE)
end

--- Makes an image of the functions 0 to n and one behind them.
-- @tparam integer n
-- @tparam[opt] function body of a number, which returns what the assembler is to make of that function. With it the
--   image has debugging information: of the lines that `.loc` names, or else those of the assembler's text
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

--- Calls of one function by another, as `gmon.magic` takes them.
-- @tparam integer from
-- @tparam integer to
-- @tparam integer count
-- @treturn table
function row.arc(from, to, count)
  return { kind = "arc", from = row.address(from) + 4, self = row.address(to), count = count }
end

--- The histogram of the functions `first` to `last`: one sample in each, but for those in `samples`.
-- @tparam integer first
-- @tparam integer last
-- @tparam[opt] {[integer]=integer} samples by function
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
