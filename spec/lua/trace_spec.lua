-- Debug output: what each number of -d traces. Tracing must change nothing but standard error.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local command_line = require "gprof.cli.options.command_line"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

-- main at 0x1000 calls ping; ping and pong call each other; both call leaf, which has two names. Each function is
-- 32 bytes long.
local image = build.craft {
  text = 4 * 32,
  symbols = {
    { "main", 0 }, { "ping", 32 }, { "pong", 64, "function,local" }, { "_leaf", 96 }, { "leaf", 96 },
    { "data_$label", 70, "local" },
  },
}
local profile = gmon.write(shell.tmpdir "trace" .. "/gmon.out", gmon.magic { records = {
  { kind = "histogram", low = 0x1000, high = 0x1080, bins = { 0, 2, 3, 8 } },
  { kind = "arc", from = 0x1004, self = 0x1020, count = 1 },
  { kind = "arc", from = 0x1024, self = 0x1040, count = 6 },
  { kind = "arc", from = 0x1044, self = 0x1020, count = 5 },
  { kind = "arc", from = 0x1024, self = 0x1060, count = 1 },
  { kind = "arc", from = 0x1044, self = 0x1060, count = 2 },
  { kind = "arc", from = 0x1046, self = 0x1060, count = 1 },
  { kind = "arc", from = 0x1064, self = 0x1060, count = 9 },
  { kind = "arc", from = 0x500, self = 0x1020, count = 7 },
  { kind = "blocks", { 0x1010, 4 }, { 0x1050, 11 } },
} })

