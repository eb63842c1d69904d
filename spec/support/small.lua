-- Programs of a few lines that never run, and profiles of them: what was executed where is up to a spec.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local shell = require "support.shell"

local small = {}

--- A source with a function on each side of every question: two on a line, a loop in two pieces, lines without code.
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

-- Where objdump says that code of each line begins: { [file] = { [line] = { address, ... } } }, files by base names.
local function rows_of(image)
  local rows = {}
  local said = shell.check({ "objdump", "--dwarf=decodedline", image }, { env = { LC_ALL = "C" } }).stdout
  for file, line, address in said:gmatch "\n(%S+) +(%d+) +0x(%x+)" do
    rows[file] = rows[file] or {}
    local lines = rows[file]
    line = tonumber(line)
    lines[line] = lines[line] or {}
    table.insert(lines[line], tonumber(address, 16))
  end
  return rows
end

--- Compiles a program without a C library.
-- @tparam[opt] {[string]=string,...} sources text by name; `small.text` as small.c if absent
-- @tparam[opt] string dir directory for all of it
-- @tparam[opt] string ... flags for the compiler
-- @treturn table `dir`, `image`; `rows`, the addresses at which code of each line begins, in the order of the line
--   table, as `rows[file][line][n]`; `text`, the source if it is one
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

--- The first address of those from one on that a bin of two bytes can begin at.
function small.even(address)
  return address + 1 & ~1
end

--- Writes a profile of a program.
-- @tparam table made what `build` returned
-- @tparam table plan `ticks`, samples by address, each in a bin of two bytes; `arcs`, { from, self, count } each;
--   `blocks`, { address, count } each: any of them or none
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

--- A run of `small.text`: three turns of the loop, seen by all there is to see it.
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
