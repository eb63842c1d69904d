-- The options: all of GNU gprof's under all their names, our own, and the settings that they change.
-- SPDX-License-Identifier: GPL-3.0-or-later

local actions = require "gprof.cli.options.actions"
local command_line = require "gprof.cli.options.command_line"
local library_options <const> = require "gprof.library.options.arguments".known
local launch = require "support.launch"
local options = require "gprof.cli.options.option_table"
local program = require "support.program"
local shell = require "support.shell"

-- GNU gprof's options: letter, long name, and ":" for a required or "?" for an optional argument.
local gnu <const> = {
  { "A", "annotated-source", "?" }, { "b", "brief" }, { "C", "exec-counts", "?" }, { "d", "debug", "?" },
  { "D", "ignore-non-functions" }, { "h", "help" }, { "i", "file-info" }, { "I", "directory-path", ":" },
  { "J", "no-annotated-source", "?" }, { "l", "line" }, { "L", "print-path" }, { "m", "min-count", ":" },
  { "n", "time", ":" }, { "N", "no-time", ":" }, { "O", "file-format", ":" }, { "p", "flat-profile", "?" },
  { "P", "no-flat-profile", "?" }, { "q", "graph", "?" }, { "Q", "no-graph", "?" }, { "r", "function-ordering" },
  { "R", "file-ordering", ":" }, { "s", "sum" }, { "S", "external-symbol-table", ":" }, { "t", "table-length", ":" },
  { "T", "traditional" }, { "v", "version" }, { "w", "width", ":" }, { "x", "all-lines" }, { "y", "separate-files" },
  { "z", "display-unused-functions" }, { "Z", "no-exec-counts", "?" }, { "a", "no-static" },
  { "c", "static-call-graph" }, { false, "demangle", "?" }, { false, "no-demangle" }, { false, "inline-file-names" },
  { "B", false }, { "e", false, ":" }, { "E", false, ":" }, { "f", false, ":" }, { "F", false, ":" },
  { "k", false, ":" },
}

