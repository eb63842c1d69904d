-- Estimated call chains: properties that hold for any call graph, and the two exports that consist of call chains,
-- folded and speedscope.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local chance = require "support.chance"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local labels = require "gprof.print.labels"
local apportion = require "gprof.analysis.apportion"
local small = require "support.small"

-- Returns the ids of a chain, root first.
local function ids_of(list, number)
  local ids, link = {}, list.top[number]
  while link > 0 do
    ids[#ids + 1], link = list.id[link], list.below[link]
  end
  return ids
end

-- Maps a profile's chains, each written as "root;leaf", to their weights.
local function weights(profile, factor)
  local names, found = chains.names(labels.exported(profile, {})), {}
  local list = chains.of(profile, factor)
  for number = 1, #list.top do
    local words = ids_of(list, number)
    for i, id in ipairs(words) do words[i] = names[id] end
    found[table.concat(words, ";")] = list.weight[number]
  end
  return found
end

local running <const> = {
  functions = { "main", "parse", "eval", "alloc" },
  ticks = { main = 10, parse = 15, eval = 25, alloc = 50 },
  calls = { { "main", "parse", 1 }, { "main", "eval", 5 }, { "parse", "eval", 20 }, { "eval", "eval", 60 },
    { "eval", "alloc", 400 } },
}

-- Sums the weights of chains in three tables: `ending`, by the id of the leaf; `with`, by each id in the chain; and
-- `pairs`, by "caller;callee".
local function sums(list)
  local sum = { ending = {}, with = {}, pairs = {} }
  local function add(name, key, weight) sum[name][key] = (sum[name][key] or 0) + weight end
  for number = 1, #list.top do
    local ids, seen, weight = ids_of(list, number), {}, list.weight[number]
    add("ending", ids[#ids], weight)
    for i, id in ipairs(ids) do
      assert.is_nil(seen[id])
      seen[id] = true
      add("with", id, weight)
      if i > 1 then add("pairs", ids[i - 1] .. ";" .. id, weight) end
    end
  end
  return sum
end

describe("call chains", function()
  local FACTOR <const> = 1000000

  it("follow the arcs of a recursive program", function()
    assert.same({ main = 10, ["main;parse"] = 15, ["main;parse;eval"] = 20, ["main;parse;eval;alloc"] = 40,
      ["main;eval"] = 5, ["main;eval;alloc"] = 10 }, weights(crafted.profile(running), 1))
  end)

  it("have the cycle above its members", function()
    assert.same({ ["main;work"] = 30000, ["main;<cycle 1>;ping"] = 20000, ["main;<cycle 1>;pong"] = 5000,
      ["main;work;leaf"] = 30000, ["main;<cycle 1>;pong;leaf"] = 10000 },
      weights(crafted.profile(crafted.example), 1000))
  end)

  it("add up to the self and total times of functions, and to the times of cycles and arcs", function()
    chance.cases(5000, 200)(function(remark)
      local profile = crafted.profile(crafted.random())
      local list = chains.of(profile, FACTOR)
      local sum = sums(list)
      local near = #list.top + 1  -- tolerance: each chain is rounded
      for f in profile:functions() do
        assert.equal(f.ticks * FACTOR // 1 | 0, sum.ending[f.id] or 0, remark)
        assert.near((f.ticks + f.children_ticks) * FACTOR, sum.with[f.id] or 0, near, remark)
      end
      for cycle in profile:cycles() do
        assert.near((cycle.ticks + cycle.children_ticks) * FACTOR, sum.with[cycle.id] or 0, near, remark)
      end
      local into = {}
      for arc in profile:arcs() do
        if not arc.recursive then
          local key = arc.caller_id .. ";" .. (arc.callee.cycle or arc.callee).id
          into[key] = (into[key] or 0) + (arc.self + arc.children) * profile.rate
        end
      end
      for key, ticks in pairs(into) do
        assert.near(ticks * FACTOR, sum.pairs[key] or 0, near, remark)
      end
    end)
  end)

  it("are truncated if there are too many or if they are too long, without losing time", function()
    local plan = { functions = { "root" }, ticks = {}, calls = {} }
    local above = { "root" }
    for layer = 1, 20 do  -- a million chains
      local here = { ("a%d"):format(layer), ("b%d"):format(layer) }
      for _, name in ipairs(here) do
        plan.functions[#plan.functions + 1], plan.ticks[name] = name, 10
        for i, caller in ipairs(above) do table.insert(plan.calls, { caller, name, 2 + layer % (i + 1) }) end
      end
      above = here
    end
    local profile = crafted.profile(plan)
    local list, truncated = chains.of(profile, FACTOR)
    assert.truthy(#list.top < 100000)
    assert.truthy(truncated > 0 and truncated < 1)
    local sum = sums(list)
    for f in profile:functions() do
      assert.equal(f.ticks * FACTOR // 1 | 0, sum.ending[f.id] or 0)
    end
    assert.near(truncated, sum.with[chains.TRUNCATED] / (profile.total_ticks * FACTOR), 1e-6)

    local deep = { functions = { "f0" }, ticks = { f300 = 7 }, calls = {} }
    for i = 1, 300 do
      deep.functions[i + 1], deep.calls[i] = "f" .. i, { "f" .. i - 1, "f" .. i, 1 }
    end
    list, truncated = chains.of(crafted.profile(deep), FACTOR)
    assert.same({ 1, 7 * FACTOR, 1.0 }, { #list.top, list.weight[1], truncated })
    assert.equal(chains.TRUNCATED, list.id[list.top[1]])
    local text = crafted.printed(require "gprof.export.speedscope", (crafted.profile(deep)))
    assert.truthy(text:find(", 100% of the time in truncated chains", 1, true))
  end)

  it("end where time is not propagated further", function()
    local found = weights(crafted.profile(running, { exclude = { time = { "alloc" } } }), 1)
    assert.equal(50, found.alloc)
    found = weights(crafted.profile(running, { exclude = { arcs = { "main/eval" } } }), 1)
    assert.equal(50, found["main;parse;eval;alloc"])
    found = weights(crafted.profile(running, { exclude = { flat = { "alloc" } } }), 1)
    assert.is_nil(found["main;parse;eval;alloc"])
  end)
end)

describe("apportioning into whole numbers", function()
  it("adds up, and each part is off by less than 1", function()
    chance.cases(6000, 300)(function(remark)
      local parts, sum, total = {}, 0, math.random(0, 1000)
      for i = 1, math.random(1, 20) do
        parts[i] = i == 1 and 1 or math.random(0, 9) * math.random()
        sum = sum + parts[i]
      end
      local left = total
      for i, share in ipairs(apportion.divide(total, parts)) do
        assert.equal("integer", math.type(share))
        assert.truthy(math.abs(share - total * parts[i] / sum) < 1 + 1e-9, remark)
        left = left - share
      end
      assert.equal(0, left, remark)
    end)
  end)
end)

-- Parses folded stacks into an array of { frames, weight, line }.
local function folded(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do
    local stack, weight = line:match "^(.+) (%d+)$"
    assert(stack, line)
    local frames = {}
    for frame in (stack .. ";"):gmatch "(.-);" do
      assert(frame ~= "" and not frame:find "^ " and not frame:find " $", line)
      frames[#frames + 1] = frame
    end
    list[#list + 1] = { frames = frames, weight = math.tointeger(weight), line = stack }
  end
  return list
end

describe("the export folded", function()
  for name, image, path in exported.each_profile() do
    it("has the time of each function, in microseconds: " .. name, function()
      local times, expected = {}, {}
      for _, stack in ipairs(folded(exported.text("folded", image, path))) do
        local leaf = stack.frames[#stack.frames]
        times[leaf] = (times[leaf] or 0) + stack.weight
      end
      for f in exported.profile(image, path):functions() do
        local key = f.name
        if f.ticks > 0 then expected[key] = (expected[key] or 0) + (f.self * 1e6 + 0.5) // 1 | 0 end
      end
      assert.same(expected, times)
    end)
  end

  it("is sorted, and has no stack twice", function()
    local last = ""
    for _, stack in ipairs(folded(exported.crafted("folded", crafted.example))) do
      assert.truthy(last < stack.line)
      last = stack.line
    end
  end)

  it("escapes characters with a meaning in the format", function()
    local leaves = {}
    for _, stack in ipairs(folded(exported.crafted("folded", exported.names))) do
      assert.truthy(#stack.frames <= 2)
      leaves[stack.frames[#stack.frames]] = stack.weight
    end
    for shown, i in pairs { ["semi\\x3Bcolon"] = 5, ["new\\x0Aline"] = 6, ["bad\\xFF\\xC3(byte"] = 9, name_12 = 13,
      ["caf\u{e9}"] = 8, ["plain name"] = 2, ["<angle>"] = 11 } do
      assert.equal(i * 10000, leaves[shown], shown)
    end
  end)

  it("has samples if the unit is not seconds", function()
    local plan = { functions = { "f" }, ticks = { f = 42 }, calls = {}, rate = 1, dimension = "cache misses",
      abbreviation = "" }
    assert.equal("f 42\n", exported.crafted("folded", plan))
  end)

  it("is empty for a profile without samples", function()
    assert.equal("", exported.crafted("folded", { functions = { "f", "g" }, ticks = {}, calls = { { "f", "g", 1 } } }))
  end)
end)

describe("the export speedscope", function()
  local function read(text)
    local document, _, problem = dkjson.decode(text)
    assert(document, problem)
    return document, document.profiles[1]
  end

  for name, image, path in exported.each_profile() do
    it("has the stacks of the export folded, with source places: " .. name, function()
      local document, profile = read(exported.text("speedscope", image, path))
      local stacks = {}
      for i, stack in ipairs(profile.samples) do
        local words = {}
        for j, number in ipairs(stack) do words[j] = document.shared.frames[number + 1].name end
        local line = table.concat(words, ";")
        stacks[line] = (stacks[line] or 0) + profile.weights[i]
      end
      local expected = {}
      for _, stack in ipairs(folded(exported.text("folded", image, path))) do expected[stack.line] = stack.weight end
      assert.same(expected, stacks)
      local sources = {}
      for f in exported.profile(image, path):functions() do
        sources[f.name .. ":" .. (f.file or "") .. ":" .. (f.file and f.line or "")] = true
      end
      for _, frame in ipairs(document.shared.frames) do
        local known = sources[frame.name .. ":" .. (frame.file or "") .. ":" .. (frame.line or "")]
        assert.truthy(known or frame.name:find "^<cycle %d+>$" or frame.name == "[truncated]", frame.name)
      end
    end)
  end

  it("has a header, and says that chains are estimated", function()
    local document, profile = read(exported.crafted("speedscope", crafted.example))
    local sum = 0
    for _, weight in ipairs(profile.weights) do sum = sum + weight end
    assert.equal(950000, sum)
    assert.equal("https://www.speedscope.app/file-format-schema.json", document["$schema"])
    local name = "seconds (call chains are estimated, 42.1 % of the time is divided among call paths by guess; " ..
      "--record measures it)"
    assert.same({ "sampled", name, "microseconds", 0, sum },
      { profile.type, profile.name, profile.unit, profile.startValue, profile.endValue })
    assert.equal(#profile.samples, #profile.weights)
  end)

  it("distinguishes functions with the same name in different files", function()
    local made = small.build {
      ["a.c"] = "static int work(void) {\n  return 1;\n}\nint one(void) {\n  return work();\n}\n",
      ["b.c"] = "static int work(void) {\n  return 2;\n}\nint main(void) {\n  return work();\n}\n",
    }
    local path = small.profile(made, { ticks = {
      [small.even(made.rows["a.c"][2][1])] = 3, [small.even(made.rows["b.c"][2][1])] = 4 } })
    local files = {}
    for i, frame in ipairs(read(exported.text("speedscope", made.image, path)).shared.frames) do
      files[i] = frame.name .. " " .. frame.file:match "[^/]*$"
    end
    table.sort(files)
    assert.same({ "work a.c", "work b.c" }, files)
  end)

  it("has stacks with a common prefix next to each other", function()
    local _, profile = read(exported.crafted("speedscope", running))
    local seen = {}
    for i, stack in ipairs(profile.samples) do
      local key = ""
      for _, number in ipairs(stack) do
        key = key .. number .. ";"
        assert.truthy(not seen[key] or seen[key] == i - 1, key)
        seen[key] = i
      end
    end
  end)
end)
