-- Orders of functions and of object files: the steps on small graphs, what holds on any graph, and that --gnu-compat
-- prints GNU gprof's orders.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local ordering = require "gprof.ordering"
local parity = require "support.parity"
local shell = require "support.shell"

local random <const> = math.random

-- The n-th random case has the seed base + n - 1: with that as GPROF_SEED and GPROF_CASES=1 it is the only one.
local base <const> = tonumber(os.getenv "GPROF_SEED" or 20240310)
local cases <const> = tonumber(os.getenv "GPROF_CASES" or 300)

local function repeatedly(try)
  for seed = base, base + cases - 1 do
    math.randomseed(seed)
    try(("GPROF_SEED=%d GPROF_CASES=1\n"):format(seed))
  end
end

-- Gives { caller, callee, count, number } as an iteration does.
local function each(list)
  local i = 0
  return function()
    i = i + 1
    if list[i] then
      return table.unpack(list[i])
    end
  end
end

-- Arcs { caller, callee, count } that were created in this order, by count.
local function by_count(list)
  local sorted = {}
  for i, arc in ipairs(list) do
    sorted[i] = { arc[1], arc[2], arc[3], i }
  end
  table.sort(sorted, function(a, b)
    if a[3] ~= b[3] then return a[3] > b[3] end
    return a[4] < b[4]
  end)
  return ordering.arcs(each(sorted))
end

local function numbers(n)
  local list = {}
  for i = 1, n do
    list[i] = i
  end
  return list
end

local function order(n, list, faulty)
  return ordering.functions(numbers(n), by_count(list), faulty)
end

-- Steps -------------------------------------------------------------------------------------