-- Parses a command line without applying its options. Returns an array of "NAME" or "NAME=ARGUMENT" for each option
-- (the long name if it has one), then the operands; or nil and the message.
local function parse(...)
  local found, apply = {}, command_line.apply
  function command_line.apply(option, _, argument)
    table.insert(found, (option.long or option.short) .. (argument and "=" .. argument or ""))
  end
  local done, settings = pcall(command_line.read, { ... })
  command_line.apply = apply
  if not done then
    return nil, settings.message
  end
  table.move(settings.operands, 1, #settings.operands, #found + 1, found)
  return found
end

-- Returns the settings for a command line, or nil and the message.
local function read(...)
  local done, settings = pcall(command_line.read, { ... })
  if done then
    return settings
  end
  return nil, settings.message
end

describe("every option of GNU gprof", function()
  for _, entry in ipairs(gnu) do
    local letter, long, argument = table.unpack(entry, 1, 3)
    it(("is known: %s %s"):format(letter or "", long or ""), function()
      local name = long or letter
      if letter and argument == ":" then
        assert.same({ name .. "=x" }, parse("-" .. letter .. "x"))
        assert.same({ name .. "=x" }, parse("-" .. letter, "x"))
      elseif letter then
        assert.same({ name, "x" }, parse("-" .. letter, "x"))
        local attached = argument and { name .. "=b" } or { name, "brief" }
        assert.same(attached, parse("-" .. letter .. "b"))
      end
      if long and argument == ":" then
        assert.same({ name .. "=x" }, parse("--" .. long .. "=x"))
        assert.same({ name .. "=x" }, parse("--" .. long, "x"))
      elseif long then
        assert.same({ name, "x" }, parse("--" .. long, "x"))
      end
      if long and argument == "?" then
        assert.same({ name .. "=x" }, parse("--" .. long .. "=x"))
      end
    end)
  end

  it("is in the table of GNU options, which has no others", function()
    assert.equal(#gnu, #options.gnu)
  end)
end)

local function beginning(list, prefix)
  local found = {}
  for _, long in ipairs(list) do
    if long:sub(1, #prefix) == prefix then
      table.insert(found, long)
    end
  end
  return found
end

local gnu_names, own_names, needs_argument, may_have_argument = {}, {}, {}, {}
for _, entry in ipairs(gnu) do
  table.insert(gnu_names, entry[2] or nil)
  needs_argument[entry[2]] = entry[3] == ":"
end
for _, option in ipairs(options.own) do
  table.insert(own_names, option.long)
  needs_argument[option.long] = option.argument == "required"
  may_have_argument[option.long] = option.argument == "optional"
end

-- Checks that a prefix of `long` selects the only name in `list` that begins with it. If several names do, the prefix
-- must be refused with a message that lists them and our own, unless the prefix is itself a name.
local function check_prefix(long, prefix, list)
  local candidates = beginning(list, prefix)
  local argument = needs_argument[long] and "=x" or ""
  local found, message = parse("--" .. prefix .. argument)
  if #candidates == 1 or prefix == long then
    assert.same({ long .. argument }, found)
  elseif needs_argument[prefix] and argument == "" then
    assert.is_nil(found)
    assert.equal(("option '--%s' needs an argument"):format(prefix), message)
  elseif may_have_argument[prefix] or needs_argument[prefix] and argument ~= "" then
    assert.same({ prefix .. argument }, found)
  elseif needs_argument[prefix] ~= nil and argument ~= "" and not needs_argument[prefix] then
    assert.equal(("option '--%s%s' takes no argument"):format(prefix, argument), message)
  else
    assert.is_nil(found)
    local ours = list == own_names and {} or beginning(own_names, prefix)
    table.move(ours, 1, #ours, #candidates + 1, candidates)
    assert.equal(("option '--%s%s' is ambiguous: --%s"):format(prefix, argument, table.concat(candidates, ", --")),
      message)
  end
end

describe("a long option", function()
  table.sort(gnu_names)

  it("may be abbreviated as long as it is unique", function()
    local order = {}
    for _, option in ipairs(options.gnu) do -- messages list the names in this order
      table.insert(order, option.long)
    end
    for _, long in ipairs(gnu_names) do
      for length = 1, #long do
        check_prefix(long, long:sub(1, length), order)
      end
    end
  end)

  it("of our own may be abbreviated as long as no GNU option begins with the same letters", function()
    for _, long in ipairs(own_names) do
      for length = 1, #long do
        local prefix = long:sub(1, length)
        local theirs = beginning(gnu_names, prefix)
        if not theirs[1] then
          check_prefix(long, prefix, own_names)
        elseif not theirs[2] then
          local argument = needs_argument[theirs[1]] and "=x" or ""
          assert.same({ theirs[1] .. argument }, parse("--" .. prefix .. argument))
        end
      end
    end
    assert.same({ "gnu-compat" }, parse("--gnu-compat"))
    assert.same({ "gnu-compat" }, parse("--gnu"))
    assert.same({ "gnu-compat" }, parse("--gn"))
    assert.same({ "graph" }, parse("--g"))
  end)

  it("that is unknown is refused", function()
    for _, word in ipairs { "--unheard-of", "--briefly", "--gnu-compatible", "--unheard-of=x", "--ab",
      "--" .. ("x"):rep(9999) } do
      local found, message = parse("--brief", word)
      assert.is_nil(found)
      assert.equal(("unknown option '%s' (-h lists all options)"):format(word), message)
    end
  end)

  it("with a typo is refused with a suggestion", function()
    for word, meant in pairs { ["--widths=1"] = "--width", ["--breif"] = "--brief", ["--Tree"] = "--tree",
      ["--exprot=json"] = "--export", ["--lne"] = "--line", ["--json=x"] = "--export=json",
      ["--call-graph"] = "--graph", ["--callgraph=f"] = "--graph=f" } do
      local found, message = parse("--brief", word)
      assert.is_nil(found)
      assert.equal(("unknown option '%s': did you mean %s? (-h lists all options)"):format(word, meant), message)
    end
  end)

  it("with a single dash is refused with a suggestion, unless it is a symspec", function()
    for _, word in ipairs { "-top=3", "-tree", "-html", "-record", "-export=json" } do
      local result = program.run { word, "none" }
      assert.same({ ("gprof.lua: unknown option '%s': did you mean -%s?\n"):format(word, word), "", 1 },
        { result.stderr, result.stdout, result.status })
    end
    for _, words in ipairs { { "-pause" }, { "-errors" }, { "-tree", "--gnu-compat" }, { "--", "-tree" } } do
      assert.no.matches("did you mean", program.run({ words[1], words[2], "none" }).stderr)
    end
  end)

  it("may stand anywhere between operands, ours too", function()
    assert.same({ "brief", "gnu-compat", "width=9", "a", "b", "c" },
      parse("a", "--brief", "b", "--gnu-compat", "c", "--width", "9"))
  end)
end)

describe("a short option", function()
  it("that is unknown is refused by its letter", function()
    for _, word in ipairs { "-Y", "-bY", "-bYp" } do
      local found, message = parse(word)
      assert.is_nil(found)
      assert.equal("unknown option '-Y' (-h lists all options)", message)
    end
  end)

  it("may share its dash with others", function()
    assert.same({ "brief", "display-unused-functions", "flat-profile" }, parse("-bzp"))
    assert.same({ "brief", "flat-profile=main" }, parse("-bpmain"))
    assert.same({ "brief", "width=40", "x" }, parse("-bw", "40", "x"))
    assert.same({ "brief", "width=40" }, parse("-bw40"))
  end)
end)

describe("an argument", function()
  it("that is required must be given", function()
    for _, word in ipairs { "-w", "--width", "--wid", "-k", "-bw" } do
      local found, message = parse("a.out", word)
      assert.is_nil(found)
      assert.equal(("option '%s' needs an argument"):format(word == "-bw" and "-w" or word), message)
    end
  end)

  it("that an option does not take is refused", function()
    for _, word in ipairs { "--brief=x", "--bri=x", "--gnu-compat=x", "--brief=" } do
      local found, message = parse(word)
      assert.is_nil(found)
      assert.equal(("option '%s' takes no argument"):format(word), message)
    end
  end)

  it("that is optional must be attached", function()
    assert.same({ "flat-profile", "main" }, parse("-p", "main"))
    assert.same({ "flat-profile=main" }, parse("-pmain"))
    assert.same({ "flat-profile", "main" }, parse("--flat-profile", "main"))
    assert.same({ "flat-profile=main" }, parse("--flat-profile=main"))
    assert.same({ "flat-profile=" }, parse("--flat-profile="))
  end)

  it("that is required may look like an option", function()
    assert.same({ "width=-b" }, parse("-w", "-b"))
    assert.same({ "width=--" }, parse("--width", "--"))
  end)
end)

describe("an operand", function()
  it("may stand anywhere", function()
    assert.same({ "brief", "line", "a.out", "gmon.out" }, parse("a.out", "-b", "gmon.out", "-l"))
  end)

  it("is everything after --", function()
    assert.same({ "brief", "-p", "--", "@x" }, parse("-b", "--", "-p", "--", "@x"))
  end)

  it("may stand on both sides of -- and of options", function()
    assert.same({ "brief", "line", "gnu-compat", "a", "b", "c", "-p", "d" },
      parse("a", "-b", "b", "-l", "--gnu-compat", "c", "--", "-p", "d"))
  end)

  it("ends the options if POSIXLY_CORRECT is set", function()
    local result = launch.script([[
      require "gprof"
      local settings = require "gprof.cli.options.command_line".read { "-b", "a.out", "-l", "--", "-p" }
      print(settings.brief, settings.line, table.concat(settings.operands, " "))
    ]], {}, { env = { POSIXLY_CORRECT = "1" } })
    assert.same({ "true\tnil\ta.out -l -- -p\n", "" }, { result.stdout, result.stderr })
  end)

  it("may be -, or empty", function()
    assert.same({ "brief", "-", "" }, parse("-", "-b", ""))
  end)
end)

describe("@FILE", function()
  local function file(text)
    return "@" .. shell.write(shell.tmpdir() .. "/options", text)
  end

  it("is replaced by the words in a file", function()
    assert.same({ "brief", "width=40", "flat-profile", "a.out", "gmon.out" },
      parse("-b", file "--width 40\n\t a.out\n-p\n", "gmon.out"))
    assert.same({ "brief" }, parse(file "", "-b", file " \n"))
  end)

  it("allows blanks in quotes and after backslashes", function()
    assert.same({ "a b", "c 'd", 'e "f', "g h", "i\\j", "" },
      parse(file [['a b' "c 'd" 'e "f' g\ h i\\j '']]))
  end)

  it("may name further files", function()
    local inner = file "-z inner"
    assert.same({ "brief", "display-unused-functions", "line", "inner", "outer" },
      parse(file("-b '" .. inner .. "' -l outer")))
  end)

  it("is an operand if there is no such file", function()
    assert.same({ "brief", "@/no/such/file" }, parse("@/no/such/file", "-b"))
  end)

  -- With libiberty's expandargv, 100,000 names took minutes and gigabytes, and ended the process.
  for _, times in ipairs { 1, 100000 } do
    it("that names itself is an error: one line, status 1: names itself " .. times .. " times", function()
      local name = file ""
      shell.write(name:sub(2), ("'" .. name .. "'\n"):rep(times))
      local result = launch.line('ulimit -t 20; exec "$@"', { name })
      assert.same({ 1, "", "gprof.lua: " .. name:sub(2) .. ": too many files are included: does it include itself?\n" },
        { result.status, result.stdout, result.stderr })
    end)
  end

  it("that is longer than a command line is refused, by its size or its number of words", function()
    local message = "gprof.lua: %s: is longer than a command line (%s): list profiles in a file for --profiles-from\n"
    for limit, text in pairs {
      ["8388608 bytes"] = (" "):rep(8388609), ["1000000 words"] = ("x "):rep(1000001),
    } do
      local name = file(text)
      local result = program.run { name }
      assert.same({ 1, "", message:format(name:sub(2), limit) }, { result.status, result.stdout, result.stderr })
    end
  end)

  it("may be repeated", function()
    local name = file "-b -z"
    assert.same({ "brief", "display-unused-functions", "brief", "display-unused-functions" }, parse(name, name))
  end)

  it("that cannot be read is an error", function()
    assert.equal("/: Is a directory", select(2, read "@/"))
  end)
end)

describe("styles", function()
  for line, expected in pairs {
    ["-P -p"] = { flat = true }, ["-p -P"] = { flat = false }, ["-p -q -P"] = { flat = false, graph = true },
    ["-Q"] = { graph = false }, ["-Q -B"] = { graph = true }, ["-q -Q -q"] = { graph = true }, [""] = {},
    ["--no-graph --flat"] = { graph = false, flat = true },
  } do
    it(("are each set by the last option about them: %s"):format(line), function()
      local words = {}
      for word in line:gmatch("%S+") do
        table.insert(words, word)
      end
      assert.same(expected, read(table.unpack(words)).styles)
    end)
  end
end)

describe("settings", function()
  it("have the names of the long options", function()
    local settings = read("-b", "-L", "-z", "-a", "-D", "--no-demangle", "--inline-file-names", "--gnu-compat")
    for _, name in ipairs { "brief", "print_path", "display_unused_functions", "no_static", "ignore_non_functions",
      "no_demangle", "inline_file_names", "gnu_compat" } do
      assert.is_true(settings[name], name)
      assert.is_nil(read()[name], name)
    end
    assert.same({ "auto", 80, {} }, { read().file_format, read().width, read().operands })
  end)

  it("for demangling are set by the last option", function()
    assert.is_nil(read("--no-demangle", "--demangle").no_demangle)
    assert.is_nil(read("--no-demangle", "--demangle=auto").no_demangle)
    assert.is_true(read("--demangle", "--no-demangle").no_demangle)
    assert.equal("unknown demangling style 'klingon'; known styles: none, auto, gnu-v3, java, gnat, dlang and rust",
      select(2, read "--demangle=klingon"))
  end)

  it("for the file format depend only on the argument's first letter", function()
    for word, format in pairs { auto = "auto", a = "auto", m = "magic", magnificent = "magic", bsd = "bsd", b = "bsd",
      ["4"] = "4.4bsd", ["4.4bsd"] = "4.4bsd", p = "prof", prof = "prof" } do
      assert.equal(format, read("-O", word).file_format)
    end
    local known = "known formats: auto, magic, bsd, 4.4bsd and prof"
    assert.equal("file format 'prof' cannot be combined with --gnu-compat: GNU gprof cannot read it",
      select(2, read("-Oprof", "--gnu-compat")))
    assert.equal("unknown file format 'elf'; " .. known, select(2, read("-O", "elf")))
    assert.equal("unknown file format ''; " .. known, select(2, read("-O", "")))
  end)

  it("for the width are whole numbers, at least 1", function()
    for word, width in pairs { ["132"] = 132, ["1"] = 1, ["+60"] = 60 } do
      assert.equal(width, read("-w" .. word).width)
    end
    for word, width in pairs { ["0"] = 1, ["-7"] = 1, ["x"] = 1 } do
      assert.equal(width, read("--gnu-compat", "-w" .. word).width)
    end
    for _, word in ipairs { "x", "", "12x", "1.5", "0x20", "1e2", "0", "-7" } do
      local settings, message = read("-w", word)
      assert.is_nil(settings, word)
      assert.equal(("option -w (--width) takes a whole number from 1 to 1000000, not '%s'"):format(word), message)
    end
  end)

  it("for thresholds are percentages", function()
    for word, value in pairs { ["0"] = 0, ["0.5"] = 0.5, [".1"] = 0.1, ["100"] = 100, ["7."] = 7 } do
      assert.equal(value, read("--node-threshold", word).node_threshold)
      assert.equal(value, read("--edge-threshold", word).edge_threshold)
    end
    for _, word in ipairs { "", ".", "x", "-1", "101", "1e1", "0x1", "nan", " 1" } do
      local settings, message = read("--edge-threshold=" .. word)
      assert.is_nil(settings)
      assert.equal(("option --edge-threshold takes a number from 0 to 100, not '%s'"):format(word), message)
    end
  end)

  it("for the width do not become small numbers if the argument exceeds the range of integers", function()
    local settings = read("-w", ("9"):rep(20))
    assert.is_true(settings == nil or settings.width > 1000)
  end)

  it("allow an order of functions or of files, not both", function()
    for _, words in ipairs { { "-r", "-R", "map" }, { "-R", "map", "-r" }, { "--gnu-compat", "-rRmap" },
      { "--file-ordering=map", "--function-ordering" } } do
      local settings, message = read(table.unpack(words))
      assert.is_nil(settings)
      assert.equal("options -r (--function-ordering) and -R (--file-ordering) are mutually exclusive", message)
    end
    assert.same({ function_order = true }, read("-r", "-r").styles)
    assert.equal("map", read("-R", "other", "-R", "map").file_ordering)
  end)

  it("for annotated source do not select the report, and their numbers must be whole", function()
    local settings = read("-l", "-A", "-x", "-y", "-t5", "-m", "3")
    assert.same({ true, true, true, 5, 3, { annotation = true } }, { settings.line, settings.all_lines,
      settings.separate_files, settings.table_length, settings.min_count, settings.styles })
    assert.same({ {}, {} }, { read("-l", "-x", "-y").styles, read("-t", "0", "-m", "0").styles })
    for option, name in pairs { ["-t"] = "-t (--table-length)", ["-m"] = "-m (--min-count)" } do
      local most = option == "-m" and math.maxinteger or 2147483647
      for _, word in ipairs { "x", "", "1.5", "-1", "99999999999999999999" } do
        assert.same({ nil, ("option %s takes a whole number from 0 to %d, not '%s'"):format(name, most, word) },
          { read(option, word) })
      end
    end
    assert.equal(99999999999, read("-m99999999999").min_count)
    assert.same({ 0, 0 }, { read("--gnu-compat", "-t-5").table_length, read("--gnu-compat", "-tx").table_length })
    assert.equal(12, read("--gnu-compat", "-m12x").min_count)
    settings = read("--gnu-compat", "-t4294967300", "-w4294967300")
    assert.same({ 4, 4 }, { settings.table_length, settings.width })
  end)

  it("for time by line include a profile by line", function()
    local settings = read "--annotate-time"
    assert.same({ true, true, { annotation = true } }, { settings.annotate_time, settings.line, settings.styles })
  end)

  it("for annotated source include and exclude functions by symspec", function()
    local settings = read("-Amain", "-A", "f.c", "-Jwork", "-Jf.c:7")
    assert.same({ annotation = { "main" } }, settings.include)
    assert.same({ annotation = { "work", "f.c:7" } }, settings.exclude)
    assert.same({ annotation = true }, settings.styles)
    assert.same({ annotation = false }, read("-A", "-J").styles)
    assert.same({ "f.c" }, settings.operands)
  end)

  it("for directories accumulate; those of GPROF_PATH come last", function()
    assert.same({ "a", "b", "c d" }, read("-I", "a:b", "--directory-path=:c d:").directory_path)
    assert.is_nil(read().directory_path)
    assert.same({ "a", "b" }, read("-Ia", "-A", "-Ib").directory_path)
    local result = launch.script([[
      require "gprof"
      local settings = require "gprof.cli.options.command_line".read { "-I", "a", "-p", "-I", "b" }
      print(table.concat(settings.directory_path, " "))
    ]], {}, { env = { GPROF_PATH = "x::y:" } })
    assert.same({ "a b x y\n", "" }, { result.stdout, result.stderr })
  end)

  it("are not shared between command lines", function()
    local before = read()
    read("-b", "-w", "40", "-O", "bsd", "-p", "a.out")
    assert.same(before, read())
  end)
end)

describe("an option", function()
  it("has an action", function()
    for _, option in ipairs(options.all) do
      local action = option.action == "flag" and command_line.apply or actions[option.action]
      assert.equal("function", type(action), options.name(option))
    end
  end)
end)

describe("The table of options", function()
  local core = require "gprof.core"

  it("has complete lines, each with a letter and a name, which may be blank", function()
    assert.same({ { "a all[=X]", "1" } }, (core.getopt({ "--al=1" }, "a all[=X]\n", "")))
    for _, text in ipairs { "a all", "a\n", "a \n", "\n", "a all\n\n", "a all\0\n" } do
      assert.has_error(function() core.getopt({}, text, "") end,
        "bad argument #2 to 'getopt' (malformed option table)")
    end
  end)

  -- Those of "Analysis", the older forms, and those that the library knows of images, data and profiles.
  it("marks the options that change figures and names", function()
    local in_group <const> = { Analysis = true, ["Older forms"] = true }
    local unmarked = {}
    for _, option in ipairs(options.all) do
      local setting = option.long and options.setting(option) or ""
      local changes = in_group[options.groups[option.group]]
      for _, object in ipairs { "image", "data", "profile" } do
        changes = changes or library_options[object][setting]
      end
      if changes and not option.selects then unmarked[#unmarked + 1] = option.long or option.short end
    end
    -- Each of these prints a report, changes only one, or only traces; is a choice of the page (--line, --inlines); or
    -- would take away the reports that its commands print (--gnu-compat).
    assert.same({ "file-ordering", "line", "min-count", "debug", "B", "inlines", "spread", "threads", "gnu-compat" },
      unmarked)
  end)
end)

describe("--help", function()
  local result = program.run { "--help" }

  it("goes to standard output with status 0", function()
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.equal(result.stdout, program.run({ "-h" }).stdout)
  end)

  it("leaves the last of 80 columns free", function()
    for line in result.stdout:gmatch("[^\n]*") do
      assert.is_true(utf8.len(line) <= 79, line)
      assert.is_nil(line:find("%s$"), line)
    end
  end)

  it("lists every option with its description", function()
    local values = { none = { "", "" }, required = { " %s", "=%s" }, optional = { "[%s]", "[=%s]" } }
    for _, option in ipairs(options.all) do
      local pattern, long = table.unpack(values[option.argument])
      local names = not option.long and "-" .. option.short .. pattern
        or (option.short and "-" .. option.short .. ", " or "    ") .. "--" .. option.long .. long
      names = names:format(option.value)
      local _, last = result.stdout:find("\n  " .. names, 1, true)
      assert.truthy(last, names)
      assert.truthy(result.stdout:find("^%s+[^%s-][^\n]+\n", last + 1), names)
    end
  end)

  it("ignores the options after it", function()
    for _, words in ipairs { { "-h", "--unheard-of" }, { "-bh", "-Y" }, { "-h", "no_such_file" }, { "-h", "-w" },
      { "-h", "-w", "x" }, { "-h", "-O", "elf" }, { "-h", "-v" } } do
      assert.equal(result.stdout, program.run(words).stdout)
    end
  end)

  it("does not hide errors before it", function()
    local refused = program.run { "--unheard-of", "-h" }
    assert.same({ "", 1 }, { refused.stdout, refused.status })
  end)
end)

describe("--version", function()
  it("names the program, Lua, libbfd and the licence", function()
    for _, word in ipairs { "-v", "--version" } do
      local result = program.run { word }
      assert.truthy(result.stdout:find("^gprof for Lua %S+ %(Lua 5%.4, libbfd %d[%d.]+%)\n"), result.stdout)
      assert.truthy(result.stdout:find("GNU GPL version 3 or later", 1, true))
      assert.truthy(result.stdout:find("NO WARRANTY", 1, true))
      assert.same({ "", 0 }, { result.stderr, result.status })
      for line in result.stdout:gmatch("[^\n]*") do
        assert.is_true(#line <= 80, line)
      end
    end
  end)
end)

describe("the rules about options", function()
  it("name existing options", function()
    local known = { needs = true, excludes = true, sums = true, files = true }
    for _, option in ipairs(options.all) do known[option.long or ""] = true end
    for _, text in pairs(require "gprof.cli.options.rules".texts) do
      for word in text:gmatch "%S+" do assert(known[word], word) end
    end
  end)

  it("refuse options in combinations that the settings show, in whatever order they are given", function()
    for words, message in pairs {
      ["--rate=5"] = "option --rate needs --record",
      ["--anew"] = "option --anew needs --dump or --dump-signal or --dump-file",
      ["-R map -r"] = "options -r (--function-ordering) and -R (--file-ordering) are mutually exclusive",
      ["--dump=1 -l"] = "options --dump and -l (--line) are mutually exclusive",
      ["--update-baseline"] = "option --update-baseline needs --baseline",
      ["--compare=x --baseline=y"] = "options --baseline and --compare are mutually exclusive",
      ["--fail-on=5%"] = "option --fail-on needs --compare or --baseline",
      ["--force"] = "option --force needs --compare",
      ["-l --compare=x"] = "options --compare and -l (--line) are mutually exclusive",
      ["-a --spread"] = "options --spread and -a (--no-static) are mutually exclusive",
      ["--thread=x --spread"] = "options --spread and --thread are mutually exclusive",
      ["--checkpoint-every=1"] = "option --checkpoint-every needs --checkpoint",
      ["--checkpoint=x"] = "option --checkpoint: is for sums: add -s (--sum) or --sum-file",
      ["--jobs=2 -s --checkpoint=x"] = "options --checkpoint and --jobs are mutually exclusive",
      ["--skip-duplicates"] = "option --skip-duplicates: is for sums: add -s (--sum) or --sum-file",
      ["--by-build --slide=auto"] = "options --by-build and --slide are mutually exclusive",
      ["--thread=x -s"] = "options --thread and -s (--sum) are mutually exclusive",
    } do
      local arguments = {}
      for word in words:gmatch "%S+" do arguments[#arguments + 1] = word end
      local result = program.run(arguments, { cwd = shell.tmpdir() })
      assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status }, words)
    end
  end)
end)
