-- Exports, read by the tools that they are made for: pprof and npm packages. "make readers" installs the packages.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local program = require "support.program"
local shell = require "support.shell"

local modules <const> = program.root .. "/build/readers/node_modules"

-- The program has 100 samples, so ticks are percentages.
local running <const> = {
  functions = { "main", "parse", "eval", "alloc" },
  ticks = { main = 10, parse = 15, eval = 25, alloc = 50 },
  calls = { { "main", "parse", 1 }, { "main", "eval", 5 }, { "parse", "eval", 20 }, { "eval", "eval", 60 },
    { "eval", "alloc", 400 } },
}

-- The programs to export: a table from names to { image, profile }.
local subjects = {
  running = { crafted.image(running), crafted.gmon(running) },
  example = { crafted.image(crafted.example), crafted.gmon(crafted.example) },
  names = { crafted.image(exported.names), crafted.gmon(exported.names) },
}
for name, image, path in exported.each_program() do subjects[name] = { image, path } end

-- Some readers detect the format by the file name.
local function file(name, text)
  return shell.write(shell.tmpdir() .. "/" .. name, text)
end

local function succeeds(...)
  return shell.run({ "sh", "-c", ... }).status == 0
end

-- Maps function names to self time in seconds.
local function self_times(image, path)
  local times = {}
  for f in exported.profile(image, path):functions() do
    if f.ticks > 0 then times[f.name] = (times[f.name] or 0) + f.self end
  end
  return times
end

