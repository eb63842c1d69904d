-- Compiles programs of a few lines, and writes profiles for them with any samples and counts. The programs never run.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local shell = require "support.shell"

local small = {}

--- A source with special cases of line tables: two functions on a line, a loop in two pieces, lines without code.
small.text = [[
int leaf(int x) { return x + 1; } int twig(int x) { return x + 2; }
int loop(int n) {
  int y = 0;
  for (int i = 0; i < n;
       i++)
    y += leaf(i);
  if (y > 100)
    y = twig(y);
  return y;
}

int main(void) {
  return loop(3);
}
]]

-- Returns the addresses where code of each line begins, from objdump: { [file] = { [line] = { address, ... } } }, with
-- base names.
local function rows_of(image)
  local rows = {}
  local output = shell.check({ "objdump", "--dwarf=decodedline", image }, { env = { LC_ALL = "C" } }).stdout
  for file, line, address in output:gmatch "\n(%S+) +(%d+) +0x(%x+)" do
    rows[file] = rows[file] or {}
    local lines = rows[file]
    line = tonumber(line)
    lines[line] = lines[line] or {}
    table.insert(lines[line], tonumber(address, 16))
  end
  return rows
end

--- Compiles a program without a C library.
-- @tparam[opt] {[string]=string,...} sources texts keyed by file name; `small.text` as small.c if absent
-- @tparam[opt] string dir directory of all files
-- @tparam[opt] string ... flags for the compiler
-- @treturn table `dir`, `image`; `rows`, the addresses where code of each line begins, in line table order, as
--   `rows[file][line][n]`; `text`, the source if there is only one
function small.build(sources, dir, ...)
  sources = sources or { ["small.c"] = small.text }
  local made = { dir = dir or shell.tmpdir "small" }
  local argv = { "gcc", "-g", "-O0", "-nostdlib", "-nostartfiles", "-Wl,-e,main", "-o", "program", ... }
  local names = {}
  for name, text in pairs(sources) do
    local folder = name:match "^(.*)/"
    if folder then shell.check { "mkdir", "-p", made.dir .. "/" .. folder } end
    shell.write(made.dir .. "/" .. name, text)
    names[#names + 1] = name:find "%.c$" and name or nil
    made.text = text
  end
  table.sort(names)
  shell.check(table.move(names, 1, #names, #argv + 1, argv), { cwd = made.dir })
  made.image = made.dir .. "/program"
  made.rows = rows_of(made.image)
  return made
end

--- Rounds an address up to the next start of a bin of two bytes.
function small.even(address)
  return address + 1 & ~1
end

--- Writes a profile of a program.
-- @tparam table made as returned by `build`
-- @tparam table plan `ticks`, samples keyed by address, each in a bin of two bytes; `arcs`, { from, self, count } each;
--   `blocks`, { address, count } each; all are optional
-- @treturn string path
function small.profile(made, plan)
  local low, size = build.section(made.image, ".text")
  low = low & ~1
  local bins = { n = (size + 2) // 2 }
  for address, count in pairs(plan.ticks or {}) do
    bins[(address - low) // 2 + 1] = count
  end
  local records = { plan.ticks and { kind = "histogram", low = low, high = low + 2 * bins.n, bins = bins } }
  for _, arc in ipairs(plan.arcs or {}) do
    records[#records + 1] = { kind = "arc", from = arc[1], self = arc[2], count = arc[3] }
  end
  if plan.blocks then
    records[#records + 1] = { kind = "blocks", table.unpack(plan.blocks) }
  end
  return gmon.write(shell.tmpdir() .. "/gmon.out", gmon.magic { records = records })
end

--- Writes the profile of a run of `small.text` with three iterations of the loop: samples, arcs and blocks.
-- @tparam table made
-- @treturn string path of the profile
function small.run(made)
  local line, even = made.rows["small.c"], small.even
  local last_of_loop = line[4][#line[4]]
  return small.profile(made, {
    ticks = { [even(line[1][2])] = 6, [even(line[6][1])] = 2, [even(line[4][1])] = 1, [even(last_of_loop)] = 1 },
    arcs = {
      { line[6][1] + 3, line[1][1], 3 }, { line[13][1] + 3, line[2][1], 1 },
    },
    blocks = {
      { line[3][1], 1 }, { line[4][1], 1 }, { last_of_loop, 4 }, { line[5][1], 3 }, { line[6][1], 3 },
      { line[8][1], 0 }, { line[9][1] + 1, 1 }, { line[13][1], 1 },
    },
  })
end

return small
