-- --export: its argument, where exports are written, and its errors. What an export contains is tested by a spec for
-- each kind.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local exports = require "gprof.cli.exports"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local sorted = require "gprof.format.sorted"
local stacks = require "support.context_stacks"

local plan <const> = crafted.example
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- All kinds of export except svg, which runs an external program; lcov and sample-profile, which need line numbers; and
-- those that show a comparison.
local kinds = {}
local others <const> = { svg = true, lcov = true, junit = true, markdown = true, sarif = true,
  ["sample-profile"] = true }
for _, kind in ipairs(exports.kinds) do
  if not others[kind] then kinds[#kinds + 1] = kind end
end

local function export(argument, ...)
  local result = program.run { "--export=" .. argument, image, profile, ... }
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

local function check_failure(message, ...)
  local result = program.run({ ... })
  assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status })
end

describe("--export", function()
  for _, kind in ipairs(kinds) do
    it("writes the same " .. kind .. " to standard output and into a file, each time", function()
      local path = shell.tmpdir() .. "/file"
      local text = export(kind)
      assert.truthy(#text > 0)
      assert.equal("", export(kind .. ":" .. path))
      assert.equal(text, shell.read(path))
      assert.equal(text, export(kind .. ":-"))
    end)

    it("gives a script the same " .. kind .. " as a report", function()
      local module = require("gprof.export." .. kind:gsub("-", "_"))
      local parts = {}
      crafted.profile(plan):report(module, {}, function(text) parts[#parts + 1] = text end)
      local path = "[^\n]*profiles\":[^\n]*\n"  -- the paths of the profiles differ
      assert.equal((export(kind):gsub(path, "")), (table.concat(parts):gsub(path, "")))
    end)

    it("gives a script the same " .. kind .. " of a profile with options", function()
      local module = require("gprof.export." .. kind:gsub("-", "_"))
      local made, parts = crafted.profile(plan, { exclude = { time = { "main" } } }), {}
      made:report(module, {}, function(text) parts[#parts + 1] = text end)
      local path = "[^\n]*profiles\":[^\n]*\n"
      assert.equal((export(kind, "--no-time=main"):gsub(path, "")), (table.concat(parts):gsub(path, "")))
      assert.has_error(function() made:report(module, { tpo = 3 }, function() end) end,
        "bad argument #2 to 'report' (no option 'tpo')")
    end)
  end

  it("of a comparison say what a script did not give", function()
    for _, kind in ipairs { "comparison", "markdown" } do
      local made = crafted.profile(plan)
      assert.has_error(function() made:report(require("gprof.export." .. kind), {}, function() end) end,
        "needs an old profile (--compare)")
    end
  end)

  it("writes the same numbers and orders in a locale with a decimal comma", function()
    local dir = shell.tmpdir "locale"
    if shell.run({ "localedef", "-i", "de_DE", "-f", "UTF-8", dir .. "/de_DE.UTF-8" }).status ~= 0 then
      return pending "needs the sources of locales"
    end
    local names = { "main", "Zeta", "_alpha", "beta" }
    local made = { functions = names, ticks = { Zeta = 31, _alpha = 17, beta = 9 },
      calls = { { "main", "Zeta", 3 }, { "main", "beta", 1 }, { "beta", "_alpha", 3 }, { "Zeta", "_alpha", 7 } } }
    local odd, gmon = crafted.image(made), crafted.gmon(made)
    local german = { LUA_INIT = 'assert(os.setlocale "de_DE.UTF-8")', LOCPATH = dir }
    local function written(env, ...)
      local result = program.run({ odd, gmon, ... }, { env = env })
      assert.same({ "", 0 }, { result.stderr, result.status })
      return result.stdout
    end
    for _, kind in ipairs { "json", "csv", "csv-arcs", "dot", "cpuprofile" } do
      assert.equal(written({}, "--export=" .. kind), written(german, "--export=" .. kind))
    end
    local one, other = "--baseline=" .. dir .. "/one", "--baseline=" .. dir .. "/other"
    written({}, one, "--update-baseline")
    written(german, other, "--update-baseline")
    assert.equal(shell.read(dir .. "/one"), shell.read(dir .. "/other"))
    written(german, "-b", one, "--fail-on=calls:0")
  end)

  it("can be repeated, and does not change reports", function()
    local dir = shell.tmpdir()
    local result = program.run({ "-bp", "--export=json:a", image, profile, "--export", "json:b" }, { cwd = dir })
    local flat = program.run({ "-bp", image, profile }).stdout
    assert.same({ flat, "", 0 }, { result.stdout, result.stderr, result.status })
    assert.equal(export "json", shell.read(dir .. "/a"))
    assert.equal(export "json", shell.read(dir .. "/b"))
  end)

  it("is the only output on standard output, whatever report is requested", function()
    local text = export "json"
    for _, option in ipairs { "-p", "-q", "-P", "-C", "-i", "--report=flat" } do
      assert.equal(text, export("json", option))
    end
    assert.not_equal(text, export("json", "-pwork"))
  end)

  it("accepts file names with colons", function()
    local dir = shell.tmpdir()
    assert.equal(0, program.run({ "--export=json:a:b.json", image, profile }, { cwd = dir }).status)
    assert.equal("a:b.json\n", shell.listing(dir))
  end)

  it("can be combined with -s", function()
    local dir = shell.tmpdir()
    local result = program.run({ "-s", "--export=json:sum.json", image, profile, profile }, { cwd = dir })
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    assert.equal("gmon.sum\nsum.json\n", shell.listing(dir))
  end)

  it("lists all profiles, whatever the number of processes", function()
    local one = export("json", profile)
    assert.equal(one, export("json", profile, "--jobs=2"))
    local _, count = one:match('"profiles": (%b[])'):gsub('"path"', "")
    assert.equal(2, count)
  end)
end)

describe("the table of exports", function()
  it("has the kinds of the option table", function()
    assert.same(exports.kinds, sorted.keys(exports.facts))
  end)
end)

describe("--export refuses, in one line,", function()
  it("a page, which is not an export", function()
    for _, argument in ipairs { "html", "html:page" } do
      check_failure("option --export: HTML pages are written by --html=FILE", "--export=" .. argument)
    end
  end)

  it("an unknown kind", function()
    local known = table.concat(exports.kinds, ", ")
    for _, kind in ipairs { "xml", "", "JSON", "json/x", "report.flat" } do
      check_failure(("option --export: unknown kind '%s'; known kinds: %s"):format(kind, known), "--export", kind)
    end
    check_failure(("option --export: unknown kind '%s'; known kinds: %s"):format("js", known), "--export=js:file")
  end)

  it("a second export to standard output", function()
    check_failure("option --export: only one export can go to standard output", "--export=json", "--export=json:-")
  end)

  it("an empty file name after the colon", function()
    check_failure("option --export: the file name is empty", "--export=json:")
  end)

  it("a directory as the file", function()
    local dir = shell.tmpdir()
    check_failure(dir .. ": cannot be written: Is a directory", "--export=json:" .. dir, image, profile)
    assert.equal("", shell.listing(dir))
  end)

  it("to overwrite the program or a profile, by any name", function()
    local dir = shell.tmpdir()
    for name, from in pairs { prog = image, gmon = profile, old = profile } do
      shell.check { "cp", from, dir .. "/" .. name }
    end
    shell.check { "ln", "-s", "prog", dir .. "/link" }
    local before = { shell.read(image), shell.read(profile), shell.read(profile) }
    for _, path in ipairs { "prog", "./prog", "link", "gmon", dir .. "/gmon", "old" } do
      local result = program.run({ "--export=json:" .. path, "--compare=old", "prog", "gmon" }, { cwd = dir })
      assert.same({ "", "gprof.lua: " .. path .. ": the export would overwrite an input file\n", 1 },
        { result.stdout, result.stderr, result.status })
      assert.same(before, { shell.read(dir .. "/prog"), shell.read(dir .. "/gmon"), shell.read(dir .. "/old") })
    end
  end)

  it("to overwrite what lies beside a profile, or a custom report", function()
    local dir, sum = shell.tmpdir(), shell.tmpdir() .. "/sum"
    assert.equal(0, program.run({ "--spread", "--sum-file=" .. sum, image, profile }).status)
    for _, name in ipairs { "gmon", "old" } do
      for _, suffix in ipairs { "", ".spread" } do
        shell.check { "cp", sum .. suffix, dir .. "/" .. name .. suffix }
      end
      shell.write(dir .. "/" .. name .. ".ctx", "gprofctx")
    end
    shell.write(dir .. "/mine.lua", "return function() end")
    for _, path in ipairs { "gmon.spread", "gmon.ctx", "old.spread", "old.ctx", "./mine.lua" } do
      local before = shell.read(dir .. "/" .. path)
      local result = program.run({ "--export=csv:" .. path, "--assume-proportional", "--compare=old",
        "--report=mine.lua", image, "gmon" }, { cwd = dir })
      assert.same({ "", "gprof.lua: " .. path .. ": the export would overwrite an input file\n", 1 },
        { result.stdout, result.stderr, result.status })
      assert.equal(before, shell.read(dir .. "/" .. path))
    end
    local result = program.run({ "--sum-file=./mine.lua", "--report=mine.lua", image, "gmon" }, { cwd = dir })
    assert.equal("gprof.lua: ./mine.lua: the sum would overwrite an input file\n", result.stderr)
  end)

  it("to overwrite source files of the program", function()
    local dir = shell.tmpdir()
    local source = shell.write(dir .. "/code.c", "int main(void) { return 0; }\n")
    shell.check({ "gcc", "-g", "-pg", "-o", "prog", "code.c" }, { cwd = dir })
    shell.check({ "./prog" }, { cwd = dir })
    for _, option in ipairs { "--export=csv:code.c", "--html=code.c", "--export=json:" .. source } do
      local result = program.run({ option, "prog", "gmon.out" }, { cwd = dir })
      assert.same({ "", "gprof.lua: " .. option:match "[^=:]*$" ..
        ": the export would overwrite a source file of the program\n", 1 },
        { result.stdout, result.stderr, result.status })
      assert.equal("int main(void) { return 0; }\n", shell.read(source))
    end
    shell.write(dir .. "/other.c", "int other;\n")
    assert.equal(0, program.run({ "--export=csv:other.c", "prog", "gmon.out" }, { cwd = dir }).status)
  end)

  it("to overwrite the symbol file or the list of profiles", function()
    local dir, list = shell.tmpdir(), profile .. "\n"
    local map = shell.check({ "nm", "--extern-only", "--defined-only", "-v", "--print-file-name", image }).stdout
    shell.write(dir .. "/map", map)
    shell.write(dir .. "/list", list)
    for path, words in pairs { map = { "-Rmap", image, profile }, list = { "--profiles-from=list", image } } do
      local result = program.run({ "--export=json:" .. path, table.unpack(words) }, { cwd = dir })
      assert.same({ "", "gprof.lua: " .. path .. ": the export would overwrite an input file\n", 1 },
        { result.stdout, result.stderr, result.status })
    end
    assert.same({ map, list }, { shell.read(dir .. "/map"), shell.read(dir .. "/list") })
  end)

  it("two outputs to the same file, by any name", function()
    local dir, other = shell.tmpdir(), shell.tmpdir()
    shell.check { "ln", "-s", dir, other .. "/here" }
    local beside = { "--sum-file=x" }
    for _, words in ipairs { { "--export=json:x", "--export=csv:x" }, { "--export=json:x", "--sum-file=x" },
      { "--export=json:x", "--export=csv:./x" }, { "--html=" .. dir .. "/x", "--export=csv:x" },
      { "--export=json:./x", table.unpack(beside) }, { "--export=json:" .. other .. "/here/x", table.unpack(beside) },
      { "--export=json:./x.ctx", table.unpack(beside) }, { "--export=json:./x.spread", table.unpack(beside) },
      { "--baseline=" .. dir .. "/x", "--update-baseline", table.unpack(beside) },
      { "--sandbox", "--export=json:./x", table.unpack(beside) } } do
      local result = program.run({ image, profile, table.unpack(words) }, { cwd = dir })
      assert.same({ "", 1 }, { result.stdout, result.status })
      assert.truthy(result.stderr:find "^gprof.lua: [^\n]*x[^/\n]*: is requested for two outputs\n$", result.stderr)
      assert.equal("", shell.listing(dir))
    end
    export("json:/dev/null", "--export=csv:/dev/null")
  end)

  it("two outputs to the same file, through a link", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/old", "old")
    shell.check { "ln", "-s", "old", dir .. "/link" }
    local result = program.run({ image, profile, "--export=json:link", "--export=csv:old" }, { cwd = dir })
    assert.same({ "", "gprof.lua: old: is requested for two outputs\n", 1 },
      { result.stdout, result.stderr, result.status })
    assert.equal("old", shell.read(dir .. "/old"))
  end)

  it("a file in a missing directory", function()
    local path = shell.tmpdir() .. "/none/file"
    check_failure(path .. ": its directory does not exist", "--export=json:" .. path, image, profile)
  end)

  it("a read-only file", function()
    local path = shell.write(shell.tmpdir() .. "/file", "old")
    shell.check { "chmod", "444", path }
    local result = launch.line(launch.permitted(), { "--export=json:" .. path, image, profile })
    assert.same({ "", "gprof.lua: " .. path .. ": cannot be written: Permission denied\n", 1 },
      { result.stdout, result.stderr, result.status })
    assert.equal("old", shell.read(path))
  end)

  it("an unreadable profile, without changing the output file", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/file", "old")
    local result = program.run({ "--export=json:file", image, dir .. "/none" }, { cwd = dir })
    assert.same({ "gprof.lua: " .. dir .. "/none: No such file or directory\n", 1 }, { result.stderr, result.status })
    assert.equal("old", shell.read(dir .. "/file"))
    assert.equal("file\n", shell.listing(dir))
  end)

  it("a full device", function()
    if not shell.exists "/dev/full" then
      pending "needs /dev/full"
      return
    end
    check_failure("/dev/full: cannot be written: No space left on device", "--export=json:/dev/full", image, profile)
    local result = launch.line([["$@" >/dev/full]], { "--export=json", image, profile })
    assert.same({ "gprof.lua: standard output: No space left on device\n", 1 }, { result.stderr, result.status })
  end)
end)

-- Counts may have 63 bits, and whole numbers of small units would have more.
describe("a time beyond all whole numbers", function()
  local functions <const> = { "main", "work" }
  local huge <const> = crafted.image { functions = functions }
  local recorded <const> = shell.write(shell.tmpdir "huge" .. "/huge.ctx", stacks.pack(functions, {
    { "main", "work", ticks = 1 << 54 }, { "main", ticks = 1 } }))

  for _, kind in ipairs(kinds) do
    it("is exported or refused in one line: " .. kind, function()
      local result = program.run { "--export=" .. kind, huge, recorded }
      if result.status == 0 then
        assert.equal("", result.stderr)
      else
        assert.matches("^gprof.lua: [^\n]+: the time, [^\n]+, is too large to be written in whole numbers\n$",
          result.stderr)
        assert.same({ 1, "" }, { result.status, result.stdout })
      end
    end)
  end
end)
