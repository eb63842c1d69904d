-- Measured times of profiles in which some samples have no callers: reports say so, and comparisons allow for it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local dkjson = require "dkjson"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

local functions <const> = { "main", "part", "inner", "work" }
local dir <const> = shell.tmpdir "path-share"
local image <const> = crafted.image { functions = functions }

-- Writes a profile. `inner` calls `work`; the callers of the samples there are unknown for `lost` ticks.
local function save(name, lost, known, part)
  return gmon.write(dir .. "/" .. name, stacks.pack(functions, { uncounted = true,
    { "main", "part", "work", ticks = part or 1000 }, { "main", "inner", "work", ticks = known },
    { "work", ticks = lost, lost = true } }))
end

local half <const>, whole <const> = save("half.ctx", 3000, 0), save("whole.ctx", 0, 3000)
local nearly <const> = save("nearly.ctx", 190, 2810)  -- 0.9525

local SENTENCE <const> = "Call paths are complete for 25% of the samples"

local function run(...)
  local result = program.run { "-b", ... }
  assert.equal("", result.stderr)
  return result.stdout
end

local function profile_of(path, program_path)
  local opened = assert(gprof.image(program_path or image))
  return assert(gprof.profile(opened, assert(gprof.data(opened, path))))
end

-- Returns the rows of a comparison of two files, by name.
local function compare(old, new, old_program)
  local by_name, changes = {}, assert(gprof.compare(profile_of(old, old_program), profile_of(new)))
  for _, row in ipairs(changes) do by_name[row.name] = row end
  return by_name, changes
end

describe("a profile in which samples have no callers", function()
  it("is measured, and knows the part of the samples with complete call paths", function()
    local profile = profile_of(half)
    assert.same({ true, 0.25 }, { profile.exact, profile.path_share })
  end)

  for name, arguments in pairs {
    ["the call graph"] = { "-q" }, ["the call graph in BSD's layout"] = { "--report=bsd.graph" },
    ["the call tree"] = { "--tree" }, ["the flat profile"] = { "-p" }, ["callgrind"] = { "--export=callgrind" },
    ["speedscope"] = { "--export=speedscope" }, ["dot"] = { "--export=dot" }, ["JSON"] = { "--export=json" },
  } do
    it("says so, unless nearly all have: " .. name, function()
      local arguments_of = function(path) return table.unpack { arguments[1], image, path } end
      local text = run(arguments_of(half)):lower()
      assert.truthy(text:find(SENTENCE:lower(), 1, true), text)
      if arguments[1] ~= "-p" then  -- which always does
        assert.is_nil(run(arguments_of(nearly)):lower():find("call paths are complete", 1, true))
      end
      assert.is_nil(run("--assume-proportional", "-q", image, half):find("Call paths are complete", 1, true))
    end)
  end

  it("says so in pprof's comments and on the page", function()
    local pprof, page = dir .. "/half.pb", dir .. "/half.html"
    program.run { "--export=pprof:" .. pprof, image, half }
    program.run { "--html=" .. page, image, half }
    local unpacked = shell.check { "zcat", "-f", pprof }
    assert.truthy(unpacked.stdout:find(SENTENCE:lower(), 1, true))
    local text = shell.read(page)
    assert.truthy(text:find("<li>" .. SENTENCE .. ".", 1, true))
    assert.truthy(text:find('"path_note":"' .. SENTENCE .. '"', 1, true))
    program.run { "--html=" .. page, image, nearly }
    assert.is_nil(shell.read(page):find("Call paths are complete", 1, true))
  end)

  it("has the part as a field in JSON; it is null if no paths were recorded", function()
    assert.equal(0.25, dkjson.decode(run("--export=json", image, half)).path_share)
    assert.equal(0.9525, dkjson.decode(run("--export=json", image, nearly)).path_share)
    local without = crafted.gmon { functions = functions, ticks = { work = 9 }, calls = { { "main", "work", 1 } } }
    assert.equal(dkjson.null, dkjson.decode(run("--export=json", image, without), 1, dkjson.null).path_share)
  end)
end)

