-- Generates random C programs with control flow of every kind. They end soon, and leave parts of their code unused.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"

local random_program = {}

local random <const>, pick <const> = math.random, chance.pick

local FUNCTIONS <const>, DEPTH <const> = 6, 3 -- functions of a program; nesting of statements

-- Writes a program. Fields: its `lines`; for the current line, the `depth` of nesting and the numbers of `loops` and
-- `switches` around it; `callees`, the number of functions that it may call.
local writer = {}
writer.__index = writer

function writer:line(format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. format:format(...)
end

function writer:value()
  local kinds = { "a", "b", "a + b", "a - 1", tostring(random(-3, 9)), "a ? b : 1", "a & 3" }
  if self.callees > 0 and random(5) == 1 then
    return ("f%d(a + %d, b)"):format(random(self.callees), random(-2, 2))
  end
  return pick(kinds)
end

local function condition()
  local kinds = { "a > b", "a % 3 == 1", "b < 0", "a > 1000", "a == b && b > 2", "a < 0 || b & 1", "0 > tick()",
    "tick() > 0", "a > 900 && tick()" }
  return pick(kinds)
end

function writer:block(open, ...)
  self:line(open .. " {", ...)
  self.depth = self.depth + 1
  for _ = 1, random(3) do
    self:statement()
  end
  self.depth = self.depth - 1
end

-- Writes an assignment, on one line.
function writer:simple()
  self:line(pick { "a = %s;", "b += %s;", "a -= %s;", "sum += %s;" }, self:value())
end

-- Writes a statement that leaves the loop, switch or function. Code after it in the same block never runs.
function writer:leave()
  local ways = { "return a;", "return %s;", "goto out;" }
  if self.loops > 0 then
    table.move({ "continue;", "break;" }, 1, 2, #ways + 1, ways)
  elseif self.switches > 0 then
    ways[#ways + 1] = "break;"
  end
  self:line(pick(ways), self:value())
end

function writer:branch()
  self:block("if (%s)", condition())
  if random(2) == 1 then
    self:block("} else")
  end
  self:line("}")
end

function writer:short_branch()
  self:line("if (%s)", condition())
  self.depth = self.depth + 1
  self[random(2) == 1 and "simple" or "leave"](self)
  self.depth = self.depth - 1
  self:simple() -- otherwise, the compiler would merge two equal exits in a row
end

function writer:loop()
  self.loops = self.loops + 1
  local kind = random(3)
  if kind == 1 then
    self:block("for (int i = 0; i < (%s) %% 5 && tick(); i++)", self:value())
    self:line("}")
  elseif kind == 2 then
    self:block("while ((%s) && tick())", condition())
    self:line("}")
  else
    self:block("do")
    self:line("} while ((%s) && tick());", condition())
  end
  self.loops = self.loops - 1
end

function writer:cases()
  local loops = self.loops
  self.loops, self.switches = 0, self.switches + 1
  self:line("switch (%s) {", self:value())
  for number = 0, random(1, 4) do
    self:line("case %d:", number)
    self.depth = self.depth + 1
    for _ = 1, random(2) do
      self:statement()
    end
    if random(3) > 1 then
      self:line("break;")
    end
    self.depth = self.depth - 1
  end
  if random(2) == 1 then
    self:line("default:")
    self.depth = self.depth + 1
    self:simple()
    self.depth = self.depth - 1
  end
  self:line("}")
  self.loops, self.switches = loops, self.switches - 1
end

function writer:statement()
  local kinds = { "simple", "simple", "simple", "short_branch" }
  if self.depth <= DEPTH then
    table.move({ "branch", "branch", "loop", "cases", "short_branch" }, 1, 5, #kinds + 1, kinds)
  end
  self[pick(kinds)](self)
end

function writer:whole_function(number)
  self.callees = number - 1
  self:line("static int f%d(int a, int b)", number)
  self:line("{")
  self.depth = 1
  self:line("if (fuel-- <= 0)")
  self:line("  return 0;")
  for _ = 1, random(2, 5) do
    self:statement()
  end
  self:line("if (a > 100)")
  self:line("  goto out;")
  self:line("b++;")
  self.depth = 0
  self:line("out:")
  self:line("  return a + b;")
  self:line("}")
  self:line("")
end

--- Generates a program from the state of math.random.
-- @treturn string its source
function random_program.source()
  local w = setmetatable({ lines = {}, depth = 0, loops = 0, switches = 0, callees = 0 }, writer)
  w:line("static int sum, fuel = 2000;")
  w:line("static int tick(void) { return fuel > 0 ? fuel-- & 15 : 0; }")
  for number = 1, FUNCTIONS do
    w:whole_function(number)
  end
  w:line("int main(void)")
  w:line("{")
  for number = 1, FUNCTIONS do
    if random(5) > 1 then
      w:line("  sum += f%d(%d, %d);", number, random(-2, 9), random(-2, 9))
    end
  end
  w:line("  return sum == 12345 ? f%d(1, 2) : 0;", FUNCTIONS)
  w:line("}")
  return table.concat(w.lines, "\n") .. "\n"
end

return random_program
