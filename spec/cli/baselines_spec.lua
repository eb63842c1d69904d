-- --baseline and --update-baseline: what a baseline contains, and how it is read.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local functions <const> = { "main", "work", "leaf", "idle", "leaf.part.0" }
local image <const> = crafted.image { functions = functions }

-- Writes a profile: main calls work ten times, work calls leaf, which calls itself.
local function profile(calls, ticks, recursive)
  return crafted.gmon { functions = functions, ticks = { leaf = ticks, work = 20 },
    calls = { { "main", "work", 10 }, { "work", "leaf", calls }, { "leaf", "leaf", recursive or 3 } } }
end

-- Writes a baseline of profiles; returns its path and its text.
local function update(profiles, ...)
  local path = shell.tmpdir() .. "/base.jsonl"
  local words = { "--baseline=" .. path, "--update-baseline", image, ... }
  local result = program.run(table.move(profiles, 1, #profiles, #words + 1, words))
  assert.same({ "", "", 0 }, { result.stderr, result.stdout, result.status })
  return path, shell.read(path)
end

local function compared(path, new, ...)
  return program.run { "-b", "--baseline=" .. path, image, new, ... }
end

local function check(status, message, result)
  assert.same({ status, message and "gprof.lua: " .. message .. "\n" or "" }, { result.status, result.stderr })
end

local header <const> = '{"format": "gprof-baseline", "version": 1, "runs": %d, "functions": 3, "unit": "seconds", ' ..
  '"rate": 100, "ticks_per_sample": 1, "coverage": 1, "calls": true, "blocks": false, "exact": false, ' ..
  '"libraries": false, "inlines": false, "lost_calls": false, "include": {}, "exclude": {}, "total": %s}\n'

describe("a baseline", function()
  it("has a line for each function, sorted by name, and the callees of each", function()
    local _, text = update { profile(1000, 50) }
    assert.equal(header:format(1, "0.7") ..
      '{"name": "leaf", "calls": 1000, "self_calls": 3, "self": 0.5, "total": 0.5}\n' ..
      '{"name": "main", "total": 0.7, "callees": {"work": 10}}\n' ..
      '{"name": "work", "calls": 10, "self": 0.2, "total": 0.7, "callees": {"leaf": 1000}}\n', text)
  end)

  it("of several runs has the range of their counts, and the spread of their times", function()
    local _, text = update { profile(1000, 40), profile(1000, 50), profile(1003, 60) }
    assert.equal(header:format(3, "[0.7, 0.1]") ..
      '{"name": "leaf", "calls": [1000, 1001, 1003], "self_calls": 3, "self": [0.5, 0.1], "total": [0.5, 0.1]}\n' ..
      '{"name": "main", "total": [0.7, 0.1], "callees": {"work": 10}}\n' ..
      '{"name": "work", "calls": 10, "self": [0.2, 0], "total": [0.7, 0.1], "callees": {"leaf": [1000, 1001, 1003]}}\n',
      text)
  end)

  it("is the same for the same counts, wherever the program was loaded or built", function()
    local dir = shell.tmpdir()
    shell.check({ "git", "init", "-q", dir })
    local function made(name, option)
      local there = dir .. "/" .. name .. "/src"
      shell.check { "mkdir", "-p", there }
      for _, file in ipairs { "left", "right" } do
        shell.write(there .. "/" .. file .. ".c", shell.read(build.fixture("builds/" .. file .. ".c")))
      end
      shell.check({ "gcc", "-O0", "-g", "-DBUILD=1", option, "-o", "../../" .. name .. ".out", there .. "/left.c",
        there .. "/right.c" }, { cwd = there })
      local this = { image = dir .. "/" .. name .. ".out", dir = dir }
      this.symbols = build.symbols(this.image).by_name
      local helpers = this.symbols.helper
      local gmon = small.profile(this, { ticks = {}, arcs = { { this.symbols.main[1] + 4, helpers[1], 5 },
        { this.symbols.main[1] + 4, helpers[2], 6 } } })
      local path = dir .. "/" .. name .. ".jsonl"
      local result = program.run { "--baseline=" .. path, "--update-baseline", this.image, gmon }
      assert.same({ "", 0 }, { result.stderr, result.status })
      return shell.read(path)
    end
    local text = made("one", "-DONE")
    assert.truthy(text:find('\n{"name": "helper", "file": "one/src/left.c", "calls": ', 1, true), text)
    assert.truthy(text:find('"callees": {"helper (one/src/left.c)": ', 1, true), text)
    assert.is_nil(text:find("0x", 1, true))
    assert.equal(text, (made("two", "-DTWO"):gsub("two/src", "one/src")))
  end)

  it("is read like the profiles that it was made of", function()
    local old, new = { profile(1000, 400), profile(1000, 400) }, profile(1015, 500)
    local path = update(old)
    local function rows(result)
      assert.same({ "", 0 }, { result.stderr, result.status })
      return result.stdout
    end
    local expected = rows(program.run { "-b", "--compare=" .. table.concat(old, ","), image, new })
    assert.equal(expected, rows(compared(path, new)))
    assert.equal(expected, rows(program.run { "-b", "--compare=" .. path, image, new }))
    assert.equal(expected, rows(program.run { "-b", "--sandbox", "--baseline=" .. path, image, new }))
    check(2, "more calls: the whole program: 1013 to 1028 per run, 1.5 % more (limit 1 %)\n" ..
      "gprof.lua: more calls: leaf: 1000 to 1015 per run, 1.5 % more (limit 1 %)",
      compared(path, new, "--fail-on=calls:1%"))
    check(0, nil, compared(path, new, "--fail-on=calls:2%"))
  end)

  it("has names that are not UTF-8 in the order in which it is read, and equal ones once", function()
    local names = { "main", "ab", "\xFFa", "\\xFFa" }
    local odd = crafted.image { functions = names }
    local gmon = crafted.gmon { functions = names, ticks = { ab = 20 },
      calls = { { "main", "ab", 5 }, { "ab", "\xFFa", 7 }, { "ab", "\\xFFa", 8 } } }
    local path = shell.tmpdir() .. "/base.jsonl"
    check(0, nil, program.run { "--baseline=" .. path, "--update-baseline", odd, gmon })
    assert.truthy(shell.read(path):find('\n{"name": "\\\\xFFa", "calls": 15}\n{"name": "ab", ', 1, true))
    check(0, nil, program.run { "-b", "--baseline=" .. path, "--fail-on=calls:0", odd, gmon })
  end)

  it("has the highest of large counts, also where their mean is rounded up", function()
    local path, text = update { profile(1234567, 50), profile(1234568, 50) }
    assert.truthy(text:find('"calls": [1234567, 1234570, 1234568]', 1, true))
    check(0, nil, compared(path, profile(1234568, 50), "--fail-on=calls:0@leaf"))
    assert.equal(2, compared(path, profile(1234569, 50), "--fail-on=calls:0@leaf").status)
  end)

  it("is by function, also beside a sum", function()
    local made = small.build()
    local lines, symbols = made.rows["small.c"], build.symbols(made.image).by_name
    local function written(...)
      local path = shell.tmpdir() .. "/base"
      local run = small.profile(made, { ticks = { [lines[4][1]] = 10, [lines[9][1]] = 20 },
        arcs = { { lines[14][1], symbols.loop[1], 1 }, { lines[7][1], symbols.leaf[1], 7 } } })
      check(0, nil, program.run { "--baseline=" .. path, "--update-baseline", made.image, run, ... })
      return shell.read(path)
    end
    assert.equal(written(), written("--sum-file=" .. shell.tmpdir() .. "/sum"))
  end)

  it("is the same in the sandbox, and with any order of runs", function()
    local runs = { profile(1000, 40), profile(1001, 50), profile(1003, 60) }
    local _, text = update(runs)
    assert.equal(text, select(2, update({ runs[3], runs[1], runs[2] })))
    assert.equal(text, select(2, update(runs, "--sandbox")))
  end)

  it("tolerates counts between those of its runs, and the time between them", function()
    local path = update { profile(1000, 400), profile(1000, 800), profile(1050, 600) }
    check(0, nil, compared(path, profile(1050, 400), "--fail-on=calls:0"))
    check(2, "more calls: the whole program: 1029.7 (at most 1063) to 1064 per run, 3.3 % more (limit 0 %)\n" ..
      "gprof.lua: more calls: leaf: 1016.7 (at most 1050) to 1051 per run, 3.4 % more (limit 0 %)",
      compared(path, profile(1051, 400), "--fail-on=calls:0"))
    -- 600 ± 24 samples would be exceeded by 900, but the runs vary by 200
    check(0, nil, compared(path, profile(1000, 900), "--fail-on=total:5,self:5"))
    local steady = update { profile(1000, 600), profile(1000, 610), profile(1000, 590) }
    assert.equal(2, compared(steady, profile(1000, 900), "--fail-on=total:5").status)
  end)

  it("keeps the highest counts of its runs, and their spread, beside other old profiles", function()
    local path = update { profile(1000, 400), profile(1000, 800), profile(1050, 600) }
    local stored = shell.write(shell.tmpdir() .. "/old.json",
      program.run({ "--export=json", image, profile(1000, 600) }).stdout)
    local function with_both(new, limit, other)
      return program.run { "--compare=" .. path .. "," .. (other or stored), "--fail-on=" .. limit, image, new }
    end
    check(0, nil, with_both(profile(1050, 400), "calls:0"))
    assert.matches("more calls: leaf: 1012.5 (at most 1050) to 1051 per run, 3.8 % more (limit 0 %)",
      with_both(profile(1051, 400), "calls:0").stderr, 1, true)
    check(0, nil, with_both(profile(1000, 900), "total:5,self:5"))
    local more = shell.write(shell.tmpdir() .. "/old.json",
      program.run({ "--export=json", image, profile(1060, 600) }).stdout)
    check(0, nil, with_both(profile(1060, 400), "calls:0", more))
  end)

  it("has an order of calls, so that sums of their times are the same in each run", function()
    local many, calls, expected, found = { "main" }, {}, {}, {}
    for i = 1, 20 do
      many[i + 1] = ("f%02d"):format(i)
      calls[i], expected[i] = { "main", many[i + 1], 1 }, many[i + 1]
    end
    local data = crafted.gmon { functions = many, ticks = { main = 1 }, calls = calls }
    local file = shell.tmpdir() .. "/base.jsonl"
    local written = program.run { "--baseline=" .. file, "--update-baseline", crafted.image { functions = many }, data }
    assert.same({ "", 0 }, { written.stderr, written.status })
    local side = assert(require "gprof.analysis.baseline".read(shell.read(file), file))
    for _, callee in side.arcs() do found[#found + 1] = callee.name end
    assert.same(expected, found)
  end)

  it("is compared with clones, and with callees that were inlined since", function()
    local path = update { profile(1000, 500) }
    local clone = crafted.gmon { functions = functions, ticks = { ["leaf.part.0"] = 500, work = 20 },
      calls = { { "main", "work", 10 }, { "work", "leaf.part.0", 1000 }, { "leaf.part.0", "leaf.part.0", 3 } } }
    check(0, nil, compared(path, clone, "--fail-on=calls:0,total:0,self:0"))
    local inlined = crafted.gmon { functions = functions, ticks = { work = 520 }, calls = { { "main", "work", 10 } } }
    check(0, nil, compared(path, inlined, "--fail-on=calls:0,total:0,self:0"))
  end)

  it("remembers symspecs", function()
    local path = update({ profile(1000, 500) }, "-nleaf")
    assert.truthy(shell.read(path):find('"include": {"time": ["leaf"]}', 1, true))
    assert.matches("was exported with symspecs", compared(path, profile(1000, 500)).stderr, 1, true)
  end)

  it("remembers whether inlined functions were functions of their own", function()
    local path, text = update { profile(1000, 500) }
    shell.write(path, (text:gsub('"inlines": false', '"inlines": true')))
    check(0, "warning: " .. path .. ": only one side of the comparison has inlined functions as functions of their " ..
      "own: use --inlines for both or neither", compared(path, profile(1000, 500)))
  end)

  it("can be read by scripts", function()
    local old = assert(gprof.compare.load((update { profile(1000, 400), profile(1000, 400) })))
    local new = (crafted.profile { functions = functions, ticks = { leaf = 400 }, calls = { { "main", "leaf", 1 } } })
    local comparison = assert(gprof.compare(old, new))
    assert.same({ 2, 1 }, { comparison.old.runs, comparison.new.runs })
  end)
end)

describe("a damaged baseline", function()
  local path, text = update { profile(1000, 400), profile(1001, 400) }
  local new = profile(1000, 400)

  local function refused(message, changed)
    local other = shell.write(shell.tmpdir() .. "/base.jsonl", changed)
    check(1, other .. ": " .. message, compared(other, new))
    if changed:find '^{"format": "gprof%-baseline"' or changed:find "^<<<" then
      check(1, other .. ": " .. message, program.run { "--compare=" .. other, image, new })
    end
  end

  it("with a merge conflict is named", function()
    local advice = "choose either version, and renew it with --update-baseline"
    local first, rest = text:match "^([^\n]*\n)(.*)$"
    refused("line 1: merge conflict: " .. advice, "<<<<<<< HEAD\n" .. first .. "=======\n" .. first ..
      ">>>>>>> other\n" .. rest)
    refused("line 2: merge conflict: " .. advice, first .. "<<<<<<< HEAD\n" .. rest .. "=======\n>>>>>>> other\n")
    refused("line 3: merge conflict: " .. advice, (first .. rest:gsub("\n", "\n=======\n", 1)))
  end)

  it("is refused in one line", function()
    refused("not a baseline: it is empty", "")
    refused("line 1: not a JSON object: ',' or '}' expected at byte 10", (text:gsub('^{"format"', '{"for": 1 "')))
    refused("not a baseline", '{"format": "gprof-profile"}\n')
    refused("unsupported version 2 of baselines (supported: 1)", (text:gsub('"version": 1', '"version": 2')))
    refused("has 2 functions, but line 1 says 3: renew it with --update-baseline", (text:gsub("[^\n]+\n$", "")))
    refused("line 3: is not in order, or twice: renew it with --update-baseline",
      (text:gsub('\n({"name": "leaf"[^\n]*)', "\n%1\n%1")))
    refused("line 2: 'calls' is not a valid amount", (text:gsub('"calls": %[1000', '"calls": [-1000')))
    refused("line 2: 'calls' is not a valid amount", (text:gsub('"calls": %[1000, ', '"calls": [')))
    refused("line 3: 'callees': 'work' is not a valid amount", (text:gsub('"work": 10}', '"work": 5e18}')))
    refused("line 4: 'calls' is not a valid amount",
      (text:gsub('"calls": 10,', '"calls": 4611686018427387904,')))
    refused("line 2: 'name' is not a valid string", (text:gsub('"name": "leaf"', '"name": 5')))
    refused("line 4: 'callees' is not an object", (text:gsub('"callees": {"leaf[^}]*}', '"callees": 5')))
    refused("line 4: 'callees' is not an object", (text:gsub('"callees": {"leaf[^}]*}', '"callees": [1, 2]')))
    refused("line 1: 'runs' is not valid", (text:gsub('"runs": 2', '"runs": 0')))
    refused("line 1: 'functions' is not valid", (text:gsub('"functions": 3', '"functions": 2.5')))
    refused("line 1: 'include' is not valid", (text:gsub('"include": {}', '"include": {"flat": [5]}')))
    refused("line 3: not a JSON object: '\"' expected at byte 1", (text:gsub('\n{"name": "main"', "\n{name")))
  end)

  it("never crashes the program, whatever byte is wrong", function()
    math.randomseed(7)
    for _ = 1, 300 do
      local at = math.random(#text)
      local changed = text:sub(1, at - 1) .. string.char(math.random(0, 255)) .. text:sub(at + 1)
      local side, message = require "gprof.analysis.baseline".read(changed, "x")
      assert.truthy(side or message:find "^x: [^\n]*$", message)
    end
  end)

  it("may have other line ends", function()
    local other = shell.write(shell.tmpdir() .. "/base.jsonl", (text:gsub("\n", "\r\n")))
    assert.equal(compared(path, new).stdout, compared(other, new).stdout)
  end)
end)

describe("--update-baseline", function()
  local path, text = update { profile(1000, 400) }

  local function unchanged(message, ...)
    check(1, message, program.run { ... })
    assert.equal(text, shell.read(path))
  end

  it("leaves the old baseline if anything is wrong", function()
    local bad = shell.write(shell.tmpdir() .. "/bad", "gmon")
    local words = { "--baseline=" .. path, "--update-baseline" }
    unchanged(bad .. ": is too short to be a profile", words[1], words[2], image, profile(1, 1), bad)
    unchanged(bad .. ": is too short to be a profile\ngprof.lua: bad profiles skipped: the baseline was not written",
      "--keep-going", words[1], words[2], image, profile(1, 1), bad)
    unchanged("options --update-baseline and --fail-on are mutually exclusive", "--fail-on=5", words[1], words[2])
    unchanged("options --update-baseline and -l (--line) are mutually exclusive", "-l", words[1], words[2])
    local fast = crafted.gmon { functions = functions, ticks = { leaf = 40 }, rate = 1000, calls = {} }
    local result = program.run { words[1], words[2], image, profile(1, 1), fast }
    assert.equal(1, result.status)
    assert.equal(text, shell.read(path))
  end)

  it("refuses a run without samples and calls, and leaves the old baseline", function()
    local nothing = crafted.gmon { functions = functions, ticks = {}, calls = {} }
    unchanged(nothing .. ": no function has samples or calls, so there is no baseline", "--baseline=" .. path,
      "--update-baseline", image, nothing)
  end)

  it("does not overwrite what it reads", function()
    local only = profile(1000, 400)
    check(1, only .. ": the export would overwrite an input file",
      program.run { "--baseline=" .. only, "--update-baseline", image, only })
    check(1, only .. ": the sum would overwrite a run of the baseline", program.run { "--sum-file=" .. only,
      "--baseline=" .. shell.tmpdir() .. "/base", "--update-baseline", image, only, profile(1000, 500) })
  end)

  it("reads runs of any format beside a sum, whose format is that of -O", function()
    local runs, base = { profile(1000, 400), profile(1000, 500) }, shell.tmpdir() .. "/base"
    local function written(...)
      check(0, nil, program.run { "--baseline=" .. base, "--update-baseline", image, runs[1], runs[2], ... })
      return shell.read(base)
    end
    assert.equal(written(), written("-Obsd", "--sum-file=" .. shell.tmpdir() .. "/sum"))
  end)

  it("needs a file, which --baseline alone requires to exist", function()
    check(1, "option --update-baseline needs --baseline", program.run { "--update-baseline", image, "x" })
    check(1, "/no/base: No such file or directory: write the baseline of a good run with --update-baseline",
      program.run { "--baseline=/no/base", image, "x" })
    check(1, "options --baseline and --compare are mutually exclusive",
      program.run { "--baseline=" .. path, "--compare=" .. path, image, "x" })
  end)
end)