-- Runs the program with these arguments, followed by image and profile.
local function traced(...)
  local words = { "-b", ... }
  words[#words + 1], words[#words + 2] = image, profile
  local result = program.run(words)
  assert.equal(0, result.status, result.stderr)
  return result
end

-- Returns the lines of a trace as a set and as an array.
local function lines(text)
  local set, list = {}, {}
  for line in text:gmatch("([^\n]*)\n") do
    set[line], list[#list + 1] = true, line
  end
  return set, list
end

-- Checks that all expected lines occur, in this order.
local function has_in_order(expected, text)
  local _, list = lines(text)
  local at = 1
  for _, line in ipairs(list) do
    if line == expected[at] then at = at + 1 end
  end
  assert(at > #expected, ("missing or out of order: '%s' in\n%s"):format(expected[at] or "", text))
end

local HISTOGRAM <const> =
  "records: histogram at offset 20: 0x1000 to 0x1080, 4 bins of 32 bytes, 100 samples per unit of 'seconds', "

-- Each topic: its number, the prefix of its lines, and the expected lines in order. `all`: no other lines are expected.
-- `words`: additional arguments.
local topics <const> = {
  { 2, "numbering", all = true, {
    "numbering: main is reached at depth 1", "numbering: ping is reached at depth 2",
    "numbering: leaf is reached at depth 3", "numbering: leaf is number 1",
    "numbering: pong is reached at depth 3", "numbering: ping is number 2",
    "numbering: pong is number 2", "numbering: main is number 3",
  } },
  { 4, "cycles", all = true, {
    "cycles: pong and its members join ping, because pong calls ping",
    "cycles: cycle 1: head ping", "cycles: cycle 1: member pong",
  } },
  { 16, "tally", all = true, {
    "tally: 0x500 calls 0x1020 7 times: not between two functions",
    "tally: main calls ping 1 times, 1 so far; ping has 1 calls by others",
    "tally: ping calls pong 6 times, 6 so far; pong has 6 calls by others",
    "tally: pong calls ping 5 times, 5 so far; ping has 6 calls by others",
    "tally: ping calls leaf 1 times, 1 so far; leaf has 1 calls by others",
    "tally: pong calls leaf 2 times, 2 so far; leaf has 3 calls by others",
    "tally: pong calls leaf 1 times, 3 so far; leaf has 4 calls by others",
    "tally: leaf calls leaf 9 times, 9 so far; leaf has 9 calls by itself",
  } },
  { 32, "order", {
    "order: caller 1 of leaf: leaf, 9 calls (recursive), 0 ticks",
    "order: caller 2 of leaf: ping, 1 calls, 2 ticks",
    "order: caller 3 of leaf: pong, 3 calls, 6 ticks",
  } },
  { 32, "order", {
    "order: callee 1 of ping: leaf, 1 calls, 2 ticks",
    "order: callee 2 of ping: pong, 6 calls (within the cycle), 0 ticks",
  } },
  { 64, "records", all = true, {
    "records: file " .. profile,
    HISTOGRAM .. "a new range",
    "records: arc at offset 69: 0x1004 calls 0x1020 1 times",
    "records: arc at offset 90: 0x1024 calls 0x1040 6 times",
    "records: arc at offset 111: 0x1044 calls 0x1020 5 times",
    "records: arc at offset 132: 0x1024 calls 0x1060 1 times",
    "records: arc at offset 153: 0x1044 calls 0x1060 2 times",
    "records: arc at offset 174: 0x1046 calls 0x1060 1 times",
    "records: arc at offset 195: 0x1064 calls 0x1060 9 times",
    "records: arc at offset 216: 0x500 calls 0x1020 7 times",
  } },
  { 128, "symbols", {
    "symbols: 0x1060 has two symbols: leaf is kept, _leaf is dropped",
    "symbols: number 1: 0x1000 to 0x101f main", "symbols: number 2: 0x1020 to 0x103f ping",
    "symbols: number 3: 0x1040 to 0x105f pong", "symbols: number 4: 0x1060 to 0x107f leaf",
  } },
  { 128, "symbols", { "symbols: 0x1040 pong is chosen: a function, static" } },
  { 128, "symbols", { "symbols: 0x1000 main is chosen: a function, global" } },
  { 128, "symbols", { "symbols: 0x1046 data_$label is not a function" } },
  { 128, "symbols", { "symbols: 0x1040 pong is omitted: static" }, words = { "-a" } },
  { 512, "lookup", {
    "lookup: 0x1004 is in main", "lookup: 0x1020 is in ping", "lookup: 0x500 is in no function",
  } },
  { 1024, "propagation", all = true, {
    "propagation: main: time share 1, 0 self ticks, printed in the call graph",
    "propagation: pong: time share 1, 3 self ticks, printed in the call graph",
    "propagation: ping: time share 1, 2 self ticks, printed in the call graph",
    "propagation: leaf: time share 1, 8 self ticks, printed in the call graph",
    "propagation: ping gets 2 + 0 ticks from leaf (1 of 4 calls), 2 ticks from callees so far",
    "propagation: pong gets 6 + 0 ticks from leaf (3 of 4 calls), 6 ticks from callees so far",
    "propagation: main gets 5 + 8 ticks from ping and its cycle (1 of 1 calls), 13 ticks from callees so far",
  } },
  { 2048, "blocks", all = true, {
    "blocks: record at offset 237: 2 blocks",
    "blocks: block at 0x1010: 4 executions", "blocks: block at 0x1050: 11 executions",
  } },
  { 4096, "symspecs", all = true, words = { "-pmain", "-Qpong", "-kping/leaf", "-k/pong" }, {
    "symspecs: include flat main: main",
    "symspecs: exclude graph pong: pong",
    "symspecs: exclude arcs /pong, callers: all functions", "symspecs: exclude arcs /pong, callees: pong",
    "symspecs: exclude arcs ping/leaf, callers: ping", "symspecs: exclude arcs ping/leaf, callees: leaf",
  } },
}

describe("a trace", function()
  for _, topic in ipairs(topics) do
    local number, name, expected = table.unpack(topic, 1, 3)
    it(("with -d%d has lines about %s, such as %s"):format(number, name, expected[1]), function()
      local words = topic.words or {}
      local quiet = traced(table.unpack(words))
      local result = traced("-d" .. number, table.unpack(words))
      assert.equal(quiet.stdout, result.stdout)
      local text = result.stderr:gsub("gprof.lua: warning: [^\n]*\n", "")
      has_in_order(expected, text)
      local _, list = lines(text)
      for _, line in ipairs(list) do
        assert.equal(name, line:match("^([%w ]*): "))
      end
      if topic.all then
        assert.equal(#expected, #list, text)
      end
    end)
  end

  it("shows which calls are not selected", function()
    local set = lines(traced("-d16", "-kping/leaf").stderr)
    assert.is_true(set["tally: 0x1024 calls 0x1060 1 times: not selected"])
  end)

  it("shows a symspec that matches nothing, which is an error", function()
    local result = program.run { "-b", "-d4096", "-p", "-k/nobody", image, profile }
    assert.same({ 1, "" }, { result.status, result.stdout })
    has_in_order({ "symspecs: exclude arcs /nobody, callers: all functions",
      "symspecs: exclude arcs /nobody, callees: nothing" }, result.stderr)
  end)

  it("shows that a histogram is added to an earlier one of the same range", function()
    local result = program.run { "-b", "-d64", image, profile, profile }
    assert.equal(0, result.status)
    has_in_order({
      HISTOGRAM .. "a new range", "records: file " .. profile, HISTOGRAM .. "added to the same range",
    }, result.stderr)
  end)

  it("covers symbols from a symbol file", function()
    local list = shell.write(shell.tmpdir "trace" .. "/list", "1000 T main\n1020 t other\n1040 D datum\n")
    has_in_order({
      "symbols: 0x1000 main is chosen: a function, global", "symbols: 0x1020 other is chosen: a function, static",
      "symbols: 0x1040 datum is not a function: type D", "symbols: number 1: 0x1000 to 0x101f main",
    }, traced("-d128", "-S" .. list).stderr)
  end)

  it("replaces control characters in names, and truncates long names", function()
    local long = ("x"):rep(3000)
    local list = shell.write(shell.tmpdir "trace" .. "/list", "1000 T ma\27in\n1020 T " .. long .. "\n")
    local set = lines(traced("-d128", "-S" .. list).stderr)
    assert.is_true(set["symbols: 0x1000 ma?in is chosen: a function, global"])
    for line in pairs(set) do
      assert.is_true(#line < 1024)
    end
  end)

  it("contains everything up to the error, if reading fails", function()
    local cut = gmon.write(shell.tmpdir "trace" .. "/cut", shell.read(profile):sub(1, 100))
    local result = program.run { "-d64", image, cut }
    assert.equal(1, result.status)
    assert.equal("", result.stdout)
    has_in_order({
      "records: arc at offset 69: 0x1004 calls 0x1020 1 times",
      ("gprof.lua: %s: ends in the middle of the arc at offset 90"):format(cut) ..
        ": the file is incomplete, run the program again",
    }, result.stderr)
  end)

  it("lists heads and members of the cycles of a real program", function()
    local built = build.program "cycles"
    local result = program.run { "-b", "--debug=6", built.image, built.gmon }
    assert.equal(0, result.status)
    local heads, members, reported = 0, 0, 0
    for line in result.stderr:gmatch("[^\n]+") do
      heads = heads + (line:find("^cycles: cycle %d+: head ") and 1 or 0)
      members = members + (line:find("^cycles: cycle %d+: %a+ ") and 1 or 0)
    end
    for _ in result.stdout:gmatch("\n *[^\n]*<cycle %d+ as a whole>") do reported = reported + 1 end
    assert.equal(2, heads)
    assert.equal(2, reported)
    assert.equal(5, members)
  end)
end)

-- Makes an image with x86-64 code: main calls ping, ping calls main and leaf, leaf calls itself. Each function is 16
-- bytes long.
local function calling_image()
  local function padded(code)
    return code .. ("\x90"):rep(16 - #code)
  end
  return build.craft {
    text = padded "\xe8\x0b\0\0\0\xc3" .. padded "\xe8\xeb\xff\xff\xff\xe8\6\0\0\0\xc3"
      .. padded "\xe8\xfb\xff\xff\xff\xc3",
    symbols = { { "main", 0 }, { "ping", 16 }, { "leaf", 32 } },
  }
end

describe("the trace of static calls (-c -d256)", function()
  local calling = calling_image()
  local arc = gmon.write(shell.tmpdir "trace" .. "/gmon.out", gmon.magic { records = {
    { kind = "histogram", low = 0x1000, high = 0x1030, bins = { 1, 2, 3 } },
    { kind = "arc", from = 0x1004, self = 0x1010, count = 3 },
  } })

  -- Returns the lines of the trace. Checks that tracing does not change the report.
  local function static_calls(option)
    local quiet = program.run { "-b", "-c", calling, arc, option }
    local result = program.run { "-b", "-c", "-d256", calling, arc, option }
    assert.same({ 0, 0, "" }, { quiet.status, result.status, quiet.stderr })
    assert.equal(quiet.stdout, result.stdout)
    return (select(2, lines(result.stderr)))
  end

  local main_ping <const> = "static calls: in the code, main calls ping"
  local ping_main <const> = "static calls: in the code, ping calls main"
  local ping_leaf <const> = "static calls: in the code, ping calls leaf"
  local leaf_leaf <const> = "static calls: in the code, leaf calls leaf"

  it("lists each call, recorded or not, by address", function()
    assert.same({ main_ping, ping_main, ping_leaf, leaf_leaf }, static_calls())
  end)

  it("lists only forward calls under --gnu-compat, because GNU gprof finds no others", function()
    assert.same({ main_ping, ping_leaf }, static_calls "--gnu-compat")
  end)

  it("omits calls that are not selected", function()
    assert.same({ ping_main, ping_leaf, leaf_leaf }, static_calls "-kmain/ping")
  end)

  it("is empty without -c", function()
    local result = program.run { "-b", "-d256", calling, arc }
    assert.same({ 0, "" }, { result.status, result.stderr })
  end)
end)

describe("the option -d", function()
  local quiet = traced()

  it("traces nothing if absent, 0, or a number without a topic", function()
    assert.equal("", quiet.stderr)
    for _, word in ipairs { "-d0", "--debug=0", "-d1", "-d8" } do
      local result = traced(word)
      assert.equal("", result.stderr)
      assert.equal(quiet.stdout, result.stdout)
    end
  end)

  it("traces everything without a number", function()
    for _, word in ipairs { "-d", "--debug", "-d2147483647" } do
      local result, seen = traced(word, "-pmain", "-q"), {}
      for line in result.stderr:gmatch("[^\n]+") do seen[line:match "^([%w ]*): " or line] = true end
      for _, topic in ipairs(topics) do
        assert.is_true(seen[topic[2]], topic[2])
      end
      assert.equal(traced("-pmain", "-q").stdout, result.stdout)
    end
  end)

  it("combines topics by adding their numbers", function()
    local both = traced("-d6").stderr
    assert.equal(both, traced("--debug=6").stderr)
    assert.equal(both, traced("-d2", "-d4").stderr)
    assert.equal(#both, #traced("-d2").stderr + #traced("-d4").stderr)
  end)

  it("does not take a separate word as its number", function()
    local settings = command_line.read { "-d", "2" }
    assert.same({ "2" }, settings.operands)
    assert.equal(2147483647, settings.debug)
    settings = command_line.read { "-d2", "3" }
    assert.same({ "3" }, settings.operands)
    assert.equal(2, settings.debug)
    assert.is_nil(command_line.read({}).debug)
  end)

  it("rejects invalid numbers, except under --gnu-compat", function()
    for _, word in ipairs { "-dx", "--debug=x", "-d2x", "-d-1", "-d=2", "--debug=", "-d4294967296" } do
      local result = program.run { word, image, profile }
      assert.equal(1, result.status, word)
      assert.equal("", result.stdout)
      assert.equal(("gprof.lua: option -d (--debug) takes a whole number from 0 to 2147483647, not '%s'\n"):format(
        word:match("^%-%-debug=(.*)") or word:match("^%-d(.*)")), result.stderr)
    end
    assert.equal(0, command_line.read({ "--gnu-compat", "-dx" }).debug)
    assert.equal(2, command_line.read({ "--gnu-compat", "-d2x" }).debug)
  end)

  it("works if standard error is closed or full", function()
    for _, line in ipairs { '"$@" 2>&-', '"$@" 2>/dev/full' } do
      local result = launch.line(line, { "-b", "-d", image, profile })
      assert.equal(0, result.status)
      assert.equal(quiet.stdout, result.stdout)
    end
  end)

  it("is on the help page", function()
    assert.truthy(program.run({ "-h" }).stdout:find("%-d, %-%-debug%[=NUM%] +trace internal steps on standard error"))
  end)
end)

describe("the library's option debug", function()
  it("traces on standard error as long as the profile lives", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      local profile
      do
        local data = assert(gprof.data(image, arg[2], { debug = 64 }))
        profile = assert(gprof.profile(image, data, { debug = 32 }))
      end
      collectgarbage() collectgarbage()
      io.stderr:write("here\n")
      for f in profile:functions() do
        if f.name == "leaf" then for _ in f:callers() do end end
      end
    ]], { image, profile })
    assert.equal(0, result.status, result.stderr)
    assert.equal("", result.stdout)
    has_in_order({
      "records: file " .. profile, "here", "order: caller 1 of leaf: leaf, 9 calls (recursive), 0 ticks",
    }, result.stderr)
    assert.is_nil(result.stderr:find("\nsymbols: "))
  end)

  it("does not trace the order of a cycle's arcs, because no entry shows them", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      local profile = assert(gprof.profile(image, assert(gprof.data(image, arg[2])), { debug = 32 }))
      for cycle in profile:cycles() do
        for arc in cycle:callers() do print(arc.caller.name, arc.count) end
        for arc in cycle:callees() do print(arc.caller.name, arc.count) end
      end
    ]], { image, profile })
    assert.same({ 0, "main\t1\npong\t3\nping\t1\n", "" }, { result.status, result.stdout, result.stderr })
  end)

  it("must be a number", function()
    local _, f = crafted.profile { functions = { "main" }, ticks = { main = 1 } }
    assert.has_error(function()
      crafted.profile({ functions = { "main" }, ticks = { main = 1 } }, { debug = "all" })
    end)
    assert.equal(1, f.main.ticks)
  end)
end)
