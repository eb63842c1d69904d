-- Inclusive times of the programs in bench/known.c. All their time is spent in one function, `spin`, and the source
-- says how long each call takes. A program is recorded without samples, and samples are added: one for each step of
-- `spin`. The true times are then known exactly.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local inclusive = require "support.inclusive"
local recorder = require "support.recorder"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

-- For each program: `steps` of a call of `spin`, by the end of its call path; `truth`, inclusive ticks of functions;
-- `guess`, a function and its time if all calls of its callees took equally long.
local programs <const> = {
  arguments = {
    steps = { ["often/spin"] = 1, ["seldom/spin"] = 9001 },
    truth = { main = 10000, arguments = 10000, often = 999, seldom = 9001, spin = 10000 },
    guess = { "often", 9990 },
  },
  levels = {
    steps = { ["left/outer/inner/spin"] = 1, ["right/outer/inner/spin"] = 2600, ["outer/spin"] = 10 },
    truth = { main = 7010, levels = 7010, left = 4400, right = 2610, outer = 7010, inner = 3000, spin = 7010 },
    guess = { "right", 7010 / 401 },
  },
  -- The number of comparisons is a matter of the C library: see `truth_of`.
  callbacks = {
    steps = { ["sort_few/sort/compare/spin"] = 500, ["sort_many/sort/compare/spin"] = 1 },
    guess = { "sort_few", 0 },
  },
  threads = {
    steps = { ["quick/work/spin"] = 100, ["slow/work/spin"] = 45000 },
    truth = { quick = 10000, slow = 45000, work = 55000, spin = 55000, main = 0, threads = 0 },
    guess = { "quick", 55000 * 100 / 101 },
    flags = { "-DTHREADS" },
  },
  recursion = {
    steps = { ["shallow/descend/leaf/spin"] = 1, ["deep/descend/leaf/spin"] = 2 },
    truth = { main = 2448, recursion = 2448, shallow = 400, deep = 2048, descend = 2448, leaf = 2448, spin = 2448 },
    guess = { "shallow", 2448 * 100 / 101 },
  },
}

-- Records a program with its known samples. Returns the image, the path of the context profile, and the calls by path.
local function record(name, case)
  local built = recorder.compile("../../../bench/known.c",
    { flags = table.move(case.flags or {}, 1, 1, 2, { "-fno-optimize-sibling-calls" }) })
  local path, calls = recorder.known(built, case.steps, { name, "1" })
  return assert(gprof.image(built.image)), path .. ".ctx", calls
end

-- The times that follow from the numbers of comparisons.
local function truth_of(calls)
  local few, many = 0, 0
  for path, count in pairs(calls) do
    if path:find "sort_few/sort/compare$" then few = count * 500 end
    if path:find "sort_many/sort/compare$" then many = count end
  end
  local all = few + many
  assert.is_true(few >= 3 * 500 and many >= 255)
  return { main = all, callbacks = all, sort_few = few, sort_many = many, sort = all, compare = all, spin = all }
end

describe("inclusive times of known programs are exact:", function()
  for name, case in pairs(programs) do
    it(name, function()
      local image, path, calls = record(name, case)
      local truth = case.truth or truth_of(calls)
      local data <close> = assert(gprof.data(image, path))
      for _, libraries in ipairs { true, false } do
        local profile <close> = assert(gprof.profile(image, data, { libraries = libraries }))
        assert.same({ true, libraries }, { profile.exact, profile.has_libraries })
        local ticks, total = inclusive.ticks(profile), 0
        for f in profile:functions() do
          total = total + f.ticks
          if not f.object then assert.equal(truth[f.name] or 0, ticks[f.id] or 0, f.name) end
          assert.near(ticks[f.id] or 0, f.ticks + f.children_ticks, 1e-6, f.name)
        end
        assert.same({ truth.spin, truth.spin }, { profile.total_ticks, total })
      end

      local estimated <close> = assert(gprof.profile(image, data, { assume_proportional = true }))
      local guess = estimated:find(case.guess[1])
      assert.near(case.guess[2], guess.ticks + guess.children_ticks, 1e-6)

      if recorder.machine ~= "x86_64" then return end
      local bounded <close> = assert(gprof.profile(image, inclusive.as_glibc(image, data), { bounds = true }))
      assert.equal(name ~= "threads", bounded.has_bounds)
      for f in bounded:functions() do
        local exact, low, high = truth[f.name] or 0, f.total_low or 0, f.total_high or math.huge
        assert.is_true(low * 1000 <= exact + 1e-6 and exact <= high * 1000 + 1e-6, f.name)
      end
    end)
  end
end)
