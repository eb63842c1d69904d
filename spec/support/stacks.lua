-- Random stacks: programs with functions of every kind, random walks through their calls, and the gmon.out that glibc
-- would write of such a walk. Which calls a program can make is read from objdump and from its source, independently
-- of the core.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local gmon = require "support.gmon"
local shell = require "support.shell"

local stacks = {}

local random <const>, pick <const> = math.random, chance.pick

local FUNCTIONS <const> = 18
local STEPS <const>, DEPTH <const> = 120, 14 -- of a walk
local PATIENCE <const> = 10 * STEPS -- a walk may be lost in functions without -pg: after so many steps, its stack ends
local LIBRARY <const> = "library" -- a frame outside the program
local QUIET <const> = "quiet" -- a frame outside the program that never calls the program: `rand`

-- Programs -----------------------------------------------------------------------------------------------------------

local head <const> = [[
#include <signal.h>
#include <stdlib.h>
#define OWN __attribute__((noipa, used))
#define PLAIN __attribute__((no_instrument_function))
static volatile int sum, numbers[8];
typedef int function(int);
typedef int order(const void *, const void *);
]]

-- Code that no walk enters. It makes room in the table of arcs, whose size glibc chooses by the size of the code.
local room <const> = 'OWN int unused(int x) { asm(".nops 16384"); return x; }\n'

-- Returns a statement that calls something, and notes what it passes to a library.
local function statement(program)
  local kind = random(7)
  if kind <= 3 then return ("sum += f%d(x + 1);"):format(random(FUNCTIONS)) end
  if kind == 4 then return "sum += table[x & 3](x);" end
  if kind == 5 then
    local callback = random(FUNCTIONS)
    program.exposed["f" .. callback] = true
    return ("qsort((void *)numbers, x, 4, (order *)f%d);"):format(callback)
  end
  if kind == 6 then return "sum += rand();" end
  return "switch (x) { case 0: sum = 2; break; case 1: sum++; break; case 2: sum--; break; case 3: sum *= 2; break; " ..
    "case 4: sum ^= 5; break; case 5: sum = 7; }"
end

-- Returns the end of a function: often a call that optimizing compilers make a jump.
local function ending(program, i)
  local kind = random(6)
  local other = (i + random(FUNCTIONS - 1) - 1) % FUNCTIONS + 1
  if kind == 1 then return ("return f%d(x);"):format(other) end
  if kind == 2 then
    program.tails["f" .. i] = true
    return "return table[x & 3](x);"
  end
  return kind == 3 and "return rand();" or "return sum + 1;"
end

