-- Reports on recorded programs show measured times, of which the true ones are known from the source.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local machine <const> = recorder.machine

local built <const> = recorder.compile "unfair.c"
local image <const> = assert(gprof.image(built.image))

local function arc(profile, caller, callee)
  for found in profile:find(callee):callers() do
    if found.caller.name == caller then return found end
  end
end

-- The true ticks of `work`, by caller: a call by `heavily` takes 50 times as long.
local truth <const> = { heavily = 800 * 50, often = 7200 }
local path <const> = recorder.known(built, { ["heavily/work"] = 50, ["often/work"] = 1, ["sort/compare"] = 1 })

describe("a recorded program", function()
  local profile <const> = assert(gprof.profile(image, assert(gprof.data(image, path))))
  local estimated <const> = assert(gprof.profile(image, profile.data, { assume_proportional = true }))

  it("has a measured profile with the samples of its gmon.out", function()
    assert.same({ true, false }, { profile.exact, estimated.exact })
    local plain = assert(gprof.data(image, path, { assume_proportional = true }))
    assert.is_nil(plain.call_paths)
    for f in profile:functions() do
      local same = assert(estimated:node(f.id))
      assert.same({ f.name, f.ticks }, { same.name, same.ticks })
    end
  end)

  it("charges each caller with the time that its calls took, where the estimate is wrong by a factor", function()
    for caller, ticks in pairs(truth) do
      local expected = ticks / 1000
      assert.near(expected, arc(profile, caller, "work").self, 1e-9)
      assert.near(expected, profile:find(caller).children, 1e-9)
      local guess = arc(estimated, caller, "work").self
      assert.is_true(guess > 5 * expected or guess < expected / 5, caller)
    end
  end)

  it("charges the function that calls a library with the time of the calls that the library makes", function()
    local compare, sort = profile:find "compare", profile:find "sort"
    local time = arc(profile, "sort", "compare")
    assert.same({ compare.calls, compare.ticks }, { time.count, sort.children_ticks })
    assert.near(compare.self, time.self, 1e-9)
    assert.is_nil(arc(estimated, "sort", "compare"))
  end)

  it("has all time below main", function()
    assert.near(profile.total, profile:find "main".self + profile:find "main".children, 1e-9)
  end)
end)

