-- The scenarios in which starve.c makes memory run out. The arguments are the root of the checkout, the name of a
-- scenario and its own arguments. Returns the function to starve, and a function that judges its results: "" if it
-- failed properly, "done..." if it had enough memory, or else what is wrong.
-- SPDX-License-Identifier: GPL-3.0-or-later

local root, name = ...
local words = { select(3, ...) }

package.path = root .. "/lua/?.lua;" .. root .. "/lua/?/init.lua;" .. package.path

-- The program -----------------------------------------------------------------------------

-- Temporary files keep the output. They are made before memory runs out.
rawset(io, "stdout", io.tmpfile())
rawset(io, "stderr", io.tmpfile())

local function text_of(file)
  file:seek "set"
  return file:read "a"
end

-- Tells whether a text reports a lack of memory, and no other cause.
local function is_memory_error(text, pattern)
  return text:find(pattern) and not text:find "built" and not text:find "installed"
end

-- Judges a run of the program. A proper failure prints one message about memory, after any messages about omitted
-- files, or raises the error "not enough memory", which the interpreter would print. `expected` is the message of a run
-- that fails even with enough memory.
local function judge(status, problem, expected)
  local output, messages = text_of(io.stdout), text_of(io.stderr)
  if status == (expected and 1 or 0) and (not expected or messages:find(expected, 1, true)) then
    return "done " .. output .. messages
  end
  messages = messages:gsub("^gprof%.lua: %S+bad: [^\n]*\n", "")
  if status == nil then
    return problem == "not enough memory" and messages == "" and "" or
      ("raised %s, printed %q"):format(problem, messages)
  end
  return status == 1 and is_memory_error(messages, "^gprof%.lua: [^\n]*not enough memory\n$") and "" or
    ("status %s, printed %q"):format(status, messages)
end

