-- Sums and comparisons of profiles of Lua programs that called different functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local core = require "gprof.core"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

-- What the program calls depends on its argument.
local SCRIPT <const> = [[
local function leaf() end
local function left(n) for _ = 1, n do leaf() end end
local function right(n) for _ = 1, n do math.abs(n) end end
local pair = { function() return 1 end, function(a) return a end }
local called = { left = left, right = right }
for word, n in arg[1]:gmatch "(%a+)(%d+)" do
  n = tonumber(n)
  if called[word] then called[word](n) end
  if word == "pair" then for _ = 1, n do pair[1]() pair[2]() pair[2](n) end end
  if word == "alias" then local other = leaf for _ = 1, n do other() end end
end
]]

describe("profiles of a Lua program", function()
  local dir
  local function run(...) return program.run({ ... }, { cwd = dir }) end
  local function read(name) return shell.read(dir .. "/" .. name) end

  setup(function()
    dir = shell.tmpdir "sums"
    shell.write(dir .. "/calls.lua", SCRIPT)
    for name, word in pairs { a = "left30", b = "right20", c = "pair10left5", d = "alias7right1" } do
      assert.equal(0, run("--record", "--rate=0", "--output=" .. name .. ".prof", "calls.lua", word).status)
    end
  end)

  -- Returns the calls of each function, by name.
  local function calls(...)
    local result = run("-b", "-z", "-p", ...)
    assert.same({ "", 0 }, { result.stderr, result.status })
    local counts = {}
    for line in result.stdout:gmatch "[^\n]+" do
      local count, name = line:match "^ *[%d.]+ +[%d.]+ +[%d.]+ +(%d+) +[%d.]+ +[%d.]+ +(%S.*)$"
      if name then counts[name:gsub(" %(.*", "")] = math.tointeger(count) end
    end
    return counts
  end

  local function output(...)
    local result = run("-b", ...)
    assert.same({ 0, "" }, { result.status, result.stderr })
    return result.stdout
  end

  it("are added up, function by function", function()
    local all, some = calls("a.prof", "b.prof", "c.prof", "d.prof"), {}
    local expected = { leaf = 42, left = 2, right = 2, ["math.abs"] = 21, ["pair[1]"] = 10, ["pair[2]"] = 20,
      ["main chunk of calls.lua"] = 4 }
    for name in pairs(expected) do some[name] = all[name] end
    assert.same(expected, some)
  end)

  local function sum(target, ...)
    local result = run("-s", "--sum-file=" .. target, ...)
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    return read(target)
  end

  it("do not replace a file that is not a profile, such as the program", function()
    local text = shell.read(dir .. "/calls.lua")
    for after, argv in pairs { [""] = { "--sum-file=calls.lua", "a.prof" },
      ["gprof.lua: calls.prof was written; to read it: gprof.lua calls.prof\n"] =
        { "--record", "--sum-file=calls.lua", "calls.lua", "left1" } } do
      local result = run(table.unpack(argv))
      assert.same({ 1, "gprof.lua: calls.lua: is not a profile, so it is not replaced\n" .. after, text },
        { result.status, result.stderr, shell.read(dir .. "/calls.lua") })
    end
  end)

  it("have the same sum in any order and grouping", function()
    local all = sum("all", "a.prof", "b.prof", "c.prof", "d.prof")
    assert.equal(all, sum("all2", "d.prof", "b.prof", "a.prof", "c.prof"))
    sum("ab", "b.prof", "a.prof")
    sum("cd", "c.prof", "d.prof")
    assert.equal(all, sum("abcd", "ab", "cd"))
    sum("bcd", "cd", "b.prof")
    assert.equal(all, sum("all3", "bcd", "a.prof"))
    assert.equal(all, sum("all4", "all"))
    assert.same(calls("a.prof", "b.prof", "c.prof", "d.prof"), calls "all")
    assert.falsy(io.open(dir .. "/all.ctx"))
  end)

  it("have the lines and the call paths of all parts", function()
    sum("paths", "a.prof", "b.prof", "d.prof")
    for _, form in ipairs { "--tree", "-A", "-l", "-q", "-i" } do
      local parts = run("-b", form, "a.prof", "b.prof", "d.prof")
      assert.same({ "", 0 }, { parts.stderr, parts.status })
    end
    for _, form in ipairs { "--tree", "-A", "-p" } do
      assert.equal(run("-b", form, "a.prof", "b.prof", "d.prof").stdout, run("-b", form, "paths").stdout)
    end
    assert.truthy(run("-b", "-A", "a.prof", "b.prof").stdout:find "\n +2,30 %-> local function leaf")
  end)

  it("are compared, whichever functions were called", function()
    local result = run("-b", "--compare=a.prof,c.prof", "b.prof", "c.prof")
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find " +0 +10 +%+10 +new +math%.abs\n")
    assert.truthy(result.stdout:find " +17%.5 +2%.5 +%-15 +0%.14 +leaf %(calls%.lua:%d+%)\n")
    local same = run("-b", "--compare=a.prof", "a.prof")
    assert.same({ "", 0 }, { same.stderr, same.status })
  end)

  it("are also found in directories and lists", function()
    shell.check { "mkdir", dir .. "/runs" }
    for _, name in ipairs { "a", "b" } do shell.check { "cp", dir .. "/" .. name .. ".prof", dir .. "/runs" } end
    assert.same(calls("a.prof", "b.prof", "c.prof"), calls("c.prof", "runs"))
  end)

  it("are added up in scripts", function()
    local a, b = dir .. "/a.prof", dir .. "/b.prof"
    local image = assert(gprof.image { a, b })
    local data = assert(gprof.data(image, b, a, { contexts = true }))
    assert(data:write(dir .. "/written"))
    assert.equal(sum("ab", "a.prof", "b.prof"), read "written")
    assert.error_matches(function() gprof.data(image, a):write(dir .. "/x") end, "use the option 'contexts'")
    local done, message = gprof.data(assert(gprof.image(a)), b)
    assert.same({ nil, b .. ": has functions that the image lacks: the function at offset 54 of its list is unknown" },
      { done, message })
  end)

  it("are refused one by one with --keep-going", function()
    shell.write(dir .. "/bad.prof", read "b.prof":sub(1, 100))
    local result = run("-b", "-p", "--keep-going", "a.prof", "bad.prof", "c.prof")
    assert.equal("gprof.lua: bad.prof: the section at offset 16 claims 347 bytes, but only 72 follow\n" ..
      "gprof.lua: bad profiles skipped: 1\n", result.stderr)
    assert.truthy(result.stdout:find " 35 [^\n]* leaf %(calls%.lua:%d+%)\n")
  end)

  it("add up the executions of lines", function()
    for name, n in pairs { e = "left2", f = "right3left4" } do
      run("--record", "--count=lines", "--output=" .. name .. ".prof", "calls.lua", n)
    end
    local text = run("-b", "-l", "-A", "e.prof", "f.prof").stdout
    assert.truthy(text:find("\n           5 -> for word, n in", 1, true))
    assert.truthy(text:find('\n           3 ->   n = tonumber(n)', 1, true))
    local all = sum("lines", "e.prof", "a.prof", "f.prof")
    sum("ae", "a.prof", "e.prof")
    assert.equal(all, sum("lines2", "f.prof", "ae"))
  end)

  it("are written in their own format only", function()
    local result = run("-b", "--file-format=bsd", "-s", "a.prof", "b.prof")
    assert.same({ "gprof.lua: a.prof, b.prof: are profiles of a Lua program, whose sums have a format of their own: " ..
      "omit --file-format\n", 1 }, { result.stderr, result.status })
  end)

  it("are added to the sum in any place, also the first", function()
    local function grown(...)
      local kept = sum("grown", "a.prof", "b.prof")
      local before = output("--tree", "grown", "c.prof")
      assert.equal(before, output("--tree", "--sum-file=grown", ...))
      assert.is_false(kept == read "grown")
      return calls("grown")
    end
    local expected = calls("a.prof", "b.prof", "c.prof")
    assert.same(expected, grown("grown", "c.prof"))
    assert.same(expected, grown("c.prof", "grown"))
    local result = run("-s", "--export=json:grown", "grown", "c.prof")
    assert.same({ 1, "gprof.lua: grown: the export would overwrite an input file\n" }, { result.status, result.stderr })
  end)

  it("have no checkpoints, and no builds", function()
    for option, message in pairs { ["--checkpoint=ck"] = "option --checkpoint: not for Lua programs",
      ["--by-build"] = "option --by-build: not for Lua programs" } do
      for _, names in ipairs { { "a.prof" }, { "a.prof", "b.prof" } } do
        local result = run("-s", option, table.unpack(names))
        assert.same({ 1, "gprof.lua: " .. message .. "\n" }, { result.status, result.stderr })
      end
    end
    assert.is_false(shell.exists(dir .. "/ck"))
  end)

  it("are opened by other names, too", function()
    shell.check({ "ln", "-sf", "a.prof", "link" }, { cwd = dir })
    local image <close> = assert(gprof.image(dir .. "/link"))
    assert.truthy(image:find "leaf")
  end)

  -- Returns a profile whose first line with executions has another number of them.
  local function with_executions(bytes, count)
    local kind, size
    local at = 17
    while true do
      kind, size = ("<I4I8"):unpack(bytes, at)
      if kind == 6 then break end
      at = at + 12 + size
    end
    bytes = bytes:sub(1, at + 15) .. ("<I8"):pack(count) .. bytes:sub(at + 24, -5)
    return bytes .. ("<I4"):pack(contexts.crc32(bytes))
  end

  it("are refused if executions of a line exceed 63 bits", function()
    assert.equal(0, run("--record", "--count=lines", "--output=lines.prof", "calls.lua", "left3").status)
    local image <close> = assert(gprof.image(dir .. "/lines.prof"))
    local function add(count)
      local path = shell.write(dir .. "/changed.prof", with_executions(read "lines.prof", count))
      local added <close> = core.contexts(core.data(image))
      return select(2, added:add(path))
    end
    assert.is_nil(add(5))
    for _, count in ipairs { -1, math.mininteger, math.maxinteger } do
      assert.matches(": a count exceeds 63 bits in the section at offset %d+$", add(count))
    end
  end)
end)
