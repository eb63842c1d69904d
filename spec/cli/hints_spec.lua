-- Hints: guesses at what the user meant by a suspicious command line. They are never printed on standard output, and
-- never under --gnu-compat.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"

local example <const> = { functions = { "main", "work", "working", "pb_add", "Draw" },
  ticks = { main = 1, work = 9 }, calls = { { "main", "work", 3 } } }
local image <const>, profile <const> = crafted.image(example), crafted.gmon(example)

local function run(...)
  return program.run { "-b", ... }
end

-- Runs the program, which must succeed. Returns its warning.
local function warned(...)
  local result = run(...)
  assert.equal(0, result.status)
  return result.stderr:match "^gprof.lua: warning: ([^\n]*)\n$" or result.stderr
end

describe("a symspec after a blank", function()
  it("is taken for a file, and the message explains this", function()
    for _, words in ipairs { { "-p" }, { "-bzq" }, { "--flat-profile" }, { "--gra" } } do
      local option = words[1]
      local attached = ({ ["-p"] = "-pwork", ["-bzq"] = "-qwork", ["--flat-profile"] = "--flat-profile=work",
        ["--gra"] = "--graph=work" })[option]
      for _, arguments in ipairs { { option, "work", image, profile }, { image, option, "work", profile } } do
        local result = run(table.unpack(arguments))
        assert.same({ "gprof.lua: work: No such file or directory: to select work, write " .. attached ..
          " without a blank\n", 1 }, { result.stderr, result.status })
      end
    end
    assert.equal("gprof.lua: work: No such file or directory\n", run("-n", "main", "work", profile).stderr)
  end)

  it("is quoted for the shell in the message if necessary", function()
    for name, word in pairs { ["eat(int)"] = "'eat(int)'", ["it's"] = "'it'\\''s'", ["a.c:f"] = "a.c:f" } do
      assert.matches(": to select " .. name .. ", write -p" .. word .. " without a blank\n",
        run("-p", name, profile).stderr, 1, true)
    end
  end)
end)

