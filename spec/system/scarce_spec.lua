-- A single allocation of the core fails: the program reports it in one line, or works without it. The sanitized
-- interpreter checks for leaks and uses after free.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local foreign = require "support.foreign"
local gmon = require "support.gmon"
local libraries = require "support.library"
local program = require "support.program"
local shell = require "support.shell"

-- Runs the program in this process: first with enough memory, then with each allocation failing in turn. Prints the
-- number of allocations and the failures.
local script <const> = [[
  local scarce = require "scarce"
  package.path = arg[1] .. "/lua/?.lua;" .. arg[1] .. "/lua/?/init.lua;" .. package.path
  local cli = require "gprof.cli.main"
  local words = table.move(arg, 2, #arg, 1, {})
  local console = io.stdout

  local function text_of(file)
    file:seek "set"
    local text = file:read "a"
    file:close()
    return text
  end

  local function run(failing)
    io.stdout, io.stderr = io.tmpfile(), io.tmpfile()
    scarce(failing)
    local status = cli.run(words)
    local requests = scarce(0)
    return { status, text_of(io.stdout), text_of(io.stderr), requests }
  end

  run(0)  -- loads modules once
  local expected = run(0)
  assert(expected[1] == 0, expected[3])
  for failing = 1, expected[4] do
    local result = run(failing)
    local same = result[1] == 0 and result[2] == expected[2] and result[3] == expected[3]
    local told = result[1] == 1 and result[3]:find "^gprof%.lua: [^\n]*not enough memory\n$"
    if not same and not told then
      console:write(("without request %d: status %d, "):format(failing, result[1]),
        result[3] ~= "" and result[3] or "another report\n")
    end
  end
  console:write(expected[4] > 10 and "done" or "hardly any requests", "\n")
]]

-- A report that calls the library's other functions.
local library <const> = [[
  return function(profile, _, write)
    local image = assert(require "gprof".image(%q))
    for address, file, line in image:lines() do
      write("%%s %%s %%s\n", address, file or "", line or "")
    end
    for f in profile:functions("name") do
      write("%%s %%s\n", f.name, table.concat({ image:source(f.address) }, " "))
      for arc in f:callers("count") do write("%%d\n", arc.count) end
      for arc in (f.cycle or f):callees("count") do write("%%d\n", arc.count) end
    end
    local data = assert(require "gprof".data(image, %q, { slide = "auto" }))
    assert(data:slide(-0x555555554000))
    write("%%d\n", assert(require "gprof.library.slide".find(image, data, {})).offset)
  end
]]

describe("without memory", function()
  local interpreter = program.root .. "/build/sanitized/lua"
  if not shell.exists(interpreter) then
    pending "the sanitized interpreter is not built: run 'make test-starved'"
    return
  end

  local built = build.program "cycles"
  local dir = shell.tmpdir "scarce"
  local path = shell.write(dir .. "/script.lua", script)
  local symbols = shell.write(dir .. "/symbols", shell.check { "nm", built.image }.stdout)
  local objects = shell.write(dir .. "/objects", shell.check { "nm", "-A", built.image }.stdout)
  local report = shell.write(dir .. "/report.lua", library:format(built.image, built.gmon))
  local companion = libraries.build("library", "program")
  local twice, work = build.address(companion.image, "twice"), build.address(companion.image, "work")
  local of_beside = gmon.write(dir .. "/library.profile", gmon.shared { low = 0, high = 0x4000,
    bins = { n = 0x1000, [work // 4 + 2] = 7 }, arcs = { { twice + 5, work, 2 } } })

  local function check(words, image, profile)
    local arguments = { interpreter, path, program.root, "-b", table.unpack(words) }
    arguments[#arguments + 1], arguments[#arguments + 2] = image, profile
    local result = shell.run(arguments, { cwd = dir, env = { ASAN_OPTIONS = false } })
    assert.same({ "done\n", "", 0 }, { result.stdout, result.stderr, result.status })
  end

  -- The same program, stripped: with a debugging file, and with packed symbols (.gnu_debugdata).
  local apart, packed = dir .. "/apart", dir .. "/packed"
  shell.check { "strip", "-o", apart, built.image }
  shell.check { "objcopy", "--only-keep-debug", built.image, apart .. ".debug" }
  shell.check({ "sh", "-c", "strip -g -o small apart.debug && xz small" }, { cwd = dir })
  shell.check { "objcopy", "--add-section", ".gnu_debugdata=" .. dir .. "/small.xz", apart, packed }

  for _, words in ipairs {
    { "-p", image = apart }, { "-l", "-p", image = apart }, { "-p", image = packed },
    { "-p", "-q" }, { "-l", "-p" }, { "-A", "-x" }, { "-l", "-A", "-y", "--color=always" },
    { "-l", "--annotate-time", "--color=always" }, { "-C", "-z" }, { "-c", "-q" }, { "-i" }, { "-r" },
    { "-ptick", "-Qoutside", "-kmain/outside", "-E", "countdown" }, { "-pcycles.c:tick" }, { "-p", "-S" .. symbols },
    { "-R" .. objects }, { "-p", "-l", "--no-demangle" }, { "--gnu-compat", "-l" }, { "--gnu-compat", "-c" },
    { "--sum-file=" .. dir .. "/sum" }, { "--sum-file=" .. dir .. "/sum", "--keep-going" },
    { "--file-format=bsd", "--sum-file=" .. dir .. "/bsd" },
    { "--spread" }, { "--spread", "--sum-file=" .. dir .. "/spread" },
    { "--report=" .. report }, { "-l", "--report=" .. report },
    { "-p", "--errors" }, { "--verify" }, { "--compare=" .. built.gmon .. "," .. built.image },
    { "-p", "-q", "--with=" .. companion.image .. ":" .. of_beside },
  } do
    local name = table.concat({ words.image or "", table.unpack(words) }, " "):gsub("%S*/", "")
    it("the program reports it: " .. name, function()
      check(words, words.image or built.image, built.gmon)
    end)
  end

  it("the program reports it: an image of another machine, with function descriptors", function()
    local image = foreign.descriptors({ 0x1010, 0x1040 }, { { "f", ".opd", 0x20000 }, { "g", ".opd", 0x20018 } })
    local records = { { kind = "arc", from = 0x1014, self = 0x1040, count = 3 } }
    check({ "-q" }, image, gmon.write(dir .. "/gmon.big", gmon.magic { big = true, records = records }))
  end)
end)