describe("go tool pprof", function()
  if not succeeds "command -v go" then
    pending "needs golang-go"
    return
  end

  local units <const> = { s = 1, ms = 1e-3, us = 1e-6, ["µs"] = 1e-6, ns = 1e-9, [""] = 1 }

  local function pprof(text, ...)
    local argv = { "go", "tool", "pprof", "-symbolize=none", ... }
    argv[#argv + 1] = file("profile.pb", text)
    local result = shell.run(argv, { env = { PPROF_TMPDIR = shell.tmpdir(), HOME = shell.tmpdir() } })
    assert.equal(0, result.status, result.stderr)
    return result.stdout
  end

  -- Maps function names to the rows of pprof -top: { flat, cum }, in seconds.
  local function top(text, ...)
    local rows = {}
    for line in pprof(text, "-top", "-nodefraction=0", "-nodecount=100000", "-unit=ns", ...):gmatch "[^\n]+" do
      local flat, unit, cum, cum_unit, name = line:match "^ *([%d.]+)(%a*) +%S+ +%S+ +([%d.]+)(%a*) +%S+ +(.*)$"
      if flat then
        rows[name] = { flat = tonumber(flat) * units[unit], cum = tonumber(cum) * units[cum_unit] }
      end
    end
    return rows
  end

  for name, subject in pairs(subjects) do
    it("shows the times of the flat profile: " .. name, function()
      local rows = top(exported.text("pprof", subject[1], subject[2]))
      for f, seconds in pairs(self_times(subject[1], subject[2])) do
        f = f:gsub("bad\xff\xc3", "bad\\xFF\\xC3")
        if not f:find "[%c]" then
          assert.truthy(rows[f], f)
          assert.near(seconds, rows[f].flat, 5e-9)
        end
      end
    end)
  end

  it("shows the inclusive times of the call graph", function()
    local rows = top(exported.text("pprof", table.unpack(subjects.running)))
    assert.same({ 1.0, 0.75, 0.75, 0.5 }, { rows.main.cum, rows.parse.cum, rows.eval.cum, rows.alloc.cum })
    rows = top(exported.text("pprof", table.unpack(subjects.example)))
    assert.near(0.35, rows["<cycle 1>"].cum, 1e-8)
  end)

  it("shows the call counts of callers", function()
    local text = pprof(exported.text("pprof", table.unpack(subjects.running)), "-sample_index=calls", "-peek", "eval")
    assert.truthy(text:find("\n +20 +[%d.]+%% | +parse\n"), text)
    assert.truthy(text:find("\n +5 +[%d.]+%% | +main\n"), text)
  end)

  it("shows the line numbers of self times with -l", function()
    local image, path = exported.inlined()
    local text = pprof(exported.text("pprof", image, path, "-l"), "-top", "-lines", "-nodefraction=0")
    assert.truthy(text:find("\n +50ms [^\n]* leaf [^\n]*main%.c:3\n"), text)
    assert.truthy(text:find("\n +20ms [^\n]* main [^\n]*main%.c:6\n"), text)
  end)

  it("shows a mapping for each library", function()
    local image, path, objects = exported.libraries()
    local made = program.run({ "-b", "--export=pprof", image, path }).stdout
    local raw = pprof(made, "-raw"):match "\nMappings\n(.*)$"
    for _, object in ipairs(objects) do
      assert.truthy(raw:find((" %s %s ["):format(object.path, object.build_id), 1, true), raw)
    end
  end)

  it("says that chains are estimated", function()
    assert.truthy(pprof(exported.text("pprof", table.unpack(subjects.running)), "-top"):find("estimated", 1, true))
  end)
end)

if not succeeds "command -v node" or not shell.exists(modules .. "/speedscope/package.json") then
  return pending "readers from npm: need nodejs, npm and 'make readers'"
end

-- Runs a script of spec/readers, which loads an npm package. node starts slowly, so the script gets several files at
-- once. Returns a line for each file.
local function node(script, files, ...)
  local argv = { "node", program.root .. "/spec/readers/" .. script, modules, ... }
  local result = shell.run(table.move(files, 1, #files, #argv + 1, argv))
  assert(result.status == 0 and result.stderr == "", result.stderr)
  local lines = {}
  for line in result.stdout:gmatch "[^\n]+" do lines[#lines + 1] = line end
  assert(#lines == #files)
  return lines
end

-- Runs a script on the exports of all subjects. Returns a table from subject names to lines of output.
local function node_of_all(script, kind, filename, ...)
  local names, files, found = {}, {}, {}
  for name, subject in pairs(subjects) do
    names[#names + 1], files[#files + 1] = name, file(filename, exported.text(kind, subject[1], subject[2]))
  end
  for i, line in ipairs(node(script, files, ...)) do found[names[i]] = line end
  return found
end

describe("speedscope", function()
  local kinds <const> = {
    speedscope = { "profile.speedscope.json", 1e-6, "microseconds" },
    folded = { "profile.collapsedstack.txt", 1e-6, "none" },
    pprof = { "profile.pb", 1e-9, "nanoseconds" },
    callgrind = { "callgrind.out", 1e-9, "nanoseconds" },
    cpuprofile = { "profile.cpuprofile", 1e-6, "microseconds" },
  }

  for kind, how in pairs(kinds) do
    local read = {}

    setup(function()
      for name, line in pairs(node_of_all("speedscope.js", kind, how[1])) do read[name] = dkjson.decode(line) end
    end)

    for name, subject in pairs(subjects) do
      -- speedscope itself estimates the stacks of cycles in callgrind exports, so their times differ.
      it(("shows the times of the flat profile, from %s: %s"):format(kind, name), function()
        local made, total = read[name], 0
        assert.is_nil(made.problem)
        assert.equal(how[3], made.unit)
        for f, seconds in pairs(self_times(subject[1], subject[2])) do
          total = total + seconds
          if kind ~= "callgrind" and not f:find "[%c\xff; ]" then
            assert.near(seconds, made.self[f] * how[2], 2e-6, f)
          end
        end
        assert.near(total, made.weight * how[2], kind == "callgrind" and 0.05 or 1e-4)
      end)
    end

    it("shows the times of the call graph, from " .. kind, function()
      for f, seconds in pairs { main = 1, parse = 0.75, eval = 0.75, alloc = 0.5 } do
        assert.near(seconds, read.running.total[f] * how[2], 1e-7)
      end
    end)
  end

  it("accepts the exports with its schema", function()
    local schema = modules .. "/speedscope/dist/release/file-format-schema.json"
    for name, line in pairs(node_of_all("schema.js", "speedscope", "x.json", schema)) do
      assert.same({ name, "valid" }, { name, line })
    end
  end)
end)

describe("ajv", function()
  it("validates the export json with its schema", function()
    local schema = program.root .. "/doc/gprof-profile.schema.json"
    for name, line in pairs(node_of_all("schema.js", "json", "x.json", schema)) do
      assert.same({ name, "valid" }, { name, line })
    end
  end)
end)

describe("pprof-format", function()
  it("decodes the export pprof, and encodes it again", function()
    for name, line in pairs(node_of_all("pprof.js", "pprof", "p.pb")) do
      local samples, places, functions, same = line:match "^(%d+) (%d+) (%d+) (%a+)$"
      assert.same({ name, "true" }, { name, same })
      assert.truthy(tonumber(samples) > 0 and tonumber(places) >= tonumber(functions))
    end
  end)
end)