describe("the message about a bad profile", function()
  it("says that it is a program", function()
    for _, words in ipairs { { image, image }, { image, profile, image }, { "-s", image, image } } do
      local result = run(table.unpack(words))
      assert.same({ ("gprof.lua: %s: is a program, not a profile\n"):format(image), 1 },
        { result.stderr, result.status })
    end
    assert.not_matches("is a program", run("--gnu-compat", image, image).stderr)
  end)

  it("says what to do if the file is incomplete", function()
    local bytes = shell.read(profile)
    for _, size in ipairs { #bytes - 1, #bytes - 30, 50 } do
      local cut = shell.write(shell.tmpdir() .. "/cut", bytes:sub(1, size))
      local result = run(image, cut)
      assert.matches(": the file is incomplete, run the program again\n", result.stderr, 1, true)
      assert.equal(1, result.status)
      -- Names of temporary directories may have the letters of "run".
      assert.not_matches(", run the program again", run("--gnu-compat", image, cut).stderr, 1, true)
      assert.not_matches(", run the program again", run(image, cut, profile).stderr, 1, true)
    end
    local text = shell.write(shell.tmpdir() .. "/text", ("text "):rep(100))
    assert.not_matches("incomplete", run(image, text).stderr)
  end)
end)

describe("the message about a missing profile", function()
  it("says that it was not written yet, or that the program was not compiled with -pg", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/a.c", "int main(void) { return 0; }\n")
    shell.check({ "gcc", "-o", "plain", "a.c" }, { cwd = dir })
    shell.check({ "gcc", "-pg", "-o", "profiled", "a.c" }, { cwd = dir })
    shell.check({ "gcc", "-pg", "-static", "-o", "static", "a.c" }, { cwd = dir })
    local missing <const> = "gprof.lua: gmon.out: No such file or directory: "
    for name, reason in pairs {
      plain = "./plain was not compiled with -pg, so it writes no profile",
      profiled = "run ./profiled first; it writes its profile to its working directory when it exits",
      static = "run ./static first; it writes its profile to its working directory when it exits",
    } do
      local result = program.run({ "./" .. name }, { cwd = dir })
      assert.same({ missing .. reason .. "\n", 1 }, { result.stderr, result.status })
    end
    local named = program.run({ "./plain", "other" }, { cwd = dir })
    assert.equal("gprof.lua: other: No such file or directory\n", named.stderr)
  end)
end)

describe("a profile in the place of the program", function()
  local function check(message, ...)
    for _, sandbox in ipairs { "--brief", "--sandbox" } do
      local result = run(sandbox, ...)
      assert.same({ "gprof.lua: " .. message .. "\n", "", 1 }, { result.stderr, result.stdout, result.status })
    end
  end

  it("is reported with the program that is named second", function()
    check(("%s: is a profile, and %s is a program: name the program first"):format(profile,
      image), profile, image)
  end)

  it("is reported if no program is named", function()
    local message = profile .. ": is a profile, not a program: name the program first"
    check(message, profile)
    check(message, profile, profile)
    check(message, profile, profile .. ".none")
  end)

  it("is reported with the option that has taken the program as its argument", function()
    local taken = (": %s was taken as the argument of --html: write --html=FILE"):format(image)
    local result = run("--html", image, profile)
    assert.equal(("gprof.lua: %s: is a profile, not a program%s\n"):format(profile, taken), result.stderr)
    result = run("--html", image)
    assert.equal("gprof.lua: a.out: No such file or directory (the default program, because none was named)" .. taken ..
      "\n", result.stderr)
    assert.matches(": write --compare=OLD\n", run("--compare", image, profile).stderr, 1, true)
  end)

  it("is reported only if the file is a profile", function()
    local text = shell.write(shell.tmpdir() .. "/text", "gm on")
    check(text .. ": is not an object file (file format not recognized)", text, image)
  end)
end)

describe("a Lua program in the place of a program", function()
  it("is reported, with the command that records it, or prints its profile", function()
    local dir = shell.tmpdir "scripts"
    local script, path = shell.write(dir .. "/work.lua", "tostring(1)"), dir .. "/work.prof"
    assert.equal(("gprof.lua: %s: is a Lua program: record it first: gprof.lua --record %s\n"):format(script, script),
      run(script).stderr)
    assert.equal(0, program.run({ "--record", "--output=" .. path, script }).status)
    assert.equal(("gprof.lua: %s: is a Lua program: name only its profile: gprof.lua %s\n"):format(script, path),
      run(script, path).stderr)
  end)
end)

describe("an option about machine code", function()
  it("is reported to have no effect on a Lua program", function()
    local dir = shell.tmpdir "recorded"
    local script, path = shell.write(dir .. "/work.lua", "tostring(1)"), dir .. "/work.prof"
    assert.equal(0, program.run({ "--record", "--output=" .. path, script }).status)
    for word, option in pairs { ["-a"] = "-a (--no-static)", ["-c"] = "-c (--static-call-graph)",
      ["-D"] = "-D (--ignore-non-functions)", ["--inlines"] = "--inlines", ["--bounds"] = "--bounds" } do
      assert.equal(("option %s has no effect on a Lua program: it is about machine code"):format(option),
        warned(word, "-q", path))
    end
    assert.equal(("gprof.lua: %s: is a profile of a Lua program, and a sample profile is for compilers\n"):format(path),
      run("--export=sample-profile", path).stderr)
  end)
end)

describe("an exported profile in the place of a program or profile", function()
  it("is reported, with the option for comparisons", function()
    local export = shell.tmpdir() .. "/good.json"
    assert.equal(0, run("--export=json:" .. export, image, profile).status)
    local message <const> =
      ("gprof.lua: %s: is an exported profile, which can only be compared: use --compare=%s\n"):format(export, export)
    for _, words in ipairs { { export }, { export, profile }, { image, export }, { image, profile, export } } do
      local result = run(table.unpack(words))
      assert.same({ message, "", 1 }, { result.stderr, result.stdout, result.status })
    end
    assert.equal(0, run("--compare=" .. export, image, profile).status)
    local other = shell.write(shell.tmpdir() .. "/other.json", '{ "format": "other" }')
    assert.equal(("gprof.lua: %s: is not an object file (file format not recognized)\n"):format(other),
      run(other).stderr)
  end)
end)

describe("-y", function()
  it("is reported to have no effect without annotated source", function()
    assert.equal("option -y (--separate-files) has no effect without -A (--annotated-source)",
      warned("-p", "-y", image, profile))
    assert.equal("", warned("-p", "-y", "--gnu-compat", image, profile))
  end)

  it("is not reported with annotated source", function()
    assert.not_matches("-y", run("-A", "-y", "-l", image, profile).stderr, 1, true)
  end)
end)

describe("an option without effect", function()
  for words, message in pairs {
    [{ "-p", "--tree-depth=2" }] = "option --tree-depth has no effect without --tree",
    [{ "-q", "--sort=name" }] = "option --sort has no effect without -p (--flat-profile), --compare or --spread",
    [{ "-C", "--top=5" }] =
      "option --top has no effect without -p (--flat-profile), -q (--graph), --compare or --spread",
    [{ "-p", "-x" }] = "option -x (--all-lines) has no effect without -A (--annotated-source)",
    [{ "--export=csv", "--node-threshold=1" }] =
      "option --node-threshold has no effect without --export=dot or --export=svg",
    [{ "-q", "--errors" }] = "option --errors has no effect without -p (--flat-profile) or --lines",
  } do
    it("is reported: " .. table.concat(words, " "), function()
      local arguments = table.move({ image, profile }, 1, 2, #words + 1, words)
      assert.equal(message, warned(table.unpack(arguments)))
      assert.equal("", run("--gnu-compat", table.unpack(arguments)).stderr)
    end)
  end

  it("is not reported where it has an effect", function()
    for _, words in ipairs { { "--top=2" }, { "--compare=" .. profile, "--top=1", "--sort=name" }, { "--errors" },
      { "--export=dot", "--edge-threshold=1" }, { "-C", "-m", "2" }, { "--tree", "--tree-depth=2" } } do
      assert.equal("", run(table.unpack(table.move({ image, profile }, 1, 2, #words + 1, words))).stderr)
    end
  end)
end)

describe("a binary export", function()
  it("is refused on a terminal", function()
    local pty = require "support.pty"
    if pty.lack() then return pending(pty.lack()) end
    local result = pty.run { "--export=pprof", image, profile }
    assert.equal(1, result.status)
    assert.equal("gprof.lua: option --export: pprof output is binary, and is not written to a terminal: use " ..
      "--export=pprof:FILE\n", (result.stdout:gsub("\r", "")))
    assert.equal(0, pty.run({ "--export=csv", image, profile }).status)
  end)
end)

describe("a symspec that matches nothing", function()
  -- Runs the program, which must print nothing but an error. Returns the error.
  local function refused(...)
    local result = run(...)
    assert.same({ "", 1 }, { result.stdout, result.status })
    return result.stderr:match "^gprof.lua: ([^\n]*)\n$" or result.stderr
  end

  local function missed(spec, hint)
    return ("symspec '%s' matches nothing%s"):format(spec, hint or "")
  end

  it("may be options attached to another option", function()
    assert.equal(missed("b", ": text attached to -p is a symspec; write options separately: -p -b"),
      refused("-pb", image, profile))
    assert.equal(missed("bl", ": text attached to -Q is a symspec; write options separately: -Q -bl"),
      refused("-Qbl", image, profile))
    assert.equal(missed "bR", refused("-pbR", image, profile))
    assert.equal(missed "b", refused("-p", "-fb", image, profile))
  end)

  for spec, name in pairs {
    wor = "work", works = "work", wrok = "work", vork = "work", ["work_"] = "work", draw = "Draw", worknig = "working",
  } do
    it("may be a typo of a similar name: " .. spec, function()
      assert.equal(missed(spec, (": did you mean -p%s?"):format(name)), refused("-p" .. spec, image, profile))
      assert.equal(missed(spec, (": did you mean -f %s?"):format(name)), refused("-p", "-f" .. spec, image, profile))
    end)
  end

  for _, spec in ipairs { "nothing", "woooork", "wo", "okrw" } do
    it("is reported without a guess if no name is similar: " .. spec, function()
      local result = run("-q" .. spec, image, profile)
      assert.not_matches("meant", result.stderr)
      assert.matches("matches nothing\n", result.stderr, 1, true)
    end)
  end

  for spec, hint in pairs {
    ["mian/work"] = "did you mean %smain/work?", ["main/wrok"] = "did you mean %smain/work?",
    ["/wrok"] = "did you mean %s/work?", ["work/ma"] = "no function matches 'ma'",
  } do
    it("may have a typo on one side of a call: " .. spec, function()
      assert.equal(missed(spec, ": " .. hint:format "-q"), refused("-q" .. spec, image, profile))
      assert.equal(missed(spec, ": " .. hint:format "-k "), refused("-q", "-k", spec, image, profile))
    end)
  end

  it("may be of calls that never happened", function()
    for spec, hint in pairs { ["work/main"] = "no call from work to main", ["/main"] = "no call to main",
      ["working/"] = "no call from working", ["w*/Draw"] = "no call from w* to Draw" } do
      for _, words in ipairs { { "-q" .. spec }, { "-Q" .. spec }, { "-p", "-k", spec }, { "-q", "-c", "-k", spec } } do
        assert.equal(missed(spec, ": " .. hint), refused(image, profile, table.unpack(words)))
      end
    end
    assert.equal(missed("work/main", ": no call from work to main"),
      refused("-qmain/work", "-qwork/main", image, profile))
  end)

  it("is not a symspec of which a call happened", function()
    for _, words in ipairs { { "-qmain/" }, { "-q/work" }, { "-kmain/" }, { "-q*/work", "-Qmain/w*" },
      { "-qmain/work", "-kwork/main", "--compare=" .. profile }, { "-qwork/main", "--gnu-compat" } } do
      assert.equal("", warned(image, profile, table.unpack(words)))
    end
  end)

  it("may be a regular expression with a slash that needs a backslash", function()
    local hint <const> = ": a slash in a regular expression needs a backslash: %s'%s'"
    for spec, escaped in pairs { ["/a/b/"] = "/a\\/b/", ["/a\\/b/c/"] = "/a\\/b\\/c/", ["a.c:/w/k/"] = "a.c:/w\\/k/",
      ["/^w/main/"] = "/^w\\/main/" } do
      assert.equal(missed(spec, hint:format("-p", escaped)), refused("-p" .. spec, image, profile))
      assert.equal(missed(spec, hint:format("-q", escaped)), refused("-q" .. spec, image, profile))
    end
    assert.equal(missed "/a\\/b/", refused("-p/a\\/b/", image, profile))
  end)

  it("may be of calls, where functions are expected", function()
    for _, spec in ipairs { "main/work", "/work", "work/" } do
      assert.equal(missed(spec, ": FROM/TO names calls, which are selected with -q, -Q or -k"),
        refused("-p" .. spec, image, profile))
    end
    assert.equal(missed("main/work", ": FROM/TO names calls, which are selected with -q, -Q or -k"),
      refused("--tree=main/work", image, profile))
    assert.equal(missed "main/nobody", refused("-pmain/nobody", image, profile))
  end)

  it("may be a list", function()
    assert.equal(missed("main,work", ": a symspec names one function; repeat the option: -pmain -pwork"),
      refused("-pmain,work", image, profile))
    assert.equal(missed("main,work", ": a symspec names one function; repeat the option: -n main -n work"),
      refused("-q", "-n", "main,work", image, profile))
    assert.equal(missed "nobody,none", refused("-pnobody,none", image, profile))
  end)

  it("may be of limits, which the proposed options keep", function()
    local hint <const> = ": a symspec names one function; repeat the option: "
    for argument, options in pairs { ["5%@work,calls:0"] = "--fail-on=5%@work --fail-on=calls:0",
      ["5%,calls:0@work,total:1%"] = "--fail-on=5%,calls:0@work --fail-on=total:1%",
      ["5%@main,work"] = "--fail-on=5%@main --fail-on=5%@work" } do
      local spec = argument:match "@(.*)"
      assert.equal(missed(spec, hint .. options), refused("--compare=" .. profile, "--fail-on=" .. argument, image,
        profile))
    end
    assert.equal(missed("wrok", ": did you mean --fail-on=5%@work?"),
      refused("--compare=" .. profile, "--fail-on=5%@wrok", image, profile))
  end)

  it("may be the root of a tree", function()
    assert.equal(missed("wrok", ": did you mean --tree=work?"), refused("-p", "--tree=wrok", image, profile))
  end)

  it("is not reported with --gnu-compat", function()
    assert.equal("", run("--gnu-compat", "-pb", image, profile).stderr)
  end)

  it("may be a class, or a C++ function with another namespace, other parameters or a typo", function()
    local names = { "main", "xml::Document::Parse(char const*)", "void xml::Map<int>::each<F>(F) const",
      "json::Value::Parse(int)", "json::Value::operator[](int)" }
    local cxx = { functions = names, ticks = { main = 1 } }
    local path, gmon = crafted.image(cxx), crafted.gmon(cxx)
    local both <const> = "-pxml::Document::Parse or -pjson::Value::Parse"
    for spec, name in pairs {
      ["Doc::Parse"] = both, Prase = both, ["Parse(long)"] = both,
      ["Document::parse"] = "-pxml::Document::Parse", eahc = "-p'xml::Map<>::each<>'",
      xml = "-p'xml::*'", Document = "-p'Document::*'", ["xml::Map"] = "-p'xml::Map::*'",
      -- a typo in the class
      ["xml::Docment::Parse"] = "-pxml::Document::Parse", ["Docment::Prase(char const*)"] = "-pxml::Document::Parse",
      ["xlm::Document::Parse"] = "-pxml::Document::Parse", ["xml::Documnet"] = "-p'xml::Document::*'",
      ["Documnet::*"] = "-p'Document::*'", ["xml::Document::"] = "-p'xml::Document::*'",
      ["mxl::Mpa::eahc"] = "-p'xml::Map<>::each<>'",
      -- a bracket without its partner
      ["xml::Document::Parse("] = "-pxml::Document::Parse", ["Parse)"] = "-pParse",
      ["Document::Prase(int"] = "-pxml::Document::Parse", ["Value::Parse(int"] = "-p'Value::Parse(int)'",
      ["Value::Parse(int)("] = "-p'Value::Parse(int)'", ["xml::Map<int"] = "-p'xml::Map::*'",
      ["xml::Map<int::each"] = "-p'xml::Map::*'", ["operator["] = "-p'operator[]'",
      ["Document::Parse<"] = "-pDocument::Parse",
    } do
      assert.equal(missed(spec, (": did you mean %s?"):format(name)), refused("-p" .. spec, path, gmon))
    end
    for _, spec in ipairs { "Value::Parse(int", "xml", "operator[", "eahc" } do
      local meant = refused("-p" .. spec, path, gmon):match "did you mean (.*)%?$"
      local word = shell.check { "sh", "-c", "cd /; printf %s " .. meant }.stdout
      assert.equal("", run(word, "-z", path, gmon).stderr)
    end
  end)
end)
