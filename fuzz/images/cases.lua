-- Numbered cases: a damaged image and command lines for it. Seed and number determine a case.
-- SPDX-License-Identifier: GPL-3.0-or-later

local commands = require "fuzz.images.commands"
local fixtures = require "fuzz.images.fixtures"
local judge = require "fuzz.images.judge"
local mutations = require "fuzz.images.mutations"
local program = require "support.program"
local shell = require "support.shell"

local cases = {}

local SECONDS <const> = 10
local MEBIBYTES <const> = 4096 -- of address space

-- Large fixtures are slow. If one is picked, it is used with a probability of 1 in this number.
local SELDOM <const> = { static = 8 }

local function pick_fixture(all)
  local fixture
  repeat
    fixture = all[math.random(#all)]
  until math.random(SELDOM[fixture.name] or 1) == 1
  return fixture
end

--- Makes a case.
-- @tparam {table,...} all fixtures
-- @tparam integer seed of the whole run
-- @tparam integer number
-- @tparam string dir directory for the image
-- @treturn table `fixture`, `image` (path), `damage` (a line), `number`
function cases.make(all, seed, number, dir)
  math.randomseed(seed, number)
  local fixture = pick_fixture(all)
  local bytes, damage = mutations.damage(fixture.bytes)
  return { fixture = fixture, image = fixtures.write(fixture, bytes, dir), damage = damage, number = number, dir = dir }
end

-- Runs a command with limits; `memory` is the limit of the address space, in MiB.
local function limited(case, words, memory, env)
  local out, err = case.dir .. "/out", case.dir .. "/err"
  local argv = { program.root .. "/build/mutants/limited", SECONDS, memory, out, err, table.unpack(words) }
  local output = shell.run(argv, { cwd = case.dir, env = env }).stdout
  local how, code, most, worked = output:match "^(%a+) (%d+) (%d+) (%d+)\n$"
  assert(how, "limited: unexpected output")
  code = tonumber(code)
  return { status = how == "exit" and code or nil, signal = how == "wait" and how or how == "signal" and code or nil,
    printed = #shell.read(out), stderr = shell.read(err), memory = tonumber(most),
    worked = tonumber(worked) }
end

-- Returns the stack from gdb. Uses the interpreter with libbfd linked in, if it has been built, because gdb then
-- knows all function names. The limit of CPU time ends endless loops.
local function stack_of(case, arguments, options)
  local telling = program.root .. "/build/mutants/lua"
  local words = commands.words(arguments, shell.exists(telling) and telling or "lua5.4", program.root, options.sandbox)
  local argv = { "gdb", "-batch", "-nx", "-ex", "set confirm off", "-ex", "set print frame-arguments none",
    "-ex", "run", "-ex", "bt 24", "--args", "prlimit", "--cpu=" .. SECONDS, table.unpack(words) }
  return shell.run(argv, { cwd = case.dir, timeout = 120 }).stdout
end

local SANITIZERS <const> = { ASAN_OPTIONS = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096" ..
  ":detect_odr_violation=0:handle_abort=1" }

--- Runs a case with one random command line.
-- @tparam table case
-- @tparam[opt] table options `sanitized`; `sandbox`
-- @treturn table the input of `judge.verdict`, with `verdict` and `arguments`; for a fault, also `stack` and `kind`
function cases.run(case, options)
  options = options or {}
  local arguments, chatty = commands.pick(case.fixture, case.image)
  local interpreter = options.sanitized and program.root .. "/build/sanitized/lua" or "lua5.4"
  local words = commands.words(arguments, interpreter, program.root, options.sandbox)
  local result = limited(case, words, options.sanitized and 0 or MEBIBYTES, options.sanitized and SANITIZERS)
  result.arguments = arguments
  result.verdict = judge.verdict(result, { chatty = chatty, spacious = false,
    silent = commands.may_be_silent(arguments) })
  if result.verdict ~= "report" and result.verdict ~= "line" then
    local sanitizer = result.stderr:find("#0 ", 1, true) and result.stderr or nil
    result.stack = sanitizer or result.verdict == "talk" and "" or stack_of(case, arguments, options)
    result.kind = result.verdict == "talk" and judge.talk(result)
      or judge.kind(result.verdict, judge.frames(result.stack))
  end
  return result
end

return cases