describe("a comparison with a profile in which samples have no callers", function()
  local function check(old, new)
    local rows, changes = compare(old, new)
    for _, name in ipairs { "main", "inner" } do
      local total = rows[name].total
      assert.same({ false, true }, { total.comparable, total.noise }, name)
    end
    assert.is_true(rows.work.total.comparable)
    assert.same({}, gprof.compare.failures(changes, "total:5,5"))
    assert.same({ 1, 0.25 }, { math.max(changes.old.path_share, changes.new.path_share),
      math.min(changes.old.path_share, changes.new.path_share) })
    return changes
  end

  it("claims no change in total times that the samples without callers explain", function()
    check(half, whole)
    check(whole, half)
    local changes = compare(half, half)
    assert.same({ 0, 0 }, { changes.main.total.change, changes.work.total.change })
  end)

  it("does not let the error of sampling decide what the bounds say", function()
    -- the least by which main grew is 0.03, which is less than the error
    local more = save("more.ctx", 0, 3030)
    check(half, more)
    assert.same({}, gprof.compare.failures((select(2, compare(half, more))), "total:0"))
    -- here it is 2 seconds
    local rows, changes = compare(half, save("most.ctx", 0, 5000))
    assert.same({ true, false }, { rows.main.total.comparable, rows.main.total.noise })
    local names = {}
    for _, failure in ipairs(gprof.compare.failures(changes, "total:40")) do
      names[#names + 1] = failure.row ~= changes and failure.row.name or nil
    end
    table.sort(names)
    assert.same({ "inner", "main", "work" }, names)
    assert.same({}, gprof.compare.failures(changes, "total:80"))
  end)

  it("does not compare a total time that seems nearly the same, but may have changed by much, in either direction",
    function()
      for _, ticks in ipairs { 990, 1010 } do
        local rows, changes = compare(half, save("near.ctx", 0, 3000, ticks))
        assert.same({ false, true }, { rows.part.total.comparable, rows.part.total.noise })
        assert.same({ true, true }, { rows.work.total.comparable, rows.work.total.noise })
        assert.same({}, gprof.compare.failures(changes, "total:0"))
      end
    end)

  it("counts the samples without callers for functions that one side lacks", function()
    local others <const> = { "main", "part", "work" }
    local older <const> = crafted.image { functions = others }
    local function save_older(name, lost)
      return gmon.write(dir .. "/" .. name, stacks.pack(others, { uncounted = true,
        { "main", "part", "work", ticks = 4000 - lost }, { "work", ticks = lost, lost = true } }))
    end
    local half_of_older <const> = save_older("old-half.ctx", 3000)
    local whole_of_older <const> = save_older("old-whole.ctx", 0)
    local rows = compare(half_of_older, whole, older)
    assert.same({ "new", false, 0, 3 }, { rows.inner.status, rows.inner.total.comparable, rows.inner.total.least,
      rows.inner.total.most })
    local words = { "-b", "--fail-on=total:5@inner", image, whole }
    assert.equal(0, program.run { "--compare=" .. older .. "," .. half_of_older, table.unpack(words) }.status)
    assert.equal(2, program.run { "--compare=" .. older .. "," .. whole_of_older, table.unpack(words) }.status)
  end)

  it("compares totals as usual if nearly all have callers", function()
    local rows = compare(nearly, whole)
    assert.is_true(rows.main.total.comparable)
  end)

  it("warns if limits of total times are checked, and says the part in the report", function()
    for _, rule in ipairs { "total:5", "5" } do
      local result = program.run { "-b", "--compare=" .. half, "--fail-on=" .. rule, image, whole }
      assert.equal(0, result.status)
      assert.truthy(result.stderr:find("half.ctx: --fail-on: call paths are complete for 25% of the samples of the " ..
        "old profile: a total time fails only if the other samples cannot explain its change", 1, true), result.stderr)
      assert.truthy(result.stderr:find("2 total times seem to exceed a limit, but cannot be compared, because call " ..
        "paths are incomplete: ", 1, true), result.stderr)
      assert.truthy(result.stdout:find("\nold: 1 run, [^\n]*; call paths are complete for 25%% of the samples\n"))
      assert.is_nil(result.stdout:find("\nnew: [^\n]*call paths"))
    end
    local result = program.run { "-b", "--compare=" .. half, "--fail-on=self:5", image, whole }
    assert.equal("", result.stderr)
    assert.truthy(run("--export=markdown", "--compare=" .. whole, image, half):find(
      "%- new: [^\n]*; call paths are complete for 25%% of the samples\n"))
    local exported = dkjson.decode(run("--export=json", "--compare=" .. half, image, whole))
    assert.same({ 0.25, 1 }, { exported.old.path_share, exported.new.path_share })
  end)

  it("allows for them in exported profiles, baselines and sums of these", function()
    local json, baseline = dir .. "/half.json", dir .. "/half.jsonl"
    run("--export=json:" .. json, image, half)
    run("--baseline=" .. baseline, "--update-baseline", image, half)
    assert.truthy(shell.read(baseline):find('\n{"name": "main", "total": 1}\n', 1, true))  -- without counted calls
    for _, old in ipairs { json, baseline, json .. "," .. json } do
      local result = program.run { "-b", "-z", "--compare=" .. old, "--fail-on=total:5", image, whole }
      assert.equal(0, result.status, result.stderr)
      assert.truthy(result.stdout:find "not comparable[^\n]* main\n", result.stdout)
    end
  end)

  it("does not colour the old and the new call tree by changes", function()
    local page = dir .. "/both.html"
    program.run { "--html=" .. page, "--compare=" .. half, image, whole }
    assert.truthy(shell.read(page):find("call paths are complete for 25% of the samples of the old run", 1, true))
  end)
end)
