-- The export callgrind: parsed, compared with the profile, and read by callgrind_annotate.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

-- Returns a function that expands compressed names. Absolute names of files begin with "/.".
local function names()
  local known = {}
  return function(text)
    local number, name = text:match "^%((%d+)%) ?(.*)$"
    assert(number, text)
    if name ~= "" then
      assert(not known[number], "defined twice: " .. text)
      known[number] = { name = name:gsub("^/%./", "/"), number = number }
    end
    return assert(known[number], "not defined: " .. text)
  end
end

-- Parses an export. Returns `header`, `total`, and `functions`, an array of { name, file, self, lines, calls }. `lines`
-- maps "file:line" to cost. A call is { name, file, count, time, line, place, target }.
local function read(text)
  local read_file, read_name = names(), names()
  local made, lines = { functions = {}, header = {} }, text:gmatch "([^\n]*)\n"
  local current, file, callee_file, callee, call, here
  for line in lines do
    local key, value = line:match "^([%a_]+)[=:] ?(.*)$"
    if call then
      call.line, call.time = line:match "^(%d+) (%d+)$"
      call.place = (here or file) .. ":" .. call.line
      call.line, call.time, call = math.tointeger(call.line), math.tointeger(call.time), nil
    elseif key == "fl" then
      file = read_file(value).name
      here = file
    elseif key == "fi" or key == "fe" then
      here = read_file(value).name
    elseif key == "fn" then
      local name = read_name(value)
      current = { name = name.name, number = name.number, file = file, self = 0, lines = {}, calls = {} }
      made.functions[#made.functions + 1] = current
    elseif key == "cfi" then
      callee_file = read_file(value).name
    elseif key == "cfn" then
      callee = read_name(value)
    elseif key == "calls" then
      local count, target = value:match "^(%d+) (%d+)$"
      call = { name = callee.name, number = callee.number, file = callee_file, count = math.tointeger(count),
        target = math.tointeger(target) }
      assert(call.count > 0)
      table.insert(current.calls, call)
    elseif key and key ~= "ob" then
      made.header[#made.header + 1] = { key, value }
      made.header[key] = value
    elseif line ~= "" and not line:find "^[#o]" then
      local number, cost = line:match "^(%d+) (%d+)$"
      assert(number, line)
      cost, here = math.tointeger(cost), here or file
      current.self = current.self + cost
      current.lines[here .. ":" .. number] = (current.lines[here .. ":" .. number] or 0) + cost
    end
  end
  made.total = math.tointeger(made.header.totals)
  return made
end

local function document(image, path, ...)
  return read(exported.text("callgrind", image, path, ...))
end

local function of_plan(plan, ...)
  return read(exported.crafted("callgrind", plan, ...))
end

local function key(name, file)
  return name .. "@" .. (file or "???")
end

local function by_key(made)
  local found = {}
  for _, f in ipairs(made.functions) do found[key(f.name, f.file)] = f end
  return found
end

local UNITS <const> = 100000000  -- per second

describe("the export callgrind", function()
  for name, image, path in exported.each_profile() do
    it("has the time of each function, and the calls between them: " .. name, function()
      local made = document(image, path, "--no-demangle")
      local functions, sum = by_key(made), 0
      for f in exported.profile(image, path, { no_demangle = true }):functions() do
        local row = functions[key(f.name, f.file)]
        if f.ticks > 0 or f.calls > 0 then assert.truthy(row, f.name) end
        if row then
          assert.equal((f.self * UNITS + 0.5) // 1 | 0, row.self)
          sum = sum + row.self
        end
        for arc in f:callees() do
          local found
          for _, call in ipairs(row.calls) do
            if key(call.name, call.file) == key(arc.callee.name, arc.callee.file) then found = call end
          end
          assert.same({ arc.count, arc.callee.line or 0, f.line or 0 }, { found.count, found.target, found.line })
          if not arc.recursive or arc.caller == arc.callee then
            assert.near((arc.self + arc.children) * UNITS, found.time, 1)
          end
        end
      end
      assert.equal(sum, made.total)
      assert.equal(made.header.summary, made.header.totals)
    end)
  end

  for name, image, path in exported.each_program() do
    it("has the same times with -l, divided among lines: " .. name, function()
      local made = document(image, path, "-l", "--no-demangle")
      local whole = document(image, path, "--no-demangle")
      assert.equal(whole.total, made.total)
      local functions = by_key(whole)
      for _, f in ipairs(made.functions) do
        local other = functions[key(f.name, f.file)]
        assert.equal(other.self, f.self)
        local counts, times = {}, {}
        for _, call in ipairs(f.calls) do
          local callee = key(call.name, call.file)
          counts[callee], times[callee] = (counts[callee] or 0) + call.count, (times[callee] or 0) + call.time
        end
        for _, call in ipairs(other.calls) do
          local callee = key(call.name, call.file)
          assert.same({ call.count, call.time }, { counts[callee], times[callee] })
        end
      end
    end)
  end

  it("has lines of calls, and of code inlined from another file", function()
    local image, path, ticks = exported.inlined(2)
    local times, calls = {}, {}
    for _, f in ipairs(document(image, path, "-l").functions) do
      for place, cost in pairs(f.lines) do
        times[place:match "[^/]*$"] = cost > 0 and cost / 1000000 or nil
      end
      for _, call in ipairs(f.calls) do
        if f.name == "main" then calls[call.place:match "[^/]*$"] = call.count end
      end
    end
    assert.same(ticks, times)
    assert.same({ ["main.c:6"] = 1, ["main.c:8"] = 3, ["twice.h:2"] = 2 }, calls)
  end)

  it("starts with the header lines that readers expect, in order", function()
    local made, order = of_plan(crafted.example), {}
    for i, field in ipairs(made.header) do order[i] = field[1] end
    assert.same({ "version", "creator", "cmd", "desc", "positions", "events", "summary", "totals" }, order)
    assert.same({ "1", "line", "Time_(10ns)", "95000000" },
      { made.header.version, made.header.positions, made.header.events, made.header.totals })
    assert.equal(crafted.image(crafted.example), made.header.cmd)
  end)

  it("has calls from <spontaneous> to functions without known callers", function()
    local functions = by_key(of_plan(crafted.example))
    local calls = functions["<spontaneous>@???"].calls
    assert.same({ "main", 1, 95000000 }, { calls[1].name, calls[1].count, calls[1].time })
    assert.is_nil(calls[2])
    local made = of_plan({ functions = { "a", "b", "c" }, ticks = { a = 1, b = 2, c = 4 },
      calls = { { "a", "b", 3 }, { "b", "a", 2 }, { "b", "c", 1 } } })
    calls = by_key(made)["<spontaneous>@???"].calls
    assert.same({ 1, 1, 7000000 }, { #calls, calls[1].count, calls[1].time })
  end)

  it("has time on calls within a cycle only if the callee is not called from outside", function()
    local functions = by_key(of_plan(crafted.example))
    local function time(caller, callee)
      for _, call in ipairs(functions[caller .. "@???"].calls) do
        if call.name == callee then return call.time end
      end
    end
    assert.same({ 15000000, 0, 35000000, 0 },
      { time("ping", "pong"), time("pong", "ping"), time("main", "ping"), time("work", "work") })
  end)

  it("leaves out calls with a count of 0", function()
    local built = build.program "calls"
    local made = document(built.image, built.gmon, "-c")  -- `document` fails if a count is 0
    assert.truthy(#made.functions > 5)
  end)

  it("says if calls were not counted: these have a count of 1", function()
    local note <const> = { "desc", "Note: calls that were not counted have a count of 1" }
    local made = document(exported.sampled())
    assert.same(note, made.header[5])
    for _, f in ipairs(made.functions) do
      for _, call in ipairs(f.calls) do assert.equal(1, call.count) end
    end
    for _, field in ipairs(of_plan(crafted.example).header) do assert.not_same(note, field) end
  end)

  it("distinguishes functions with the same name in different files", function()
    local built = build.program "twins"
    local files = {}
    for _, f in ipairs(document(built.image, built.gmon).functions) do
      if f.name == "work" then files[#files + 1] = f.file:match "[^/]*/?[^/]*$" end
    end
    table.sort(files)
    assert.same(3, #files)
    assert.truthy(files[1] ~= files[2] and files[2] ~= files[3])
  end)

  it("escapes unusual names", function()
    local ticks = {}
    for _, f in ipairs(of_plan(exported.names).functions) do ticks[f.name] = f.self end
    for i, name in ipairs(exported.names.functions) do
      local shown = name == "bad\xff\xc3(byte" and "bad\\xFF\\xC3(byte" or
        name:gsub("%c", function(c) return ("\\x%02X"):format(c:byte()) end)
      assert.equal(i * 1000000, ticks[shown], shown)
    end
  end)

  it("has samples if the unit is not seconds", function()
    local plan = { functions = { "f" }, ticks = { f = 42 }, calls = {}, rate = 1, dimension = "cache misses",
      abbreviation = "" }
    local made = of_plan(plan)
    assert.same({ "cache_misses", "42" }, { made.header.events, made.header.totals })
    plan.rate = 1000
    assert.equal("cache_misses_(1/1000)", of_plan(plan).header.events)
  end)

  it("needs a histogram", function()
    local plan = { functions = { "f" }, calls = { { "f", "f", 1 } } }
    local path = crafted.gmon(plan)
    local result = program.run { "--export=callgrind", crafted.image(plan), path }
    assert.same({ "", "gprof.lua: " .. path .. ": has no histogram, which the export 'callgrind' needs\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)
end)

describe("callgrind_annotate", function()
  -- Runs callgrind_annotate. Returns a table from function names to { time }, and the output.
  local function annotate(text)
    local path = shell.write(shell.tmpdir() .. "/callgrind.out", text)
    local result = shell.run({ "callgrind_annotate", "--threshold=100", "--tree=both", "--inclusive=yes",
      "--auto=no", path }, { env = { LC_ALL = "C" } })
    assert.same({ 0, "" }, { result.status, result.stderr })
    local shown = {}
    for line in result.stdout:gmatch "[^\n]+" do
      local time, rest = line:match "^ *([%d,]+) [^<>*]*%* +[^:]*:(.*)$"
      if time then
        shown[rest:gsub(" %[[^%]]*%]$", "")] = { time = math.tointeger((time:gsub(",", ""))) }
      end
    end
    return shown, result.stdout
  end

  for name, image, path in exported.each_program() do
    -- Skips functions with the same name, which have several rows; and cycle members that are called from outside,
    -- which have the time of the whole cycle.
    it("shows the inclusive time of functions: " .. name, function()
      local shown = annotate(exported.text("callgrind", image, path, "--no-demangle"))
      local profile, rows, checked = exported.profile(image, path, { no_demangle = true }), {}, 0
      for f in profile:functions() do rows[f.name] = (rows[f.name] or 0) + 1 end
      for f in profile:functions() do
        local entered = false
        for arc in f:callers() do entered = entered or not arc.recursive end
        if rows[f.name] == 1 and f.self + f.children > 1e-6 and not (f.cycle and entered) then
          checked = checked + 1
          assert.truthy(shown[f.name], f.name)
          assert.near((f.self + f.children) * UNITS, shown[f.name].time, 50, f.name)
        end
      end
      assert.truthy(checked > 1)
    end)
  end

  it("shows calls that were not counted, and not as the caller's own time", function()
    local shown, text = annotate(exported.text("callgrind", exported.sampled()))
    assert.matches("work [^\n]*%(1x%)", text)
    assert.equal(9000000, shown.work.time)
  end)

  it("shows the total of the flat profile", function()
    local _, text = annotate(exported.crafted("callgrind", crafted.example))
    assert.truthy(text:find("95,000,000 (100.0%)  PROGRAM TOTALS", 1, true))
  end)

  -- Returns how often each function is listed, for an export that is written and read in the given directories.
  local function listed(dir, written_in, read_in, ...)
    local result = program.run({ "--export=callgrind", dir .. "/build/p", dir .. "/gmon.out", ... },
      { cwd = dir .. written_in })
    assert.same({ 0, "" }, { result.status, result.stderr })
    local path, counts = shell.write(shell.tmpdir() .. "/callgrind.out", result.stdout), {}
    local text = shell.check({ "callgrind_annotate", "--threshold=100", "--inclusive=yes", path },
      { cwd = dir .. read_in, env = { LC_ALL = "C" } }).stdout
    for name in text:gmatch "\n *[%d,]+ %([ %d.%%]+%)  %S-:(%a+) %[" do counts[name] = (counts[name] or 0) + 1 end
    assert.truthy(text:find("annotated source: /." .. dir .. "/src/main.c\n", 1, true), text)
    assert.is_nil(text:find("No information has been collected", 1, true))
    return counts
  end

  it("lists each function once, in any directory", function()
    local dir = shell.tmpdir "places"
    shell.check { "mkdir", dir .. "/src", dir .. "/build" }
    for name, text in pairs {
      ["main.c"] = '#include "own.h"\nvoid leaf(void);\nvoid mid(void);\nint main(void) { mid(); leaf(); own(); }\n',
      ["leaf.c"] = "void leaf(void) {}\nvoid mid(void) { leaf(); }\n",
      ["own.h"] = "void leaf(void);\nstatic __attribute__((noinline)) void own(void) { leaf(); }\n",
    } do shell.write(dir .. "/src/" .. name, text) end
    local sources <const> = { "../src/main.c", dir .. "/src/leaf.c" }
    shell.check({ "gcc", "-O0", "-g", "-no-pie", "-o", "p", table.unpack(sources) }, { cwd = dir .. "/build" })
    local at = function(name) return build.address(dir .. "/build/p", name) end
    local made = small.profile({ image = dir .. "/build/p" }, { ticks = { [at "leaf"] = 50, [at "main"] = 10 }, arcs = {
      { at "main" + 8, at "mid", 1 }, { at "main" + 10, at "leaf", 1 }, { at "mid" + 8, at "leaf", 1 },
      { at "main" + 12, at "own", 1 }, { at "own" + 8, at "leaf", 1 } } })
    shell.write(dir .. "/gmon.out", shell.read(made))
    for _, written_in in ipairs { "", "/src", "/build" } do
      for _, read_in in ipairs { "", "/src", "/build", "/.." } do
        assert.same({ main = 1, leaf = 1, mid = 1, own = 1 }, listed(dir, written_in, read_in))
      end
    end
  end)

  it("reads unusual names, and exports by line", function()
    annotate(exported.crafted("callgrind", exported.names))
    local image, path = exported.inlined()
    annotate(exported.text("callgrind", image, path, "-l"))
  end)
end)
