-- The link orders of functions and object files: the algorithm's steps on small graphs, properties on random graphs,
-- and equality with GNU gprof under --gnu-compat.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local linker_order = require "gprof.linker_order"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

local random <const> = math.random
local repeatedly <const>, cases <const> = chance.cases(20240310, 300)

-- Returns the arcs { caller, callee, count } of a list by descending count. Ties keep the order of the
-- list, which is the order of creation.
local function by_count(list)
  local sorted = {}
  for i, arc in ipairs(list) do
    sorted[i] = { arc[1], arc[2], arc[3], i }
  end
  table.sort(sorted, function(a, b)
    if a[3] ~= b[3] then return a[3] > b[3] end
    return a[4] < b[4]
  end)
  return linker_order.arcs(sorted)
end

local function numbers(n)
  local list = {}
  for i = 1, n do
    list[i] = i
  end
  return list
end

local function order(n, list, faulty)
  return linker_order.functions(numbers(n), by_count(list), { faulty = faulty })
end

-- Steps -------------------------------------------------------------------------------------

describe("An order of functions", function()
  it("links callers and callees in the order of counts", function()
    assert.same({ 3, 4, 1, 2 }, order(4, { { 1, 2, 5 }, { 3, 4, 9 }, { 2, 1, 1 }, { 4, 3, 1 } }))
  end)

  it("links arcs with equal counts in the order of creation", function()
    assert.same({ 1, 2, 4, 3 }, order(4, { { 1, 2, 5 }, { 4, 3, 5 }, { 2, 1, 1 }, { 3, 4, 1 } }))
  end)

  -- Three arcs that link 1, 2, 3 and 4 into a chain, and two arcs of fewer calls, from 4 to 1 and from 4 to 5.
  local chain <const> = { { 1, 2, 50 }, { 2, 3, 40 }, { 3, 4, 30 }, { 4, 1, 3 }, { 4, 5, 2 } }
  for title, case in pairs {
    ["a caller to the front of a chain if the front is nearer"] = { { 5, 2, 20 }, { 5, 1, 2, 3, 4 } },
    ["a caller to the back of a chain if the back is nearer"] = { { 5, 3, 20 }, { 1, 2, 3, 4, 5 } },
    ["a caller of a chain's last function to the back"] = { { 5, 4, 20 }, { 1, 2, 3, 4, 5 } },
    ["a callee to the front of a chain if the front is nearer"] = { { 2, 5, 20 }, { 5, 1, 2, 3, 4 } },
    ["a callee to the back of a chain if the back is nearer"] = { { 3, 5, 20 }, { 1, 2, 3, 4, 5 } },
    ["a callee of a chain's first function to the front"] = { { 1, 5, 20 }, { 5, 1, 2, 3, 4 } },
  } do
    it("links " .. title, function()
      local list = table.move(chain, 1, #chain, 1, {})
      list[#list + 1] = case[1]
      assert.same(case[2], order(5, list))
    end)
  end

  it("puts callers of a chain's middle at the front, and callees of the middle at the back", function()
    local list = { { 1, 2, 50 }, { 2, 3, 40 }, { 3, 1, 1 }, { 3, 4, 1 } }
    list[5] = { 4, 2, 20 }
    assert.same({ 4, 1, 2, 3 }, order(4, list))
    list[5] = { 2, 4, 20 }
    assert.same({ 1, 2, 3, 4 }, order(4, list))
  end)

  it("does not join two chains", function()
    local list = { { 4, 3, 50 }, { 2, 1, 40 }, { 3, 2, 30 }, { 1, 4, 20 } }
    assert.same({ 4, 3, 2, 1 }, order(4, list))
    list[3] = { 1, 4, 30 }  -- joining the chains would give 2 1 4 3
    assert.same({ 4, 3, 2, 1 }, order(4, { list[1], list[2], list[3], { 3, 2, 1 } }))
  end)

  it("ends with functions that are never called", function()
    assert.same({ 2, 3, 1, 4 }, order(4, { { 1, 2, 9 }, { 2, 3, 5 }, { 4, 4, 7 }, { 3, 4, 0 } }))
  end)

  it("leaves the last 1 % of the calls for a second round", function()
    -- The first round joins 1 and 2, the second adds 3 and 4. A single round would put 4 before 1, and 3 before 4.
    assert.same({ 1, 2, 3, 4 }, order(4, { { 1, 2, 980 }, { 4, 1, 15 }, { 3, 4, 4 }, { 4, 3, 1 } }))
    assert.same({ 3, 4, 1, 2 }, order(4, { { 1, 2, 80 }, { 4, 1, 14 }, { 3, 4, 3 }, { 4, 3, 3 } }))
  end)

  it("is the address order if there are no calls", function()
    assert.same({ 1, 2, 3 }, order(3, {}))
    assert.same({ 1, 2, 3 }, order(3, { { 3, 1, 0 }, { 2, 2, 9 } }))
    assert.same({}, order(0, {}))
  end)
end)

-- Returns the arcs of a ring of the nodes 3 to n. Each node also calls 1, and every second one calls 2.
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

describe("A hot function", function()
  it("is placed first", function()
    local hot, rest = order(160, ring(160)), sequence(3, 160)
    assert.same({ 1, 2, table.unpack(rest) }, hot)
    assert.same({ 1, table.unpack(rest) }, order(160, ring(160), true))
  end)

  it("exists once per 80 called functions", function()
    assert.equal(1, order(159, ring(159))[1])
    assert.not_equal(2, order(159, ring(159))[2])
    assert.not_equal(1, order(79, ring(79))[1])
  end)

  it("is placed after its caller if the caller is hot, too", function()
    local list = ring(160)
    table.insert(list, 1, { 1, 2, 1 })
    local expected = { 1, table.unpack(sequence(3, 160)) }
    expected[160] = 2
    assert.same(expected, order(160, list))
    assert.same(expected, order(160, list, true))
  end)

  it("is placed after its caller if the caller is never called; GNU gprof prints the caller twice", function()
    local list = ring(160)
    table.insert(list, { 161, 1, 1 })
    local rest = sequence(3, 160)
    assert.same({ 2, 161, table.unpack(rest) }, table.move(order(161, list), 1, 160, 1, {}))
    assert.equal(1, order(161, list)[161])
    assert.same({ 161, table.unpack(rest) }, table.move(order(161, list, true), 1, 159, 1, {}))
    assert.same({ 1, 161 }, table.move(order(161, list, true), 160, 162, 1, {}))
  end)

  it("does not have exactly five callers", function()
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

-- Ways to choose a random caller and callee among n functions: uniformly, preferring a few callees, preferring a few
-- callers, or as neighbours.
local choices <const> = {
  function(n) return random(n), random(n) end,
  function(n) return random(n), 1 + math.floor(n * random() ^ 3) end,
  function(n) return 1 + math.floor(n * random() ^ 3), random(n) end,
  function(n)
    local caller = random(n)
    return caller, math.max(1, math.min(n, caller + random(-3, 3)))
  end,
}

-- Returns random arcs { caller, callee, count } between n functions. They include self-calls and duplicates.
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

-- Removes duplicates.
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

  it("lists each function once", function()
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      local result = order(n, some_arcs(n))
      assert.equal(n, #result, note)
      assert.equal(n, #without_repetition(result), note)
    end)
  end)

  it("is GNU gprof's order without duplicates, plus the function that GNU gprof loses", function()
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
  it("links arcs in the given order, and ignores functions without a file", function()
    local arcs = linker_order.arcs {
      { 1, 2, 1, 1 }, { 4, 3, 9, 2 }, { 2, 9, 50, 3 }, { 3, 5, 7, 4 }, { 5, 1, 1, 5 },
    }
    assert.same({ 1, 2, 4, 3, 5 }, linker_order.files({ 1, 2, 3, 4, 5 }, arcs))
    assert.same({ 1, 2, 3, 5 }, linker_order.files({ 1, 5, 3, 2 }, arcs))
  end)
end)

-- Nodes of other kinds ----------------------------------------------------------------------

describe("The module", function()
  local calls <const> = { { "a", "b", 5 }, { "c", "d", 9 }, { "b", "a", 1 }, { "d", "c", 1 } }

  it("orders any values", function()
    assert.same({ "c", "d", "a", "b" }, linker_order.functions({ "a", "b", "c", "d" }, by_count(calls)))
    assert.same({ "a", "b", "c", "d" }, linker_order.files({ "a", "b", "c", "d" }, linker_order.arcs(calls)))
  end)

  it("adds up the arcs between groups", function()
    local function each()
      local i = 0
      return function()
        i = i + 1
        if calls[i] then return table.unpack(calls[i]) end
      end
    end
    local group_of = { a = "x", b = "y", c = "x", d = "y" }
    local sums = {}
    for from, to, count in linker_order.grouped(group_of, each())() do
      sums[#sums + 1] = ("%s %s %d"):format(from, to, count)
    end
    assert.same({ "x y 14", "y x 2" }, sums)
  end)

  it("has thresholds, and leaves the table of options alone", function()
    local nodes, list <const> = { 1, 2, 3, 4 }, { { 1, 2, 80 }, { 4, 1, 14 }, { 3, 4, 3 }, { 4, 3, 3 } }
    local options = { first_round = 0.9 }
    assert.same({ 3, 4, 1, 2 }, linker_order.functions(nodes, by_count(list)))
    assert.same({ 1, 2, 3, 4 }, linker_order.functions(nodes, by_count(list), options))
    assert.same({ first_round = 0.9 }, options)
  end)

  it("tells the mean distance of calls in an order", function()
    local sizes <const>, arcs <const> = { a = 10, b = 20, c = 30, d = 40 }, linker_order.arcs(calls)
    assert.equal((10 * 5 + 30 * 9 + 10 + 30) / 16, linker_order.distance({ "a", "b", "c", "d" }, arcs, sizes))
    assert.equal(0, linker_order.distance({}, arcs, sizes))
  end)

  it("rejects invalid arguments", function()
    local profile, arcs = crafted.profile { functions = { "f" } }, linker_order.arcs {}
    for problem, call in pairs {
      ["#1 to 'functions' (table expected, got nil)"] = { linker_order.functions },
      ["#2 to 'functions' (function expected, got table)"] = { linker_order.functions, {}, {} },
      ["#3 to 'functions' (table expected, got integer)"] = { linker_order.functions, {}, arcs, 1 },
      ["#2 to 'files' (function expected, got gprof.profile)"] = { linker_order.files, {}, profile },
      ["#1 to 'of_profile' (gprof.profile expected, got table)"] = { linker_order.of_profile, {}, {} },
      ["#3 to 'of_profile' (function expected, got table)"] = { linker_order.of_profile, profile, {}, {} },
      ["#3 to 'distance' (table expected, got nil)"] = { linker_order.distance, {}, arcs },
      ["#1 to 'calls' (gprof.profile expected, got nil)"] = { linker_order.calls },
      ["#1 to 'arcs' (table expected, got nil)"] = { linker_order.arcs },
      ["#2 to 'grouped' (function expected, got nil)"] = { linker_order.grouped, {} },
    } do
      local done, message = pcall(function() return call[1](table.unpack(call, 2)), nil end)
      assert.is_false(done)
      assert.truthy(message:find(problem, 1, true), message)
      assert.truthy(message:find "linker_order_spec.lua:", message)
    end
  end)

  it("lets a report use another heuristic", function()
    local profile = crafted.profile { functions = { "f", "g", "h" }, calls = { { "f", "g", 3 }, { "f", "h", 7 } } }
    local seen
    local text = crafted.printed("function_order", profile, { heuristic = function(nodes, arcs, of)
      seen = { #nodes, (select(3, arcs()())), of == profile }
      return { nodes[3], nodes[1], nodes[2] }
    end })
    assert.same({ 3, 7, true }, seen)
    assert.equal("h\nf\ng\n", text)
  end)
end)

local images <const> = {}

-- Returns an image with functions f1 to fn, of 16 bytes each.
local function image_of(n)
  if not images[n] then
    local symbols = {}
    for i = 1, n do
      symbols[i] = { "f" .. i, 16 * (i - 1) }
    end
    images[n] = build.craft { text = 16 * n, symbols = symbols }
  end
  return images[n]
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

local function write_map(path, map)
  local lines = {}
  for i, line in ipairs(map) do
    lines[i] = ("%s:0000000000000000 T %s\n"):format(line.file, line.symbol)
  end
  return shell.write(path, table.concat(lines))
end

-- Returns a random map in the order of the functions. It omits some functions and adds symbols that the image lacks.
-- Sometimes a file's functions are in several places.
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

-- Returns a random map. A symbol may be on several lines and in several files, and a file's lines may be anywhere.
local function some_jumble(n)
  local map, files, symbols = {}, random(8), random(2 * n)
  for i = 1, random(({ 3, 10, 40, 400 })[random(4)]) do
    local file = ("%s%d.o"):format(string.char(96 + random(3)), random(files))
    local symbol = random(5) == 1 and "g" .. random(n) or "f" .. random(math.min(n, symbols))
    map[i] = { file = file, symbol = symbol .. (random(50) == 1 and string.char(random(128, 255)) or "") }
  end
  return map
end

describe("The report of files", function()
  local dir <const> = shell.tmpdir()

  -- Returns the report of the files' order for the calls in `list` between n functions.
  local function files(n, list, map, options)
    local image <close> = assert(gprof.image(image_of(n)))
    local data = assert(gprof.data(image, write_profile(dir .. "/gmon.out", list)))
    local profile = assert(gprof.profile(image, data, { file_ordering = write_map(dir .. "/map", map),
      gnu_compat = options and options.gnu_compat }))
    return crafted.printed("file_order", profile, options or {})
  end

  local faulty <const> = { gnu_compat = true }
  local map <const> = {
    { file = "a.o", symbol = "f1" }, { file = "a.o", symbol = "f2" }, { file = "b.o", symbol = "f3" },
    { file = "c.o", symbol = "f4" }, { file = "z.o", symbol = "g" }, { file = "y.o", symbol = "g" },
  }

  it("lists each file of the map once, and links the arcs with most calls first", function()
    local list = { { 3, 1, 1 }, { 1, 4, 5 }, { 2, 4, 5 }, { 3, 4, 20 } }
    assert.equal("b.o\nc.o\na.o\ny.o\nz.o\n", files(4, list, map))
    assert.equal("b.o\na.o\nc.o\ny.o\nz.o\n", files(4, list, map, faulty))
  end)

  it("treats the functions of a file as one node", function()
    local spread = { { file = "a.o", symbol = "f1" }, { file = "b.o", symbol = "f2" }, { file = "a.o", symbol = "f3" },
      { file = "c.o", symbol = "f4" } }
    local list = { { 1, 2, 5 }, { 4, 2, 9 }, { 3, 2, 5 }, { 1, 3, 50 } }
    assert.equal("a.o\nb.o\nc.o\n", files(4, list, spread))
    assert.equal("a.o\na.o\nb.o\nc.o\n", files(4, list, spread, faulty))
  end)

  it("counts calls for a function's own file, not for the file before it", function()
    local spread = { { file = "a.o", symbol = "f1" }, { file = "a.o", symbol = "f3" }, { file = "b.o", symbol = "f2" },
      { file = "c.o", symbol = "f4" }, { file = "d.o", symbol = "f5" } }
    -- f3 of a.o is between the functions of b.o and c.o. Its calls count for a.o, not for b.o.
    local list = { { 3, 4, 50 }, { 2, 5, 10 }, { 5, 4, 5 } }
    assert.equal("a.o\nc.o\nb.o\nd.o\n", files(5, list, spread))
    assert.equal("d.o\nb.o\nc.o\na.o\n", files(5, list, spread, faulty))
  end)

  it("uses the first of several lines of a symbol, where GNU gprof uses the middle one", function()
    local lines, list = {}, { { 1, 2, 9 } }
    for i = 1, 5 do
      lines[i] = { file = ("%d.o"):format(6 - i), symbol = "f1" }
    end
    assert.equal("5.o\n1.o\n2.o\n3.o\n4.o\n", files(2, list, lines))
    assert.equal("3.o\n1.o\n2.o\n4.o\n5.o\n", files(2, list, lines, faulty))
    lines[6] = { file = "6.o", symbol = "a" }
    assert.equal("3.o\n1.o\n2.o\n4.o\n5.o\n6.o\n", files(2, list, lines, faulty))
    lines[7] = { file = "7.o", symbol = "b" }
    assert.equal("4.o\n1.o\n2.o\n3.o\n5.o\n6.o\n7.o\n", files(2, list, lines, faulty))
  end)

  it("lists each file of any map once", function()
    repeatedly(function(note)
      local n = random(40)
      local some, expected = random(2) == 1 and some_map(n) or some_jumble(n), {}
      if #some == 0 then return end  -- an empty map is rejected: see below
      for _, line in ipairs(some) do
        expected[line.file] = 1
      end
      local found = {}
      for file in files(n, some_arcs(n), some):gmatch "[^\n]+" do
        found[file] = (found[file] or 0) + 1
      end
      assert.same(expected, found, note)
    end)
  end)

  it("requires a profile made with a map", function()
    local profile = crafted.profile { functions = { "main" }, calls = { { "main", "main", 1 } } }
    assert.has_error(function() crafted.printed("file_order", profile) end,
      "a file order needs a map of symbols to files, which this profile lacks")
  end)
end)

describe("A profile by object files", function()
  local program_of_two <const> = {
    functions = { "a1", "a2", "b", "a3" }, ticks = { a1 = 1, a2 = 2, b = 4, a3 = 8 },
    calls = { { "a1", "a2", 3 }, { "a2", "b", 5 }, { "a3", "b", 6 } },
  }
  local path <const> = write_map(shell.tmpdir() .. "/map", {
    { file = "a.o", symbol = "a1" }, { file = "a.o", symbol = "a2" }, { file = "a.o", symbol = "a3" },
    { file = "b.o", symbol = "b" } })

  it("has one node for neighbouring functions of a file", function()
    local found = {}
    for symbol, mapped, self in crafted.profile(program_of_two, { file_ordering = path })
      :functions("address", "symbol", "mapped", "self") do
      found[#found + 1] = { symbol, mapped, self }
    end
    assert.same({ { "a.o", true, 0.03 }, { "b.o", true, 0.04 }, { "a.o", true, 0.08 } }, found)
  end)
end)

-- Maps ----------------------------------------------------------------------------------------

describe("A map", function()
  local dir <const> = shell.tmpdir()

  local function run(text, ...)
    local path = shell.write(dir .. "/map", text)
    return program.run { "-b", "-R", path, image_of(3), write_profile(dir .. "/gmon.out", { { 1, 2, 3 } }), ... }, path
  end

  local long <const> = ("n"):rep(5000)
  local good <const> = "z.o:0 T f1\ny.o:0 T f2\nx.o:0 T f3\n"

  -- f1 and f2 are linked, and f3 comes after them, so the files are not in alphabetical order.
  for about, text in pairs {
    ["as nm prints it"] = good, ["with CRLF"] = good:gsub("\n", "\r\n"), ["without a last newline"] = good:sub(1, -2),
    ["with blank lines"] = "\n" .. good:gsub("\n", "\n\n  \n"), ["with undefined symbols"] = "q.o:   U f1\n" .. good,
    ["with empty object files"] = "No symbols in a.o\n" .. good .. "No symbols in b.o\n",
    ["with a name of 5,000 bytes"] = ("z.o:0 T %s\n"):format(long) .. good,
    ["with data"] = good .. "y.o:00000000000000f0 D data\ny.o:4 C common\n",
  } do
    it(("is accepted %s"):format(about), function()
      local result = run(text)
      assert.same({ 0, "z.o\ny.o\nx.o\n", "" }, { result.status, result.stdout, result.stderr })
    end)
  end

  it("can have file names of any length, with blanks and colons", function()
    local result = run(("%s.o:0 T f1\nlib.a:b c.o:0 T f2\nA.o:0 T ns::f\n"):format(long))
    assert.same({ 0, ("%s.o\nlib.a:b c.o\nA.o\n"):format(long), "" },
      { result.status, result.stdout, result.stderr })
  end)

  it("can be standard input", function()
    local profile = write_profile(dir .. "/gmon.out", { { 1, 2, 3 } })
    local result = program.run({ "-b", "-R", "-", image_of(3), profile },
      { stdin = shell.write(dir .. "/map", good) })
    assert.same({ 0, "z.o\ny.o\nx.o\n", "" }, { result.status, result.stdout, result.stderr })
  end)

  local expected <const> = "line %d: expected 'OBJECT:ADDRESS TYPE NAME'"
  for about, case in pairs {
    ["nothing"] = { "", "has no symbols" }, ["blank lines"] = { "\n \n\n", "has no symbols" },
    ["empty object files"] = { "No symbols in a.o\n", "has no symbols" },
    ["binary bytes"] = { "\127ELF\2\1\1\0\0\255\254", expected:format(1) },
    ["bytes after lines"] = { good .. "y.o:0 T f\0\n", expected:format(4) },
    ["a line without a colon"] = { good .. "0000 T f1\n", expected:format(4) },
    ["a line that is nonsense"] = { "z.o:0 T f1\r\n\r\nnonsense\r\n" .. good, expected:format(3) },
    ["a line without a file"] = { good .. ":0 T f1\n", expected:format(4) },
    ["a line without a symbol"] = { "z.o:0 T\n" .. good, expected:format(1) },
    ["a line without a type"] = { "z.o:0 f1\n" .. good, expected:format(1) },
    ["a line with an odd address"] = { good .. "z.o:0x T f1\n", expected:format(4) },
    ["a line of 5,000 odd bytes"] = { good .. long .. "\n" .. good, expected:format(4) },
    ["a line that is cut short"] = { good .. "z.o:00", expected:format(4) },
  } do
    it(("is rejected if it consists of %s"):format(about), function()
      local result, path = run(case[1])
      assert.same({ 1, "", ("gprof.lua: %s: %s\n"):format(path, case[2]) },
        { result.status, result.stdout, result.stderr })
    end)
  end

  it("is rejected if the file does not exist", function()
    local result = program.run { "-b", "-R", dir .. "/none", image_of(3), write_profile(dir .. "/gmon.out", {}) }
    assert.same({ 1, "", ("gprof.lua: %s/none: No such file or directory\n"):format(dir) },
      { result.status, result.stdout, result.stderr })
  end)

  -- GNU gprof crashes in these cases, or ignores the text after a NUL.
  it("is also rejected with one line under --gnu-compat", function()
    for text, message in pairs {
      [""] = "has no symbols", ["No symbols in a.o\n"] = "has no symbols", [good .. "z.o:f1\n"] = expected:format(4),
      [good .. "nonsense"] = expected:format(4), [good .. "y.o:0 T f\0\n"] = expected:format(4),
      [("z"):rep(2047) .. ":0 T f1\n"] = expected:format(1), ["z.o:\n"] = expected:format(1),
    } do
      local result, path = run(text, "--gnu-compat")
      assert.same({ 1, "", ("gprof.lua: %s: %s\n"):format(path, message) },
        { result.status, result.stdout, result.stderr })
    end
  end)
end)

-- Functions of a program ----------------------------------------------------------------------

describe("The report of functions", function()
  it("lists each function of a program once, by its symbol", function()
    for _, variant in ipairs { { "crowd", "" }, { "shapes", "O2" }, { "clones", "" } } do
      local built = build.program(table.unpack(variant))
      local image = assert(gprof.image(built.image))
      local profile = assert(gprof.profile(image, assert(gprof.data(image, built.gmon))))
      local expected, found = {}, {}
      for symbol in profile:functions("address", "symbol") do
        expected[#expected + 1] = symbol
      end
      for symbol in crafted.printed("function_order", profile):gmatch "[^\n]+" do
        found[#found + 1] = symbol
      end
      table.sort(expected)
      table.sort(found)
      assert.same(expected, found)
    end
  end)

  it("is the same with -l", function()
    for _, name in ipairs { "crowd", "shapes" } do
      local built = build.program(name, "")
      local by_function = program.run { "-r", built.image, built.gmon }
      local by_line = program.run { "-l", "-r", built.image, built.gmon }
      assert.same({ by_function.stdout, 0 }, { by_line.stdout, by_line.status }, name)
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

  it("yields fields in the order of creation or of counts", function()
    local main, work, leaf = f.main.id, f.work.id, f.leaf.id
    local created = { { 1, main, work, 2 }, { 2, work, leaf, 9 }, { 3, leaf, leaf, 2 }, { 4, main, leaf, 4 } }
    assert.same(created, listed("id", "id", "caller_id", "callee_id", "count"))
    assert.same({ created[2], created[4], created[1], created[3] },
      listed("count", "id", "caller_id", "callee_id", "count"))
  end)

  it("yields objects", function()
    local first = profile:arcs()()
    assert.equal(f.work, first.callee)
    assert.equal(1, first.id)
    assert.equal(first, f.main:callees()().caller == f.main and f.work:callers()())
  end)

  it("rejects unknown orders and fields", function()
    assert.has_error(function() profile:arcs("random") end)
    assert.has_error(function() profile:arcs("count", "nonsense") end)
  end)
end)

-- The same as GNU gprof -----------------------------------------------------------------------

if not parity.possible(pending) then return end

local check <const> = parity.check

describe("With --gnu-compat, the order of functions is GNU gprof's", function()
  local option_lists <const> = { { "-r" }, { "-r", "-a" }, { "-r", "-z", "-D" }, { "-q", "-p", "-r", "--no-demangle" },
    { "-r", "-P" }, { "--function-ordering", "-L", "--inline-file-names" } }
  for name, variant in build.each(pending) do
    it(("for %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      for _, list in ipairs(built.gmon and option_lists or {}) do
        check({ "-b", table.unpack(list), name, "gmon.out" }, { cwd = built.dir })
      end
    end)
  end

  it("for random profiles", function()
    local sizes <const>, dir = { 5, 40, 100, 300, 300 }, shell.tmpdir()
    repeatedly(function(note)
      local n = sizes[random(#sizes)]
      check({ "-b", "-r", image_of(n), write_profile(dir .. "/gmon.out", some_arcs(n)) }, nil, note)
    end)
  end)

  it("for a profile without calls", function()
    check { "-b", "-r", image_of(5), write_profile(shell.tmpdir() .. "/gmon.out", {}) }
  end)
end)

describe("With --gnu-compat, the order of files is GNU gprof's", function()
  local dir <const>, sizes <const> = shell.tmpdir(), { 3, 6, 20, 60 }

  local function check_some(make_map, note)
    local n = sizes[random(#sizes)]
    local list, map = some_arcs(n), make_map(n)
    if #map == 0 then return end  -- GNU gprof crashes
    write_map(dir .. "/map", map)
    check({ "-b", "-R", dir .. "/map", image_of(n), write_profile(dir .. "/gmon.out", list) }, nil, note)
  end

it("for random profiles and maps", function()
    repeatedly(function(note) check_some(some_map, note) end)
  end)

it("for random maps where symbols are in several lines", function()
    repeatedly(function(note) check_some(some_jumble, note) end)
  end)

  -- The images have symbols of all kinds, some at equal addresses. The last symbol is fixed, because GNU gprof's
  -- behaviour for samples after it is undefined. Other reports are also compared.
  it("for random images", function()
    local options <const> = { "-a", "-D", "-z", "-p", "-q", "-C", "--no-demangle" }
    repeatedly(function(note)
      local subject = chance.image()
      local symbols, map = build.symbols(subject.image), some_jumble(9)
      for _, line in ipairs(map) do
        local symbol = chance.pick(symbols).name
        line.symbol = symbol ~= "last" and symbol or line.symbol
      end
      check({ "-b", chance.pick(options), chance.pick(options), "-R", write_map(dir .. "/map", map), subject.image,
        gmon.write(dir .. "/gmon.out", (chance.profile(subject))) }, nil, note)
    end, 5)
  end)

  local others <const> = "y.o:0 T f2\nx.o:0 T f3\n"
  local profile <const> = { { 1, 2, 1 }, { 3, 1, 1 } }

  for about, line in pairs {
    ["CRLF"] = "z.o:0 T f1\r\n", ["a blank line"] = "z.o:0 T f1\n\n", ["blanks"] = "z.o:0 T f1\n \t \n",
    ["a blank line at its start"] = "\nz.o:0 T f1\n", ["blanks at its start"] = "  \nz.o:0 T f1\n",
    ["an indented line"] = "z.o:0 T f1\n  a.o:0 T g\n ", ["an indented line at its start"] = "  z.o:0 T f1\n",
    ["data"] = "z.o:0 D f1\n", ["an undefined symbol"] = "z.o:  U f1\n", ["no address"] = "z.o: f1\n",
    ["an empty object file"] = "z.o:0 T f1\nNo symbols in q.o\n",
    ["an empty object file at its start"] = "No symbols in q.o\nz.o:0 T f1\n",
    ["an indented empty object file"] = "z.o:0 T f1\n No symbols in q.o\n",
    ["an empty object file with a colon"] = "No symbols in q.o:0 T f1\n",
    ["an archive"] = "lib.a:z.o:0 T f1\nlib.a:y.o:0 T f2\n", ["a word after the symbol"] = "z.o:0 T f1 f3\n",
    ["a blank after the symbol"] = "z.o:0 T f1 \n", ["a tab before the symbol"] = "z.o:0 T\tf1\n",
    ["a symbol with a colon"] = "z.o:0 T a::b f1\n", ["no file"] = ":0 T f1\n",
    ["no colon"] = "z.o:0 T f1\nnonsense 0 f3\n",
    ["no colon at its start"] = "0000 T f1\n", ["bytes that are not text"] = "\127ELF\2\1\1\255\n",
    ["1,023 bytes of a file"] = ("z"):rep(1023) .. ":0 T f1\n",
    ["1,024 bytes of a file"] = ("z"):rep(1024) .. ":0 T f1\n",
    ["1,030 bytes of a file, and no colon"] = ("z"):rep(1025) .. ".o T f1\n",
    ["1,022 bytes of a symbol"] = ("z.o:%s f1\n"):format(("0"):rep(1019)),
    ["1,023 bytes of a symbol"] = ("z.o:%s f1\n"):format(("0"):rep(1020)),
  } do
    it(("for a map with %s"):format(about), function()
      check { "-b", "-R", shell.write(dir .. "/map", line .. others), image_of(3),
        write_profile(dir .. "/gmon.out", profile) }
    end)
  end
end)
