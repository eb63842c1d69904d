-- Control characters in untrusted names and text are displayed as escapes on a terminal, which must not obey them.
-- Pipes and files get all bytes unchanged.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local program = require "support.program"
local script_functions = require "gprof.scripts.script_functions"
local shell = require "support.shell"
local tar = require "support.tar"
local terminal = require "gprof.format.terminal"

-- Symbol names that clear the screen, set the window's title, use C1 controls as bytes and in UTF-8, and so on.
local hostile <const> = { "clear\27[2J\27[H", "title\27]0;x\7", "c1\x9b2J", "utf8\u{9b}2J", "back\8\8\8", "line\rover",
  "delete\127", "turn\u{202e}ed", "red\27[31m", "none\27[8m", "größe", "last" }
local shown <const> = { [[clear\x1b[2J\x1b[H]], [[title\x1b]0;x\x07]], [[c1\x9b2J]], [[utf8\u{9b}2J]],
  [[back\x08\x08\x08]], [[line\x0dover]], [[delete\x7f]], [[turn\u{202e}ed]], [[red\x1b[31m]], [[none\x1b[8m]], "größe",
  "last" }

local function image_of(names)
  local symbols = {}
  for i, name in ipairs(names) do
    symbols[i] = { "n" .. ("_"):rep(#name - 2) .. string.char(96 + i), crafted.SIZE * (i - 1) }
  end
  local path = build.craft { address = crafted.BASE, text = #names * crafted.SIZE, symbols = symbols }
  local bytes = shell.read(path)
  for i, symbol in ipairs(symbols) do
    bytes = bytes:gsub("\0" .. symbol[1] .. "\0", function() return "\0" .. names[i] .. "\0" end)
  end
  return shell.write(path, bytes)
end

local plan = { functions = hostile, ticks = {},
  calls = { { hostile[12], hostile[1], 3 }, { hostile[11], hostile[10], 5 } } }
for i, name in ipairs(hostile) do
  plan.ticks[name] = 10 * i
end
local image <const>, profile <const> = image_of(hostile), crafted.gmon(plan)

local function words_of(...)
  local words = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  words[#words + 1] = program.root .. "/gprof.lua"
  return table.move({ ... }, 1, select("#", ...), #words + 1, words)
end

local UTF8 <const> = { TERM = "xterm", NO_COLOR = false, LC_ALL = "C.UTF-8" }

-- Returns what the program sends to a terminal on standard output and standard error.
local function on_terminal(env, ...)
  local line = shell.join { "script", "-qec", shell.join(words_of(...)), "/dev/null" }
  return (shell.run({ "sh", "-c", line }, { env = env or UTF8 }).stdout:gsub("\r+\n", "\n"))
end

local function check_harmless(text, colored)
  if colored then text = text:gsub("\27%[[0-9;]*m", "") end
  assert.is_nil(text:find "[\0-\8\11\13-\31\127]", (text:gsub("[%c\128-\255]", function(c)
    return c == "\n" and c or ("<%02x>"):format(c:byte())
  end)))
  assert.is_nil(text:find("\u{9b}", 1, true), text)
  assert.is_nil(text:find("\u{202e}", 1, true), text)
end

if not shell.run({ "script", "-qec", "echo here", "/dev/null" }).stdout:find("here", 1, true) then
  pending "needs script (util-linux) and a terminal for it"
  return
end

describe("a terminal", function()
  for _, options in ipairs { { "-p" }, { "-q" }, { "-T" }, { "-C", "-z" }, { "-r" }, { "-i" }, { "-l" },
    { "-p", "--gnu-compat" } } do
    it("gets names without control sequences: " .. table.concat(options, " "), function()
      local text = on_terminal(nil, "-b", image, profile, table.unpack(options))
      check_harmless(text)
      if options[1] == "-p" then
        for _, name in ipairs(shown) do assert.truthy(text:find("  " .. name .. "\n", 1, true), text) end
      end
    end)
  end

  -- All that is evil, as part of a name.
  local evil <const> = "e\27[2J\27]0;x\7\x9b\u{9b}2J\8\r\u{202e}vil"

  -- Returns the path of a directory with files that have evil in all places: a gmon.out and its context profile, a
  -- profile of a Lua program, an archive, a baseline.
  local function evil_files()
    local dir, low = shell.tmpdir "evil", crafted.BASE
    local high, at = low + #hostile * crafted.SIZE, 0x700000
    local process = { low = low, high = high, finish = 1 << 60, command = evil .. "\0" .. evil .. "\0" }
    local thread = { name = evil, { context = 0, from = at, self = low + 8, count = 3 },
      { context = 3, from = low + 8, count = 9 }, { context = 3, from = at + 8, count = 4 } }
    local paths = contexts.pack { process = process, tables = { thread }, modules = {
      { low = low, high = high, path = evil }, { bias = at, low = at, high = at + 64, path = "/lib/" .. evil } } }
    local plain = gmon.magic { spare = ("<I4I8"):pack(0, 1 << 60), records = {
      { kind = "histogram", low = low, high = high, bins = { n = (high - low) // 4, [3] = 9 }, rate = 1000,
        abbreviation = "\27", dimension = "s\27[2J" }, { kind = "arc", from = -1, self = low + 8, count = 3 } } }
    shell.write(dir .. "/run", plain)
    shell.write(dir .. "/run.ctx", paths)
    shell.write(dir .. "/" .. evil, plain)
    shell.write(dir .. "/tar", tar.archive { { evil, "gmon" }, { "1" .. evil, plain }, { "2" .. evil, plain } })
    shell.write(dir .. "/list", ("%s/%s\n%s/x%s\n"):format(dir, evil:gsub("\r", ""), dir, evil))
    local functions = { { source = "@" .. evil .. ".lua", first = 1, last = 2, signature = 1, rank = 1, name = evil,
      lines = { 1, 2 } }, { source = "[C]" .. evil, first = 0, last = 0, signature = 1, rank = 1, name = evil,
      lines = { 0 } } }
    local sections = contexts.sections { process = { low = 0x1000, high = 0x100c, command = evil .. "\0" },
      modules = { { low = 0x1000, high = 0x100c, path = "" } },
      tables = { { name = evil, { context = 0, from = 0, self = 0x1000, count = 1 },
        { context = 3, from = 0x1002, self = 0x1008, count = 2 }, { context = 4, from = 0x1008, count = 7 } } } }
    script_functions.sort(functions)
    table.insert(sections, 1, { 5, script_functions.encode(functions) })
    shell.write(dir .. "/lua", contexts.pack { sections = sections })
    local words = { "--baseline=" .. dir .. "/base", "--update-baseline", image, profile }
    assert.equal(0, program.run(words).status)
    shell.write(dir .. "/json", '{"format": "' .. evil:gsub("%c", "") .. '\\u001b[2J\\u009b"}')
    return dir
  end

  it("gets nothing evil from any file, in any report", function()
    local dir, found = evil_files(), 0
    for _, line in ipairs { "-p {run}", "-q {run}", "--tree {run}", "--threads {run}", "--objects {run}", "-i {run}",
      "--lines {run}", "--verify {run}", "-p --thread=none {run}", "-p {run.ctx}", "-q --no-libraries {run}",
      "--spread {run} {EVIL}", "--spread --top=1 {run} {EVIL}", "-s --spread --sum-file={OUT} {run} {EVIL}",
      "-i {EVIL} {run}", "-s --sum-file={OUT} {EVIL} --profiles-from=tar:{tar}", "-p --profiles-from=tar:{tar}",
      "-s --sum-file={OUT} --keep-going --profiles-from=tar:{tar}", "-p --profiles-from={list}",
      "--baseline={base} {run}", "--baseline={base} --fail-on=calls:0 {run}", "--baseline={json} {run}",
      "--compare={json} {run}", "--compare={EVIL} {run}", "--compare={EVIL} --fail-on=0 {run}", "-rR{list} {run}",
      "-S{list} -p {run}", "-d -p {run}", "--by-build --sum-file={OUT}%b {run}", "--with={EVIL} {run}",
      "--report={EVIL} {run}", "--export=folded {run}", "--export=csv {run}", "--export=dot {run}",
      "--export=json {run}", "--export=callgrind {run}", "--export=markdown --compare={EVIL} {run}",
      "--inlines -q {run}", "--html={EVIL}/x {run}", "--jobs=2 -s --sum-file={OUT} {EVIL} {run}",
      "--skip-duplicates -s --sum-file={OUT} {EVIL} {run} {EVIL}", "--sandbox -q {run}", "--sandbox -q {EVIL}x",
      "LUA -p {lua}", "LUA -q {lua}", "LUA --tree {lua}", "LUA -l -p {lua}", "LUA --lines {lua}", "LUA -A {lua}",
      "LUA -i {lua}", "LUA --threads {lua}", "LUA --export=folded {lua}", "LUA -d -C {lua}" } do
      local words = { "-b", not line:find "^LUA" and image or nil }
      for word in line:gsub("^LUA", ""):gmatch "%S+" do
        words[#words + 1] = word:gsub("{([%w.]+)}", function(name)
          return dir .. "/" .. (name == "EVIL" and evil or name)
        end)
      end
      local text = on_terminal(nil, table.unpack(words))
      check_harmless(text)
      found = found + (text:find("\\x1b[2J", 1, true) and 1 or 0)
    end
    assert.is_true(found > 30, found)
  end)

  it("gets our own colour sequences", function()
    local text = on_terminal(nil, "-b", "-p", "--color", image, profile)
    check_harmless(text, true)
    assert.truthy(text:find([[none\x1b[8m]], 1, true), text)
    assert.truthy(text:find "\27%[31m[^\n]*last", text)
  end)

  it("gets bytes that are C1 controls escaped if the locale is not UTF-8, even inside UTF-8 letters", function()
    local text = on_terminal({ TERM = "xterm", LC_ALL = "C" }, "-b", "-p", image, profile)
    check_harmless(text)
    assert.is_nil(text:find "[\128-\159]", text)
    assert.truthy(text:find([[gr]] .. "\xc3\xb6\xc3" .. [[\x9fe]], 1, true), text)
  end)

  it("gets each message escaped and in one line", function()
    local file = "no\27[2J\nfile\x9b"
    for _, words in ipairs { { file }, { image, file }, { image, profile, "-S", file }, { "--" .. file },
      { image, profile, "-w" .. file }, { image, profile, "-p" .. file } } do
      local text = on_terminal(nil, "-b", "-p", table.unpack(words))
      check_harmless(text)
      assert.truthy(text:find([[\x1b[2J\nfile\x9b]], 1, true), text)
    end
  end)

  it("gets traces escaped", function()
    local text = on_terminal(nil, "-b", "-p", "-d", image, profile)
    check_harmless(text)
    assert.truthy(text:find([[clear\x1b[2J\x1b[H]], 1, true), text)
  end)

  it("gets source text escaped", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.c", "int f(void) { return 0; } // \27[2J\x9b\u{9b}\u{202e} größe\r\n"
      .. "int main(void)\n{ return f(); }\n")
    shell.check({ "gcc", "-g", "-pg", "-O0", "-o", "a.out", "a.c" }, { cwd = dir })
    shell.check({ "./a.out" }, { cwd = dir })
    local text = on_terminal(nil, "-b", "-l", "-A", "-z", dir .. "/a.out", dir .. "/gmon.out")
    check_harmless(text)
    assert.truthy(text:find([[// \x1b[2J\x9b\u{9b}\u{202e} größe]] .. "\n", 1, true), text)
  end)

  local function of_script(script)
    local words = table.move({ script, image, profile }, 1, 3, #program.interpreter + 1,
      table.move(program.interpreter, 1, #program.interpreter, 1, {}))
    local text = shell.run({ "script", "-qec", shell.join(words), "/dev/null" }, { env = UTF8 }).stdout
    check_harmless((text:gsub("\r+\n", "\n")))
    return text
  end

  it("gets internal errors of the program escaped", function()
    local text = of_script(shell.write(shell.tmpdir() .. "/script.lua", ([[
      package.path = %q .. package.path
      require "gprof"
      require "gprof.cli.options.command_line".read = function() error("clear\27[2J c1\u{9b}2J", 0) end
      require "gprof.cli.main".run {}
    ]]):format(program.root .. "/?.lua;")))
    assert.truthy(text:find([[clear\x1b[2J c1\u{9b}2J]], 1, true), text)
  end)

  it("gets reports printed by scripts escaped", function()
    local script = shell.write(shell.tmpdir() .. "/script.lua", ([[
      package.path = %q .. package.path
      local gprof = require "gprof"
      local image = assert(gprof.image(arg[1]))
      assert(gprof.profile(image, assert(gprof.data(image, arg[2])))):report("flat", { brief = true })
    ]]):format(program.root .. "/?.lua;"))
    local text = of_script(script)
    assert.truthy(text:find([[clear\x1b[2J]], 1, true), text)
  end)
end)

describe("a pipe", function()
  it("gets all bytes unchanged, but messages have no control characters, and no commands to services", function()
    local text = program.run({ "-b", "-p", image, profile }).stdout
    for _, name in ipairs(hostile) do
      assert.truthy(text:find("  " .. name .. "\n", 1, true), text)
    end
    local message = program.run({ "no\27[2J\n::error::\rfile\x9b" }).stderr
    assert.equal("gprof.lua: no\\x1b[2J\\n::error::\\rfile\x9b: No such file or directory\n", message)
    message = program.run({ "##[error]a\t##vso[task.b]##c" }).stderr
    assert.equal("gprof.lua: #\\x23[error]a\t#\\x23vso[task.b]##c: No such file or directory\n", message)
  end)
end)

describe("text for terminals", function()
  it("does not depend on how it is cut into pieces", function()
    local text = table.concat(hostile, "\n") .. "\r\n\xc3\nend \u{202e}\xe2\x80"
    local expected = terminal.shown(text)
    for cut = 0, #text do
      local filter = terminal.filter(function() return false end)
      assert.equal(expected, filter(text:sub(1, cut)) .. filter(text:sub(cut + 1)) .. filter())
    end
  end)

  it("is written before the end of a very long line", function()
    local filter, length = terminal.filter(function() return false end), 0
    for _ = 1, 100 do
      length = length + #filter(("\u{202e}"):rep(1000))
    end
    assert.truthy(length > 200000, length)
    assert.is_nil((filter(("\u{202e}"):rep(30000)) .. filter()):find("\u{202e}", 1, true))
  end)

  it("has no control characters, whatever the input", function()
    math.randomseed(5)
    for _ = 1, 2000 do
      local bytes = {}
      for i = 1, math.random(40) do
        bytes[i] = string.char(math.random(4) > 1 and math.random(0, 255) or (" [0m;\27\x9b\xc2"):byte(math.random(8)))
      end
      local text = table.concat(bytes)
      assert.is_nil(terminal.shown(text):gsub("\r?\n", ""):find "[\0-\8\11\13-\31\127]", ("%q"):format(text))
      check_harmless((terminal.shown(text, true):gsub("\r?\n", "")), true)
    end
  end)
end)