local function source(program)
  local lines = { head, room }
  for i = 1, FUNCTIONS do
    program.plain["f" .. i] = random(5) == 1
    lines[#lines + 1] = ("OWN %s int f%d(int);"):format(i % 2 == 0 and "static" or "", i)
  end
  local table_of = {}
  for k = 1, 4 do
    table_of[k] = "f" .. random(FUNCTIONS)
    program.exposed[table_of[k]] = true
  end
  lines[#lines + 1] = ("static function *const volatile table[] = { %s };"):format(table.concat(table_of, ", "))
  for i = 1, FUNCTIONS do
    local name = "f" .. i
    local body = { "sum += x * 3;" }
    for _ = 1, random(0, 3) do body[#body + 1] = statement(program) end
    body[#body + 1] = ending(program, i)
    local first = random(12) == 1
    if first then program.first[#program.first + 1] = name end
    lines[#lines + 1] = ("OWN %s %s %s int %s(int x) { %s }"):format(program.plain[name] and "PLAIN" or "",
      first and "__attribute__((constructor))" or "", i % 2 == 0 and "static" or "", name, table.concat(body, " "))
  end
  local handler = "f" .. random(FUNCTIONS)
  program.exposed[handler] = true
  lines[#lines + 1] = ("int main(int x, char **v) { signal(SIGINT, (void (*)(int))%s); sum += f1(x); sum += f2(x); " ..
    "sum += f3(x); return f4(x); }\n"):format(handler)
  return table.concat(lines, "\n")
end

-- Returns the frame of a call that leaves the program.
local function outside_of(target)
  return target:find "^rand@" and QUIET or LIBRARY
end

-- Adds a call or jump that objdump shows.
local function add_branch(program, name, word, operand, next_address)
  local target = operand:match "<([^>]*)>"
  local known = target and program.functions[target]
  local f = program.functions[name]
  if target and (target:find "mcount" or target:find "__fentry__") then return end
  if word == "call" then
    local to = known and target or outside_of(target or LIBRARY)
    table.insert(f.calls, { to = to, indirect = not target, from = next_address })
  elseif known and target ~= name then
    table.insert(f.jumps, { to = target })
  elseif target and target:find "@" then
    table.insert(f.jumps, { to = outside_of(target) })
  elseif not target and program.tails[name] then
    table.insert(f.jumps, { to = LIBRARY, indirect = true })
  end
end

-- Reads functions with their calls and jumps.
local function decode(program)
  local text = shell.check({ "objdump", "-d", "-w", "--no-show-raw-insn", "-j", ".text", program.image },
    { env = { LC_ALL = "C" } }).stdout
  for address, name in text:gmatch "(%x+) <([fm][%w]*)>:" do
    if name:find "^f%d+$" or name == "main" then
      program.functions[name] = { name = name, entry = tonumber(address, 16), calls = {}, jumps = {},
        recorded = not program.plain[name] }
    end
  end
  local current, pending
  for line in text:gmatch "[^\n]+" do
    local address, rest = line:match "^ +(%x+):\t(.*)$"
    if address and pending then
      add_branch(program, pending[1], pending[2], pending[3], tonumber(address, 16))
      pending = nil
    end
    current = line:match "^%x+ <([^>]*)>:" or current
    local word, operand = (rest or ""):gsub("^notrack ", ""):gsub("^bnd ", ""):match "^(%l+) +(.*)$"
    if word and (word == "call" or word:find "^j") and program.functions[current] then
      pending = { current, word, operand }
    end
  end
end

--- Compiles a random program.
-- @tparam {string,...} flags of the compiler
-- @treturn table for `stacks.walk`
function stacks.program(flags)
  local dir = shell.tmpdir "stacks"
  local program = { image = dir .. "/program", functions = {}, plain = {}, exposed = {}, first = {}, tails = {} }
  shell.write(dir .. "/program.c", source(program))
  shell.check({ "gcc", "-w", "-pg", "-o", "program", "program.c", table.unpack(flags) }, { cwd = dir })
  decode(program)
  for name in pairs(program.functions) do
    local exported = table.concat(flags, " "):find "rdynamic" and (tonumber(name:match "%d+" or 1) % 2 == 1)
    if exported then program.exposed[name] = true end
  end
  program.callable = {}
  for name in pairs(program.exposed) do table.insert(program.callable, name) end
  table.sort(program.callable)
  local sections = shell.check({ "objdump", "-h", "-w", program.image }, { env = { LC_ALL = "C" } }).stdout
  local size, low = sections:match "%.text +(%x+) +(%x+)"
  program.low = tonumber(low, 16) // 16 * 16
  program.high = (tonumber(low, 16) + tonumber(size, 16) + 15) // 16 * 16
  return program
end

-- Walks --------------------------------------------------------------------------------------------------------------

local walk = {}
walk.__index = walk

-- Counts the entry of a function, as mcount does: callers outside the program are dropped, return addresses rounded.
function walk:record(name, from)
  local f = self.program.functions[name]
  if not f.recorded or not from then return end
  local key = ("%x %x"):format(from // 16 * 16, f.entry)
  if not self.arcs[key] then
    self.arcs[key] = { kind = "arc", from = from // 16 * 16, self = f.entry + 4, count = 0 }
    table.insert(self.records, self.arcs[key])
  end
  self.arcs[key].count = self.arcs[key].count + 1
end

function walk:push(name, from)
  self.stack[#self.stack + 1] = { name = name, from = from }
  if self.program.functions[name] then self:record(name, from) end
end

-- Begins a stack: main, a constructor, or a library, which may call handlers.
function walk:begin()
  local first = self.program.first
  local kind = random(4)
  if kind == 1 then return self:push(LIBRARY) end
  if kind == 2 and first[1] then return self:push(pick(first)) end
  self:push "main"
end

function walk:sample()
  local on_stack, top = {}, self.stack[#self.stack].name
  if not self.program.functions[top] then return end
  for _, frame in ipairs(self.stack) do on_stack[frame.name] = true end
  on_stack[LIBRARY] = nil
  table.insert(self.samples, on_stack)
  local bin = (self.program.functions[top].entry + 3 - self.program.low) // 4 + 1
  self.bins[bin] = (self.bins[bin] or 0) + 1
end

-- Follows a call, or a jump, which replaces the function on the stack.
function walk:follow(branch, jump)
  local from = branch.from
  if jump then from = table.remove(self.stack).from end
  local name = branch.to
  if branch.indirect then name = random(4) == 1 and LIBRARY or pick(self.program.callable) end
  self:push(name, from)
end

function walk:step()
  local depth = #self.stack
  if depth == 0 then return self:begin() end
  if random(3) == 1 then self:sample() end
  local name = self.stack[depth].name
  if depth >= DEPTH or random(4) == 1 or name == QUIET then
    table.remove(self.stack)
    return
  end
  local f = self.program.functions[name]
  if not f then return self:push(pick(self.program.callable)) end
  local calls, jumps = #f.calls, #f.jumps
  local i = calls + jumps > 0 and random(calls + jumps) or 0
  if i == 0 then
    table.remove(self.stack)
  elseif i <= calls then
    self:follow(f.calls[i])
  else
    self:follow(f.jumps[i - calls], true)
  end
end

--- Walks through a program.
-- @tparam table program
-- @treturn table `profile`, the path of the gmon.out that glibc would write, in which a sample is a second; `samples`,
--   an array of sets: the names of the functions that were on the stack
function stacks.walk(program)
  local self = setmetatable({ program = program, stack = {}, samples = {}, arcs = {}, records = {}, bins = {} }, walk)
  local steps = 0
  repeat
    if steps % PATIENCE == 0 then self.stack = {} end
    self:step()
    steps = steps + 1
  until steps >= STEPS and self.records[1] and self.samples[1]
  self.bins.n = (program.high - program.low) // 4
  table.insert(self.records, 1, { kind = "histogram", low = program.low, high = program.high, bins = self.bins,
    rate = 1 })
  program.profile = program.profile or shell.tmpdir() .. "/gmon.out"
  return { profile = gmon.write(program.profile, gmon.magic { records = self.records }), samples = self.samples }
end

return stacks
