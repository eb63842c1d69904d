-- Exports for editors: .cpuprofile, and coverage for lcov. spec/export/readers_spec.lua also reads the former, with
-- speedscope.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local build = require "support.build"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

describe("the export cpuprofile", function()
  local function read(image, path, ...)
    return dkjson.decode(exported.text("cpuprofile", image, path, ...), 1, nil, nil)
  end

  -- Checks what every reader relies on. Returns the nodes by their numbers.
  local function check(document, total)
    local nodes, parents, sum = {}, {}, 0
    for i, node in ipairs(document.nodes) do
      assert.equal(i, node.id)
      nodes[i] = node
      for _, child in ipairs(node.children) do
        assert.truthy(child > i and not parents[child])
        parents[child] = i
      end
    end
    for i = 2, #nodes do assert.truthy(parents[i]) end
    assert.equal(#document.samples, #document.timeDeltas)
    assert.same({ 1, 0 }, { document.samples[#document.samples], document.timeDeltas[1] })
    for i, number in ipairs(document.samples) do
      assert.truthy(nodes[number])
      sum = sum + document.timeDeltas[i]
    end
    assert.equal(sum, document.endTime - document.startTime)
    assert.near(total * 1e6, sum, 3e3 * total) -- times of functions that share a bin need not add up
    return nodes
  end

  -- Returns sums over the nodes of each function: of time in microseconds, and of samples.
  local function by_name(document)
    local times, hits = {}, {}
    for i = 1, #document.samples - 1 do
      local name = document.nodes[document.samples[i]].callFrame.functionName
      times[name] = (times[name] or 0) + document.timeDeltas[i + 1]
    end
    for _, node in ipairs(document.nodes) do
      local name = node.callFrame.functionName
      hits[name] = (hits[name] or 0) + node.hitCount
    end
    return times, hits
  end

  for name, image, path in exported.each_profile() do
    it("has the time and the samples of each function: " .. name, function()
      local document, profile = read(image, path), exported.profile(image, path)
      check(document, profile.total)
      local times, hits = by_name(document)
      local self, ticks = {}, {}
      for f in profile:functions() do
        self[f.name] = (self[f.name] or 0) + f.self
        ticks[f.name] = (ticks[f.name] or 0) + f.ticks
      end
      for f, seconds in pairs(self) do
        assert.near(1e6 * seconds, times[f] or 0, 2, f)
        assert.near(ticks[f], hits[f] or 0, 2, f)
      end
    end)
  end

  it("has the samples of lines, and the files and lines of functions", function()
    local image, path = exported.inlined()
    local found = {}
    for _, node in ipairs(read(image, path).nodes) do
      local frame = node.callFrame
      found[frame.functionName] = { frame.lineNumber, frame.url:match "^file:///.*/([^/]*)$", node.hitCount,
        node.positionTicks }
    end
    assert.same({ 1, "main.c", 5, { { line = 3, ticks = 5 } } }, found.leaf)
    assert.same({ 4, "main.c", 9, { { line = 6, ticks = 2 } } }, found.main) -- the rest is from another file
    assert.same({ -1, nil, 0, nil }, found["(root)"])
  end)

  it("has inlined functions with --inlines", function()
    local image, path = exported.inlined()
    local times = by_name(read(image, path, "--inlines"))
    assert.same({ leaf = 50000, twice = 70000, main = 20000 }, times)
  end)

  it("has names and paths of any bytes", function()
    local image, path = crafted.image(exported.names), crafted.gmon(exported.names)
    check(read(image, path), exported.profile(image, path).total)
  end)

  it("needs a histogram, in seconds", function()
    local plan = { functions = { "main", "f" }, ticks = { f = 5 }, dimension = "misses" }
    local result = program.run { "--export=cpuprofile", crafted.image(plan), crafted.gmon(plan) }
    assert.same({ 1, "gprof.lua: the export 'cpuprofile' needs times in seconds; the profile has 'misses'\n" },
      { result.status, result.stderr })
    plan = { functions = { "main", "f" }, calls = { { "main", "f", 1 } } }
    result = program.run { "--export=cpuprofile", crafted.image(plan), crafted.gmon(plan) }
    assert.matches("has no histogram, which the export 'cpuprofile' needs", result.stderr, 1, true)
  end)
end)

describe("the export lcov", function()
  -- Returns tables of the counts of lines and of functions of a source file, and its test name.
  local function read(text, name)
    local lines, functions, test = {}, {}, nil
    for record in text:gmatch "(.-)end_of_record\n" do
      if record:match "\nSF:([^\n]*)\n":find("/" .. name, 1, true) then
        test = record:match "^TN:([%w_]*)\n"
        for number, count in record:gmatch "\nDA:(%d+),(%d+)" do lines[tonumber(number)] = tonumber(count) end
        for count, f in record:gmatch "\nFNDA:(%d+),([^\n]*)" do functions[f] = tonumber(count) end
      end
    end
    return lines, functions, test
  end

  local built = blocks.compile("branches", { flags = { "-pg" } })
  local profile = blocks.run(built, { "x" }).dir .. "/gmon.out"
  local text = exported.text("lcov", built.image, profile)

  it("has gcov's counts of lines if blocks were counted", function()
    local lines, functions, test = read(text, "branches.c")
    local same, others = 0, 0
    assert.equal("gprof_block_counts", test)
    for number, wanted in pairs((blocks.gcov(built))) do
      local count = lines[number]
      if count then
        assert.equal(wanted > 0, count > 0, "line " .. number)
        if count == wanted then same = same + 1 else others = others + 1 end
      end
    end
    assert.truthy(same > 20 and others <= same / 10, ("%d of %d lines"):format(same, same + others))
    assert.equal(1, functions.main)
    assert.is_nil(text:find "SF:[^\n]*/runtime/blocks%.c")
  end)

  it("has sums that fit its lines", function()
    for record in text:gmatch "(.-)end_of_record\n" do
      for kind, all, hit in ("DA LF LH;FNDA FNF FNH;BRDA BRF BRH"):gmatch "(%u+) (%u+) (%u+)" do
        local count, executed = 0, 0
        for line in record:gmatch("\n" .. kind .. ":([^\n]*)") do
          count = count + 1
          local value = kind == "FNDA" and line:match "^%d+" or line:match "%d+$"
          if value ~= "0" then executed = executed + 1 end
        end
        assert.equal(count > 0 and count or nil, tonumber(record:match("\n" .. all .. ":(%d+)")) or nil)
        assert.equal(count > 0 and executed or nil, tonumber(record:match("\n" .. hit .. ":(%d+)")) or nil)
      end
    end
  end)

  it("only has what ran without block counts: calls, and 1 for sampled lines", function()
    local image, path = exported.inlined()
    local lines, functions, test = read(exported.text("lcov", image, path), "main.c")
    assert.same({ { [2] = 4, [3] = 1, [5] = 1, [6] = 1 }, { leaf = 4, main = 1 }, "gprof_calls_and_samples" },
      { lines, functions, test })
    assert.same({ [2] = 1 }, (read(exported.text("lcov", image, path), "twice.h")))
  end)

  -- A program whose lines are in several functions: a static function of a header, templates, and functions that are
  -- inlined several times, in two units that name the header differently.
  local COPIES <const> = {
    ["inc/h.h"] = "template <typename T> T big(T n) {\n  if (n > 3)\n    return n * 2;\n  return n;\n}\n" ..
      "static __attribute__((noinline)) int odd(int n) {\n  if (n & 1)\n    return n * 3;\n  return n;\n}\n" ..
      "#define INLINE static inline __attribute__((always_inline))\n" ..
      "INLINE int mix(int n) {\n  if (n > 5)\n    n++;\n  return n;\n}\n",
    ["main.cc"] = '#include "inc/h.h"\nint other(int);\nint main() {\n  int s = 0;\n' ..
      "  for (int i = 0; i < 10; i++)\n    s += big(i) + odd(i) + mix(i) + mix(i + 1);\n  s += big(2.0);\n" ..
      "  return other(s) == 1;\n}\n",
    ["src/other.cc"] = '#include "../inc/h.h"\nint other(int n) {\n  for (int i = 0; i < 6; i++)\n' ..
      "    n += big(i) + odd(i) + mix(i);\n  return n;\n}\n",
  }
  local MIXED <const> = { [13] = 26, [14] = 9, [15] = 26 }
  local RUNS <const> = { [1] = 17, [2] = 17, [3] = 8, [4] = 9, [6] = 16, [7] = 16, [8] = 8, [9] = 8 }

  -- Returns the directory of that program, and its sources.
  local function copies()
    local dir = shell.tmpdir "copies"
    shell.check { "mkdir", dir .. "/inc", dir .. "/src" }
    for name, source in pairs(COPIES) do shell.write(dir .. "/" .. name, source) end
    return dir, { dir .. "/main.cc", dir .. "/src/other.cc" }
  end

  for compiler, coverage in pairs { ["g++"] = "trace-pc", ["clang++"] = "trace-pc,no-prune" } do
    it("has the runs of a line in all functions that contain it: " .. compiler, function()
      if not shell.installed(compiler) then return pending("needs " .. compiler) end
      local dir, sources = copies()
      shell.check({ compiler, "-g", "-O0", "-pg", "-fsanitize-coverage=" .. coverage, "-c", table.unpack(sources) },
        { cwd = dir })
      shell.check({ compiler, "-pg", "-o", "p", "main.o", "other.o", blocks.library }, { cwd = dir })
      shell.check({ dir .. "/p" }, { cwd = dir, env = { GMON_OUT_PREFIX = false } })
      local made = exported.text("lcov", dir .. "/p", dir .. "/gmon.out")
      assert.equal(1, select(2, made:gsub("\nSF:[^\n]*/inc/h%.h\n", "")))
      local lines, functions = read(made, "inc/h.h")
      for line, runs in pairs(RUNS) do assert.equal(runs, lines[line], "line " .. line) end
      for line, runs in pairs(MIXED) do assert.equal(runs, lines[line], "line " .. line) end
      assert.same({ _Z3bigIiET_S0_ = 16, _Z3bigIdET_S0_ = 1, _ZL3oddi = 16 }, functions)
      assert.equal(11, read(made, "main.cc")[5])
    end)
  end

  it("has the calls of all functions that begin on a line without block counts", function()
    local dir, sources = copies()
    shell.check({ "g++", "-g", "-O0", "-pg", "-no-pie", "-o", "p", table.unpack(sources) }, { cwd = dir })
    local symbols, arcs = build.symbols(dir .. "/p").by_name, {}
    for i, address in ipairs(symbols._ZL3oddi) do arcs[i] = { symbols.main[1] + 4, address, 10 * i } end
    arcs[3] = { symbols.main[1] + 4, symbols._Z3bigIiET_S0_[1], 5 }
    arcs[4] = { symbols.main[1] + 4, symbols._Z3bigIdET_S0_[1], 2 }
    local lines, functions = read(exported.text("lcov", dir .. "/p", small.profile({ image = dir .. "/p" },
      { ticks = { [symbols._ZL3oddi[1] & ~1] = 3 }, arcs = arcs })), "inc/h.h")
    assert.same({ { [1] = 7, [6] = 30 }, { _Z3bigIiET_S0_ = 5, _Z3bigIdET_S0_ = 2, _ZL3oddi = 30 } },
      { lines, functions })
  end)

  it("needs line numbers", function()
    local result = program.run { "--export=lcov", crafted.image(crafted.example), crafted.gmon(crafted.example) }
    assert.equal(1, result.status)
    assert.matches("^gprof%.lua: [^\n]*: has no line numbers, which the export 'lcov' needs: compile with %-g\n$",
      result.stderr)
  end)

  if shell.run({ "sh", "-c", "command -v genhtml" }).status ~= 0 then return pending "needs lcov" end

  it("is accepted by genhtml", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/blocks.info", text)
    local image, path = exported.inlined()
    shell.write(dir .. "/samples.info", exported.text("lcov", image, path))
    local words = { "genhtml", "--branch-coverage", "-o", "html", "blocks.info", "samples.info" }
    local result = shell.run(words, { cwd = dir })
    assert.same({ 0, "" }, { result.status, result.stderr })
    local _, found = read(text, "branches.c")
    local count, hit = 0, 0
    for _, calls in pairs(found) do count, hit = count + 1, hit + (calls > 0 and 1 or 0) end
    assert.matches(("functions..: %%d+.%%d%%%% %%(%d of %d functions%%)"):format(hit + 2, count + 2), result.stdout)
  end)
end)