describe("the reports on a recorded program", function()
  local measured <const> = "time of callees: measured for each caller\n"
  local divided <const> = "time of callees: divided in proportion to calls\n"

  local function graph(...)
    local result = program.run { "-b", "-q", ... }
    assert.equal(0, result.status)
    return result
  end

  it("say that times are measured; all runs must have call paths", function()
    for _, files in ipairs { { path }, { path .. ".ctx" }, { path, path .. ".ctx" }, { path, path }, { "--jobs=2",
      path, path }, { "--keep-going", path, path }, { "--sandbox", path } } do
      local result = graph(built.image, table.unpack(files))
      assert.equal("", result.stderr)
      assert.truthy(result.stdout:find(measured, 1, true), table.concat(files, " "))
    end
  end)

  it("say that times are measured in sums of runs, which have the sum of the times", function()
    local sum = shell.tmpdir "sum" .. "/gmon.sum"
    assert.equal(0, program.run({ "-s", "--sum-file=" .. sum, built.image, path, path }).status)
    assert.truthy(graph(built.image, sum).stdout:find(measured, 1, true))
    local once, twice = gprof.data(image, path), gprof.data(image, sum)
    assert.equal(2 * arc(gprof.profile(image, once), "often", "work").self,
      arc(gprof.profile(image, twice), "often", "work").self)
  end)

  it("say that times are divided by calls if this is requested, or if lines are shown", function()
    for _, option in ipairs { "--assume-proportional", "-l" } do
      local result = graph(option, built.image, path)
      assert.equal("", result.stderr)
      assert.truthy(result.stdout:find(divided, 1, true), option)
    end
  end)

  it("say nothing without call paths and with --gnu-compat", function()
    local alone = shell.tmpdir "alone" .. "/gmon.out"
    shell.check { "cp", path, alone }
    assert.is_nil(graph(built.image, alone).stdout:find "time of callees")
    local result = graph("--gnu-compat", built.image, path)
    assert.same({ "", nil }, { result.stderr, (result.stdout:find "time of callees") })
    assert.equal(graph("--gnu-compat", built.image, alone).stdout, graph("--gnu-compat", built.image, path).stdout)
  end)

  it("do not call measured times estimates beside bounds", function()
    if machine ~= "x86_64" then pending "bounds need x86-64 code" return end
    for _, styles in ipairs { { "-p", "-p" }, { "-q", "-q" }, { "-p", "-T" }, { "-q", "-T" } } do
      local function print(option)
        local result = program.run { styles[1], styles[2], "--bounds", option, built.image, path }
        assert.same({ "", 0 }, { result.stderr, result.status })
        return { result.stdout:find "high " ~= nil, result.stdout:find "estimate above" ~= nil,
          result.stdout:find "record call paths instead" ~= nil, result.stdout:find "times above were" ~= nil,
          result.stdout:find "Libraries are left out" ~= nil }
      end
      assert.same({ true, false, false, true, true }, print "-z", styles[2])
      assert.same({ true, true, true, false, false }, print "--assume-proportional", styles[2])
    end
  end)

  it("warn in one line if some runs have no call paths", function()
    local alone = shell.tmpdir "alone" .. "/gmon.out"
    shell.check { "cp", path, alone }
    for _, files in ipairs { { path, alone }, { alone, path } } do
      local result = graph(built.image, table.unpack(files))
      assert.truthy(result.stdout:find(divided, 1, true))
      assert.equal(("gprof.lua: warning: %s: its context profile, %s.ctx, is missing: copy both files; libraries " ..
        "and call paths are not shown\n"):format(alone, alone), result.stderr)
    end
  end)

  it("warn in one line if the context profile beside a gmon.out cannot be used", function()
    local alone = shell.tmpdir "alone" .. "/gmon.out"
    shell.check { "cp", path, alone }
    local older = recorder.run(built, {}, { env = { GPROF_RECORDER = "rate=0" } }).dir
    shell.check { "cp", older .. "/gmon.out.ctx", alone .. ".ctx" }
    local result = graph(built.image, alone)
    assert.equal("gprof.lua: warning: " .. alone .. ".ctx: does not belong to " .. alone .. ", but to " ..
      "another run: the time of callees is estimated; delete it, or copy both files of one run\n", result.stderr)
    assert.falsy(result.stdout:find("time of callees", 1, true))
  end)

  it("warn in one line if gmon.out was copied without its context profile", function()
    local alone = shell.tmpdir "alone" .. "/gmon.out"
    shell.check { "cp", path, alone }
    local message = ("gprof.lua: warning: %s: its context profile, %s.ctx, is missing: copy both files; libraries " ..
      "and call paths are not shown\n"):format(alone, alone)
    assert.equal(message, graph(built.image, alone).stderr)
    assert.equal("", graph("--assume-proportional", built.image, alone).stderr)
    assert.equal("", graph("--gnu-compat", built.image, alone).stderr)
    shell.write(alone, shell.read(path):sub(1, 12) .. ("\0"):rep(8) .. shell.read(path):sub(21)) -- as from glibc
    assert.equal("", graph(built.image, alone).stderr)
  end)

  it("warn only if they show times of callees", function()
    local alone = shell.tmpdir "alone" .. "/gmon.out"
    shell.check { "cp", path, alone }
    shell.write(alone .. ".ctx", "not a context profile")
    local function warning(...)
      local options = table.pack("-b", ...)
      local result = program.run(table.move({ built.image, alone }, 1, 2, options.n + 1, options))
      assert.equal(0, result.status)
      return result.stderr:find "the time of callees is estimated\n$" ~= nil
    end
    for _, option in ipairs { "-p", "-q", "--tree", "--report=flat", "--export=json", "--html=-" } do
      assert.is_true(warning(option), option)
    end
    for _, option in ipairs { "-C", "-A", "-r", "--file-info" } do assert.is_false(warning(option), option) end
    assert.is_false(warning("-p", "-l"))
    assert.is_true(warning("-C", "-p"))
  end)

  it("have the measured times in JSON", function()
    local function exported(...)
      return program.run({ "--export=json", ... }).stdout:match '"exact": (%a+)'
    end
    assert.same({ "true", "false" }, { exported(built.image, path),
      exported("--assume-proportional", built.image, path) })
  end)
end)