describe("An order of functions", function()
  it("ties callers and callees in the order of counts", function()
    assert.same({ 3, 4, 1, 2 }, order(4, { { 1, 2, 5 }, { 3, 4, 9 }, { 2, 1, 1 }, { 4, 3, 1 } }))
  end)

  it("ties equal counts as they were created", function()
    assert.same({ 1, 2, 4, 3 }, order(4, { { 1, 2, 5 }, { 4, 3, 5 }, { 2, 1, 1 }, { 3, 4, 1 } }))
  end)

  -- The chain 1 2 3 4, of whom all are called, and 5.
  local chain <const> = { { 1, 2, 50 }, { 2, 3, 40 }, { 3, 4, 30 }, { 4, 1, 3 }, { 4, 5, 2 } }
  for title, case in pairs {
    ["a caller to the front, where that is nearer"] = { { 5, 2, 20 }, { 5, 1, 2, 3, 4 } },
    ["a caller to the back, where that is nearer"] = { { 5, 3, 20 }, { 1, 2, 3, 4, 5 } },
    ["a caller of the last one behind it"] = { { 5, 4, 20 }, { 1, 2, 3, 4, 5 } },
    ["a callee to the front, where that is nearer"] = { { 2, 5, 20 }, { 5, 1, 2, 3, 4 } },
    ["a callee to the back, where that is nearer"] = { { 3, 5, 20 }, { 1, 2, 3, 4, 5 } },
    ["a callee of the first one in front of it"] = { { 1, 5, 20 }, { 5, 1, 2, 3, 4 } },
  } do
    it("ties " .. title, function()
      local list = table.move(chain, 1, #chain, 1, {})
      list[#list + 1] = case[1]
      assert.same(case[2], order(5, list))
    end)
  end

  it("ties a caller to the front and a callee to the back of the middle of a chain", function()
    local list = { { 1, 2, 50 }, { 2, 3, 40 }, { 3, 1, 1 }, { 3, 4, 1 } }
    list[5] = { 4, 2, 20 }
    assert.same({ 4, 1, 2, 3 }, order(4, list))
    list[5] = { 2, 4, 20 }
    assert.same({ 1, 2, 3, 4 }, order(4, list))
  end)

  it("doesn't join two chains", function()
    local list = { { 4, 3, 50 }, { 2, 1, 40 }, { 3, 2, 30 }, { 1, 4, 20 } }
    assert.same({ 4, 3, 2, 1 }, order(4, list))
    list[3] = { 1, 4, 30 }  -- would be 2 1 4 3
    assert.same({ 4, 3, 2, 1 }, order(4, { list[1], list[2], list[3], { 3, 2, 1 } }))
  end)

  it("has those at its end that nobody else calls", function()
    assert.same({ 2, 3, 1, 4 }, order(4, { { 1, 2, 9 }, { 2, 3, 5 }, { 4, 4, 7 }, { 3, 4, 0 } }))
  end)

  it("leaves the last hundredth of the calls for a second round", function()
    -- 1 and 2 have their places before 4 is tied, or else 4 goes in front of them, and 3 in front of 4.
    assert.same({ 1, 2, 3, 4 }, order(4, { { 1, 2, 980 }, { 4, 1, 15 }, { 3, 4, 4 }, { 4, 3, 1 } }))
    assert.same({ 3, 4, 1, 2 }, order(4, { { 1, 2, 80 }, { 4, 1, 14 }, { 3, 4, 3 }, { 4, 3, 3 } }))
  end)

  it("is that of the addresses where there are no calls", function()
    assert.same({ 1, 2, 3 }, order(3, {}))
    assert.same({ 1, 2, 3 }, order(3, { { 3, 1, 0 }, { 2, 2, 9 } }))
    assert.same({}, order(0, {}))
  end)
end)

-- A ring of 3 to n, who all call 1 and half of them 2.
local function ring(n)
  local list = {}
  for node = 3, n do
    list[#list + 1] = { node, node < n and node + 1 or 3, 10 }
    list[#list + 1] = { node, 1, 100 }
    if node % 2 == 0 then
      list[#list + 1] = { node, 2, 100 }
    end
  end
  return list
end

local function sequence(first, last)
  return table.move(numbers(last), first, last, 1, {})
end

describe("What nearly everybody calls", function()
  -- 80 called functions make a hot one.
  it("comes first", function()
    local hot, rest = order(160, ring(160)), sequence(3, 160)
    assert.same({ 1, 2, table.unpack(rest) }, hot)
    assert.same({ 1, table.unpack(rest) }, order(160, ring(160), true))
  end)

  it("is one in eighty of the functions that are called", function()
    assert.equal(1, order(159, ring(159))[1])
    assert.not_equal(2, order(159, ring(159))[2])
    assert.not_equal(1, order(79, ring(79))[1])
  end)

  it("waits for its caller if that is hot, too", function()
    local list = ring(160)
    table.insert(list, 1, { 1, 2, 1 })
    local expected = { 1, table.unpack(sequence(3, 160)) }
    expected[160] = 2
    assert.same(expected, order(160, list))
    assert.same(expected, order(160, list, true))
  end)

  it("is behind its caller, where nobody calls that: GNU gprof prints it twice", function()
    local list = ring(160)
    table.insert(list, { 161, 1, 1 })
    local rest = sequence(3, 160)
    assert.same({ 2, 161, table.unpack(rest) }, table.move(order(161, list), 1, 160, 1, {}))
    assert.equal(1, order(161, list)[161])
    assert.same({ 161, table.unpack(rest) }, table.move(order(161, list, true), 1, 159, 1, {}))
    assert.same({ 1, 161 }, table.move(order(161, list, true), 160, 162, 1, {}))
  end)

  it("hasn't just five callers", function()
    for callers, hot in pairs { [4] = true, [5] = false, [6] = true } do
      local list = {}
      for node = 2, 80 do
        list[#list + 1] = { node, node < 80 and node + 1 or 2, 10 }
      end
      for node = 2, callers + 1 do
        list[#list + 1] = { node, 1, 20 }
      end
      assert.equal(hot, order(80, list)[1] == 1)
    end
  end)
end)

-- Any graph ---------------------------------------------------------------------------------

-- How callers and callees are chosen: anyone, one callee much rather than another, one caller, or a neighbour.
local choices <const> = {
  function(n) return random(n), random(n) end,
  function(n) return random(n), 1 + math.floor(n * random() ^ 3) end,
  function(n) return 1 + math.floor(n * random() ^ 3), random(n) end,
  function(n)
    local caller = random(n)
    return caller, math.max(1, math.min(n, caller + random(-3, 3)))
  end,
}

-- Arcs { caller, callee, count } between n functions, some of a function to itself, some twice.
local function some_arcs(n)
  local choose, list = choices[random(#choices)], {}
  local most = ({ 1, 3, 20, 1000, 1000000 })[random(5)]
  for i = 1, random(1, n * random(1, 6)) do
    local caller, callee = choose(n)
    local count = random(3) == 1 and math.floor(1 / (1 - random()) ^ 2) % most or random(most)
    list[i] = { caller, callee, random(10) == 1 and 0 or count }
  end
  return list
end

-- The first occurrence of each.
local function without_repetition(list)
  local seen, result = {}, {}
  for _, node in ipairs(list) do
    if not seen[node] then
      result[#result + 1] = node
    end
    seen[node] = true
  end
  return result
end

describe("An order of any graph", function()
  local sizes <const> = { 1, 5, 40, 100, 300, 700 }

  it("has each function once", function()
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      local result = order(n, some_arcs(n))
      assert.equal(n, #result, note)
      assert.equal(n, #without_repetition(result), note)
    end)
  end)

  it("is GNU gprof's without repetitions, and with the one that is lost", function()
    local lost = 0
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      local list = some_arcs(n)
      local sound, faulty = order(n, list), without_repetition(order(n, list, true))
      for i, node in ipairs(sound) do
        if faulty[i] ~= node then
          lost = lost + 1
          table.insert(faulty, i, node)
          break
        end
      end
      assert.same(sound, faulty, note)
    end)
    assert.is_true(cases < 300 or lost > 5)
  end)
end)

-- Files -------------------------------------------------------------------------------------

describe("An order of files", function()
  it("ties arcs as they are given, and knows what is no file", function()
    local arcs = ordering.arcs(each { { 1, 2, 1, 1 }, { 4, 3, 9, 2 }, { 2, 9, 50, 3 }, { 3, 5, 7, 4 }, { 5, 1, 1, 5 } })
    assert.same({ 1, 2, 4, 3, 5 }, ordering.files({ 1, 2, 3, 4, 5 }, arcs))
    assert.same({ 1, 2, 3, 5 }, ordering.files({ 1, 5, 3, 2 }, arcs))
  end)
end)

-- A profile of n functions, of which some stand for files: what the report needs of one, and the same as words of a
-- map. Functions named in the map but not first in their file are parts of what precedes them.
local function stand_in(n, list, map)
  local function_of, names, current, previous = {}, {}, nil, nil
  local file_of, files = {}, {}
  for _, line in ipairs(map) do
    file_of[line.symbol] = { name = line.file, first = line.file ~= previous }
    previous = line.file
    files[#files + 1] = line.file
  end
  for id = 1, n do
    local file = file_of["f" .. id]
    if not file or file.first then
      current = id
      names[id] = { file ~= nil, file and file.name or "f" .. id }
    end
    function_of[id] = current
  end
  local arcs, known = {}, {}
  for _, arc in ipairs(list) do
    local caller, callee = function_of[arc[1]], function_of[arc[2]]
    local key = caller and callee and caller << 32 | callee
    if key and not known[key] then
      known[key] = { caller, callee, 0, #arcs + 1 }
      arcs[#arcs + 1] = known[key]
    end
    if key then
      known[key][3] = known[key][3] + arc[3]
    end
  end
  local profile = { map_files = files }
  function profile.functions()
    return coroutine.wrap(function()
      for id = 1, n do
        if names[id] then coroutine.yield(id, names[id][1], names[id][2]) end
      end
    end)
  end
  function profile.arcs()
    return each(arcs)
  end
  return profile
end

local function print_files(profile, options)
  local text = {}
  require "gprof.report.file_order"(profile, options, function(piece) text[#text + 1] = piece end)
  return table.concat(text)
end

-- An image of functions f1 to fn, of 16 bytes each, and a profile of these calls.
local function some_image(n)
  local symbols = {}
  for i = 1, n do
    symbols[i] = { "f" .. i, 16 * (i - 1) }
  end
  return build.craft { text = 16 * n, symbols = symbols }
end

local function write_profile(path, list)
  local records = {}
  for i, arc in ipairs(list) do
    local caller, callee, count = table.unpack(arc)
    records[i] = { kind = "arc", from = 0x1000 + 16 * (caller - 1) + 3, self = 0x1000 + 16 * (callee - 1),
      count = count }
  end
  return gmon.write(path, gmon.magic { records = records })
end

-- The order of a map's lines is that of the functions. Some are missing, some don't exist; now and then a file's
-- functions lie in several places.
local function some_map(n)
  local map, file = {}, "first.o"
  for i = 1, n do
    if random(3) == 1 then
      file = random(6) == 1 and ("q%d.o"):format(random(3)) or ("%s%d.o"):format(string.char(96 + random(26)), i)
    end
    if random(4) > 1 then map[#map + 1] = { file = file, symbol = "f" .. i } end
    if random(8) == 1 then map[#map + 1] = { file = file, symbol = "g" .. i } end
  end
  return map
end

describe("The report of files", function()
  local map <const> = {
    { file = "a.o", symbol = "f1" }, { file = "a.o", symbol = "f2" }, { file = "b.o", symbol = "f3" },
    { file = "c.o", symbol = "f4" }, { file = "z.o", symbol = "g" }, { file = "y.o", symbol = "g" },
  }

  it("has each file of the map once, the busiest calls tied first", function()
    local profile = stand_in(4, { { 3, 1, 1 }, { 1, 4, 5 }, { 2, 4, 5 }, { 3, 4, 20 } }, map)
    assert.equal("b.o\nc.o\na.o\ny.o\nz.o\n", print_files(profile, {}))
    assert.equal("b.o\na.o\nc.o\ny.o\nz.o\n", print_files(profile, { gnu_compat = true }))
  end)

  it("takes several functions of one file for one", function()
    local spread = { { file = "a.o", symbol = "f1" }, { file = "b.o", symbol = "f2" }, { file = "a.o", symbol = "f3" },
      { file = "c.o", symbol = "f4" } }
    local profile = stand_in(4, { { 1, 2, 5 }, { 4, 2, 9 }, { 3, 2, 5 }, { 1, 3, 50 } }, spread)
    assert.equal("a.o\nb.o\nc.o\n", print_files(profile, {}))
    assert.equal("a.o\na.o\nb.o\nc.o\n", print_files(profile, { gnu_compat = true }))
  end)

  it("has each file of any map once", function()
    repeatedly(function(note)
      local n = random(40)
      local some, expected = some_map(n), {}
      for _, line in ipairs(some) do
        expected[line.file] = 1
      end
      local found = {}
      for file in print_files(stand_in(n, some_arcs(n), some), {}):gmatch "[^\n]+" do
        found[file] = (found[file] or 0) + 1
      end
      assert.same(expected, found, note)
    end)
  end)

  it("wants a profile that was made with a map", function()
    assert.has_error(function() print_files({}, {}) end,
      "a file order needs a map of symbols to files, which this profile has not")
  end)
end)

-- Functions of a program ----------------------------------------------------------------------

describe("The report of functions", function()
  it("has each function of a program once, by its symbol", function()
    for _, variant in ipairs { { "crowd", "" }, { "shapes", "O2" }, { "clones", "" } } do
      local built = build.program(table.unpack(variant))
      local image = assert(gprof.image(built.image))
      local profile = assert(gprof.profile(image, assert(gprof.data(image, built.gmon))))
      local expected, found, text = {}, {}, {}
      for symbol in profile:functions("address", "symbol") do
        expected[#expected + 1] = symbol
      end
      profile:report("function_order", {}, function(piece) text[#text + 1] = piece end)
      for symbol in table.concat(text):gmatch "[^\n]+" do
        found[#found + 1] = symbol
      end
      table.sort(expected)
      table.sort(found)
      assert.same(expected, found)
    end
  end)
end)

-- Arcs of a profile -------------------------------------------------------------------------

describe("profile:arcs", function()
  local profile, f = crafted.profile {
    functions = { "main", "work", "leaf" },
    calls = { { "main", "work", 2 }, { "work", "leaf", 9 }, { "leaf", "leaf", 2 }, { "main", "leaf", 4 } },
  }

  local function listed(...)
    local list = {}
    for id, caller, callee, count in profile:arcs(...) do
      list[#list + 1] = { id, caller, callee, count }
    end
    return list
  end

  it("gives fields in the order of creation or of counts", function()
    local main, work, leaf = f.main.id, f.work.id, f.leaf.id
    local created = { { 1, main, work, 2 }, { 2, work, leaf, 9 }, { 3, leaf, leaf, 2 }, { 4, main, leaf, 4 } }
    assert.same(created, listed("created", "id", "caller_id", "callee_id", "count"))
    assert.same({ created[2], created[4], created[1], created[3] },
      listed("count", "id", "caller_id", "callee_id", "count"))
  end)

  it("gives objects", function()
    local first = profile:arcs()()
    assert.equal(f.work, first.callee)
    assert.equal(1, first.id)
    assert.equal(first, f.main:callees()().caller == f.main and f.work:callers()())
  end)

  it("refuses other orders and fields", function()
    assert.has_error(function() profile:arcs("random") end)
    assert.has_error(function() profile:arcs("count", "nonsense") end)
  end)
end)

-- The same as GNU gprof -----------------------------------------------------------------------

local available, why = oracle.available()
if not available then
  pending("orders of GNU gprof: " .. why)
  return
end

local function check(arguments, options, note)
  local difference = parity.difference(arguments, options)
  assert(not difference, (note or "") .. tostring(difference))
end

describe("With --gnu-compat, the order of functions is GNU gprof's", function()
  local option_lists <const> = { { "-r" }, { "-r", "-a" }, { "-r", "-z", "-D" }, { "-q", "-p", "-r", "--no-demangle" },
    { "-r", "-P" }, { "--function-ordering", "-L", "--inline-file-names" } }
  for name, variant in build.each() do
    it(("for %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      for _, list in ipairs(built.gmon and option_lists or {}) do
        check({ "-b", table.unpack(list), name, "gmon.out" }, { cwd = built.dir })
      end
    end)
  end

  it("for made-up profiles", function()
    local sizes <const>, images, dir = { 5, 40, 100, 300, 300 }, {}, shell.tmpdir()
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      images[n] = images[n] or some_image(n)
      check({ "-b", "-r", images[n], write_profile(dir .. "/gmon.out", some_arcs(n)) }, nil, note)
    end)
  end)

  it("for a profile without calls", function()
    check { "-b", "-r", some_image(5), write_profile(shell.tmpdir() .. "/gmon.out", {}) }
  end)
end)

describe("With --gnu-compat, the order of files is GNU gprof's", function()
  it("for made-up profiles and maps", function()
    local sizes <const>, images, dir = { 6, 20, 60 }, {}, shell.tmpdir()
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      images[n] = images[n] or some_image(n)
      local list, map, lines = some_arcs(n), some_map(n), {}
      if #map == 0 then return end  -- GNU gprof crashes
      for i, line in ipairs(map) do
        lines[i] = ("%s:0000000000000000 T %s\n"):format(line.file, line.symbol)
      end
      local theirs = oracle.run { "-b", "-R", shell.write(dir .. "/map", table.concat(lines)), images[n],
        write_profile(dir .. "/gmon.out", list) }
      assert.equal(theirs.stdout, print_files(stand_in(n, list, map), { gnu_compat = true }), note)
    end)
  end)
end)