-- Runs gprof.lua itself, which ends the interpreter by os.exit.
local function program()
  local ended = { status = false }  -- preallocates the field
  local path = root .. "/gprof.lua"
  rawset(_G, "arg", table.move(words, 1, #words, 1, { [0] = path }))
  rawset(os, "exit", function(status)
    ended.status = status
    error(ended, 0)
  end)
  return assert(loadfile(path)), function(done, problem)
    return judge(ended.status or nil, done and "nothing" or problem)
  end
end

-- Runs the command line with the modules of all reports loaded beforehand.
local function command()
  require "gprof.cli.run"
  local cli = require "gprof.cli.main"
  return function() return cli.run(words) end, function(done, result)
    return judge(done and result or nil, result)
  end
end

-- Runs a command line that fails even with enough memory; the first argument is the expected message.
local function failing()
  local expected = table.remove(words, 1)
  local run = command()
  return run, function(done, result) return judge(done and result or nil, result, expected) end
end

-- The library -----------------------------------------------------------------------------

-- Makes a scenario of a function that uses the library. If memory runs out, the function must raise an error.
local function library(run)
  return function()
    require "gprof"
    return function() return run(table.unpack(words)) end, function(done, result)
      if done then return "done " .. tostring(result) end
      return is_memory_error(tostring(result), "not enough memory$") and "" or "raised " .. tostring(result)
    end
  end
end

local scenarios = { program = program, command = command, failing = failing }

scenarios.load = function()
  return function() return require "gprof" end, function(done, result)
    if done then return "done" end
    return is_memory_error(tostring(result), "not enough memory$") and "" or "raised " .. tostring(result)
  end
end

-- Returns the records of data as a string, to detect changes.
local function records_of(data)
  local found = { data.histogram_records, data.arc_records, data.block_records, #data.files }
  for from, to, calls in data:arcs() do found[#found + 1] = ("%d %d %d"):format(from, to, calls) end
  for address, executions in data:blocks() do found[#found + 1] = ("%d %d"):format(address, executions) end
  for histogram in data:histograms() do
    found[#found + 1] = ("%d %d"):format(histogram.low, histogram.high)
    for _, samples, address in histogram:bins() do found[#found + 1] = ("%d %d"):format(address, samples) end
  end
  return table.concat(found, ", ")
end

-- Runs steps, functions that change data. Returns the records as a string, or raises the error of the first step that
-- fails. Sets `outcome.problem` if the failed step has changed the records.
local function stepwise(data, outcome, steps)
  local before = records_of(data)
  for number, step in ipairs(steps) do
    local done, result, message = pcall(step)
    if not done or result == nil then
      local after = records_of(data)
      if after ~= before then outcome.problem = ("step %d left %s, not %s"):format(number, after, before) end
      error(done and message or result, 0)
    end
    before = records_of(data)
  end
  return before
end

-- Returns the function to starve, which runs steps, and the function that judges its results.
local function in_steps(data, steps)
  local outcome = {}
  return function() return stepwise(data, outcome, steps) end, function(done, result)
    if done then return "done " .. result end
    return is_memory_error(tostring(result), "not enough memory$") and (outcome.problem or "") or
      "raised " .. tostring(result)
  end
end

local function make(new, bins)
  local one = new()
  assert(one:add_histogram { low = 0x1000, high = 0x1000 + 4 * #bins, bins = bins })
  for i = 1, 40 do
    assert(one:add_arc(0x1000 + i, 0x1000, i))
    assert(one:add_block(0x1000 + i, i))
  end
  return one
end

scenarios.records = function()
  local gprof = require "gprof"
  local new = gprof.data.new
  local data, other = make(new, { 1, 2, 3 }), new()
  for place = 0x10000, 0x90000, 0x10000 do
    assert(other:add_histogram { low = place, high = place + 12, bins = { 1, 2, 3 } })
  end
  assert(other:add_histogram { low = 0x1000, high = 0x100c, bins = { 70000, 0, 1 << 40 } })
  for i = 1, 200 do
    assert(other:add_arc(0x2000 + i, 0x1000, i))
    assert(other:add_block(0x2000 + i, i))
  end
  return in_steps(data, {
    function() return data:add_arc(1, 2, 3) end,
    function() return data:add_block(1, 2) end,
    function() return data:add_histogram { low = 0x4000, high = 0x400c, bins = { 1, 2, 3 } } end,
    function() return data:add_histogram { low = 0x4000, high = 0x400c, bins = { 70000, 1 << 33, 3 } } end,
    function() return data:merge(other) end,
    function() return data:merge(data) end,
    function() return data:add_file(words[1]) end,
    function() return data:add_file(words[1]) end,
  })
end

-- Moves data after a profile was made, which forgets the index of arcs. Adds an arc that is there.
scenarios.slide = function()
  local gprof = require "gprof"
  local image = assert(gprof.image(words[1]))
  local data = make(function() return gprof.data.new { image = image } end, { 1, 2, 3 })
  for i = 1, 200 do assert(data:add_arc(0x2000 + i, 0x1000, i)) end
  assert(gprof.profile(image, data))
  return in_steps(data, {
    function() return data:slide(0x100) end,
    function() return data:add_arc(0x2000 + 200 - 0x100, 0x1000 - 0x100, 1) end,
  })
end

scenarios.write = library(function(target)
  local gprof = require "gprof"
  local data = make(gprof.data.new, { 1, 2, 70000 })
  assert(data:write(target))
  return assert(gprof.data.new():read(target)).arc_records
end)

-- Runs all iterators of a profile. Returns a summary.
local function walk(profile)
  local lines = {}
  local function note(...) lines[#lines + 1] = table.concat({ ... }, " ") end
  for f in profile:functions("calls") do
    note(f.name, f.calls, f.self)
    for arc in f:callers("count") do note(arc.caller and arc.caller.name or "", arc.count) end
    for arc in (f.cycle or f):callees() do note(arc.callee.name, arc.count) end
  end
  for _, f in ipairs { profile:find "main" } do note(f.name) end
  for called, id in profile:functions(function(a, b) return a.name < b.name end, "name", "id") do note(called, id) end
  return #lines .. lines[1]
end

scenarios.library = library(function(image, gmon)
  local gprof = require "gprof"
  local opened = assert(gprof.image(image))
  local data = assert(gprof.data(opened, gmon))
  assert(data:add_file(gmon))
  local profile = assert(gprof.profile(opened, data))
  local parts = {}
  profile:report("flat", { brief = true }, function(text) parts[#parts + 1] = text end)
  profile:report("graph", { brief = true }, function(text) parts[#parts + 1] = text end)
  return walk(profile) .. #table.concat(parts)
end)

scenarios.symspecs = library(function(image, gmon)
  local gprof = require "gprof"
  local opened = assert(gprof.image(image))
  local profile = assert(gprof.profile(opened, assert(gprof.data(opened, gmon)), {
    include = { flat = { "main" }, graph = { "cycles.c:main" } }, exclude = { arcs = { "main/outside" } } }))
  local found, message = opened:find "main"
  assert(found, message)
  local file, line = opened:source(found.address)
  return walk(profile) .. file .. line
end)

scenarios.lines = library(function(image, gmon)
  local gprof = require "gprof"
  local opened, count = assert(gprof.image(image)), 0
  for _ in opened:lines() do count = count + 1 end
  local profile = assert(gprof.profile(opened, assert(gprof.data(opened, gmon)), { line = true }))
  local known = assert(profile:annotate("cycles.c", words[3] and { words[3] }))
  return walk(profile) .. count .. #known
end)

-- Runs out of memory in a coroutine. Iterators in it are then abandoned, and objects stay referenced.
scenarios.coroutines = library(function(image, gmon)
  local gprof = require "gprof"
  local opened = assert(gprof.image(image))
  local data = assert(gprof.data(opened, gmon))
  local profile = assert(gprof.profile(opened, data))
  local names = {}
  local each = coroutine.wrap(function()
    for f in profile:functions("name") do
      for arc in f:callers() do coroutine.yield(f.name .. arc.count) end
    end
  end)
  local sum = coroutine.wrap(function()
    for histogram in data:histograms() do
      for _, samples in histogram:bins() do coroutine.yield(samples) end
    end
  end)
  for arc in each do names[#names + 1] = arc .. (sum and sum() or "") sum = nil end
  return table.concat(names)
end)

return assert(scenarios[name], name)()
