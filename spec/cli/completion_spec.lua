-- Shell completion: how bash and zsh complete words with the scripts that the program prints.
-- SPDX-License-Identifier: GPL-3.0-or-later

local command_line = require "gprof.cli.options.command_line"
local core = require "gprof.core"
local options = require "gprof.cli.options.option_table"
local program = require "support.program"
local shell = require "support.shell"

local function script(name)
  local result = program.run { "--print-completion=" .. name }
  assert.same({ "", 0 }, { result.stderr, result.status })
  return shell.write(shell.tmpdir() .. "/completion", result.stdout)
end

local function directory()
  local dir = shell.tmpdir "words"
  for _, name in ipairs { "map.txt", "my.lua", "two words" } do shell.write(dir .. "/" .. name, "") end
  shell.check { "mkdir", dir .. "/folder" }
  return dir
end

describe("--print-completion", function()
  it("prints a script for a shell", function()
    assert.equal(program.run({ "--print-completion=bash" }).stdout, program.run({ "--print-comp", "bash" }).stdout)
  end)

  it("ignores the options after it, as -h does", function()
    local plain = program.run({ "--print-completion=zsh" }).stdout
    assert.equal(plain, program.run({ "--print-completion=zsh", "--unheard-of" }).stdout)
    assert.equal(plain, program.run({ "--print-completion=zsh", "-h", "/no/image" }).stdout)
  end)

  it("supports two shells", function()
    local result = program.run { "--print-completion=fish" }
    assert.same({ "gprof.lua: option --print-completion takes bash or zsh, not 'fish'\n", "", 1 },
      { result.stderr, result.stdout, result.status })
  end)
end)

describe("The values that options permit", function()
  it("are accepted by the program", function()
    for _, option in ipairs(options.all) do
      for _, value in ipairs(options.values(option) or {}) do
        local word = "--" .. option.long .. "=" .. value
        assert.is_true(pcall(command_line.read, { word }) or pcall(command_line.read, { "--record", word }), word)
      end
    end
  end)

  it("are libiberty's styles for --demangle", function()
    local said = shell.run({ "c++filt", "--help" }, { env = { LC_ALL = "C" } }).stdout:match "{([%w,-]+)}"
    if not said then
      pending "needs c++filt"
      return
    end
    finally(function() core.demangling_style "auto"end)  -- the initial style; it is global
    for style in said:gmatch "[^,]+" do
      assert.is_true(core.demangling_style(style))
      assert.equal(style, said:match(("(%s)"):format(style:gsub("%-", "%%-"))))
    end
    for _, option in ipairs(options.gnu) do
      if option.long == "demangle" then assert.equal(said, table.concat(options.values(option), ",")) end
    end
  end)

  it("include all our reports for --report", function()
    local listed = shell.check({ "find", program.root .. "/lua/gprof/report", "-name", "*.lua" }).stdout
    local known, found = {}, 0
    for _, option in ipairs(options.own) do
      for _, name in ipairs(option.long == "report" and options.values(option) or {}) do known[name] = true end
    end
    for path in listed:gmatch "report/([^\n]+)%.lua" do
      found = found + 1
      assert.is_true(known[path:gsub("/", "."):gsub("^.*report%.", "")], path)
    end
    assert.is_true(found >= 11)
  end)
end)

-- Names that a shell would execute or change if they were not quoted. Each begins with another letter.
local hostile <const> = { "a$(touch hit)", "b`touch hit`", "c;touch hit;", "d|touch hit", "e&touch hit&", "f>hit",
  "g'$(touch hit)'", 'h"$(touch hit)"', "j\\$(touch hit)", "k!touch hit", "l*", "m~", "n #x", "o\27[2J",
  "p=$(touch hit)",
  "q{x,y}", "r[$(touch hit)]", "s\t$(touch hit)", "t<(touch hit)", "u${x:-$(touch hit)}" }

-- Words that are being typed, which a shell would execute at the end of the line.
local typed <const> = { "$(touch hit", "$(touch hit)", "`touch hit`", "--report=$(touch hit)", "-S $(touch hit)",
  "-S`touch hit`", "--$(touch hit)=x", "--$(touch hit)", "${x[$(touch hit)]}", "x[$(touch hit)]", "-- $(touch hit)",
  "--with=x:$(touch hit)" }

-- Makes a directory with files of hostile names.
local function hostile_directory()
  local dir = shell.tmpdir "hostile"
  for _, name in ipairs(hostile) do shell.write(dir .. "/" .. name, "") end
  return dir
end

-- The forms of an argument that is the name of a file.
local forms <const> = { "%s", "-S %s", "-S%s", "--external-symbol-table=%s", "--sum-file %s", "-- %s" }

describe("bash", function()
  if not shell.installed "bash" then
    pending "needs bash"
    return
  end
  local path, dir = script "bash", directory()

  -- Completes the last of the words. Returns the sorted contents of COMPREPLY.
  local function completed(...)
    local result = shell.check({ "bash", "--norc", "-c", [[
      set -u
      source "$1"; shift
      COMP_WORDS=(gprof.lua "$@") COMP_CWORD=$#
      _gprof_lua
      ((${#COMPREPLY[@]})) && printf '%s\n' "${COMPREPLY[@]}"
      exit 0]], "bash", path, ... }, { cwd = dir })
    assert.equal("", result.stderr)
    local words = {}
    for word in result.stdout:gmatch "[^\n]+" do words[#words + 1] = word end
    table.sort(words)
    return words
  end

  local files <const> = { "folder", "map.txt", "my.lua", "two words" }

  it("accepts the script", function()
    shell.check { "bash", "--norc", "-n", path }
    local result = shell.check { "bash", "--norc", "-c", [[source "$0"; complete -p gprof.lua]], path }
    assert.equal("complete -F _gprof_lua gprof.lua\n", result.stdout)
    local evaluated = shell.check { "bash", "--norc", "-c", [[eval "$(cat "$0")"; complete -p gprof.lua]], path }
    assert.equal(result.stdout, evaluated.stdout)
  end)

  it("offers every option by every name", function()
    local offered = {}
    for _, word in ipairs(completed "-") do offered[word] = true end
    for _, option in ipairs(options.all) do
      assert.is_true(not option.short or offered["-" .. option.short])
      if option.long then
        assert.equal(option.argument ~= "required" or nil, offered["--" .. option.long])
        assert.equal(option.argument ~= "none" or nil, offered["--" .. option.long .. "="])
      end
    end
  end)

  it("offers the options that begin with a word", function()
    assert.same({ "--sum", "--sum-file=" }, completed "--su")
    assert.same({ "--brief" }, completed("image", "-p", "--br"))
    assert.same({ "-p" }, completed "-p")
    assert.same({}, completed "--unheard-of")
  end)

  it("offers an option's values, in all forms of the option", function()
    local formats = { "4.4bsd", "auto", "bsd", "magic", "prof" }
    assert.same(formats, completed("-O", ""))
    assert.same(formats, completed("--file-format", ""))
    assert.same(formats, completed("--file-format", "=")) -- bash splits words at "="
    assert.same({ "magic" }, completed("--file-format", "=", "m"))
    assert.same({ "--file-format=magic" }, completed "--file-format=m")
    assert.same({ "-Omagic" }, completed "-Om")
    assert.same({ "-bzOmagic" }, completed "-bzOm")
    assert.same({ "magic" }, completed("-bzO", "m"))
    for _, option in ipairs(options.all) do
      local words = options.values(option) and table.move(options.values(option), 1, #options.values(option), 1, {})
      if words and not option.takes then
        table.sort(words)
        assert.same(words, completed("--" .. option.long, "=", ""))
      end
    end
  end)

  it("takes no separate word for an argument that must be attached", function()
    assert.same(files, completed("--color", ""))
    assert.same(files, completed("-p", ""))
    assert.same({}, completed "-pO") -- "O" is a symspec, the argument of -p
  end)

  it("offers files for options that take them, and for operands", function()
    for _, words in ipairs { { "" }, { "image", "" }, { "-S", "" }, { "--external-symbol-table", "=", "" },
      { "-R", "" }, { "--sum-file", "" }, { "--", "" }, { "-bS", "" } } do
      assert.same(files, completed(table.unpack(words)), table.concat(words, " "))
    end
    assert.same({ "-Smap.txt", "-Smy.lua" }, completed "-Sm")
    assert.same({ "folder" }, completed("-I", ""))
    assert.same({}, completed("--", "-p"))
  end)

  it("offers reports by name, and files that are scripts", function()
    assert.same({ "flat", "folder", "function_order" }, (function()
      local kept = {}
      for _, word in ipairs(completed("--report", "=", "f")) do
        if word ~= "file_order" then kept[#kept + 1] = word end
      end
      return kept
    end)())
    assert.same({ "my.lua" }, completed("--report", "my"))
    assert.same({ "--report=my.lua" }, completed "--report=my")
    assert.same({}, completed("--report", "ma"))
    shell.write(dir .. "/folder/of my own.lua", "")
    assert.same({ "folder/of my own.lua" }, completed("--report", "folder/"))
  end)

  it("offers nothing for numbers and symspecs", function()
    for _, words in ipairs { { "-w", "" }, { "--width", "=", "" }, { "-k", "" }, { "--graph", "=", "" } } do
      assert.same({}, completed(table.unpack(words)))
    end
  end)
end)

describe("bash, on a terminal,", function()
  local lack = not shell.installed "bash" and "needs bash" or require("support.pty").lack()
  if lack then
    pending(lack)
    return
  end

  -- Types lines into an interactive bash, whose prompt is a file. Returns the arguments with which a function
  -- gprof.lua was called, an array for each call.
  local function type_lines(dir, lines)
    local place = shell.tmpdir "typed"
    shell.write(place .. "/rc", ([[
      source %s
      cd %s
      gprof.lua() { printf '%%s\0' "$@" "" >>%s/shown; }
      PS1= PROMPT_COMMAND='echo x >>%s/prompts'
      bind 'set bell-style none'
      bind 'set enable-bracketed-paste off'
    ]]):format(shell.quote(script "bash"), shell.quote(dir), place, place))
    shell.write(place .. "/shown", "")
    local feed = { ("await() { while (($(wc -l <%s/prompts) < $1)); do sleep 0.01; done; }"):format(place) }
    for i, line in ipairs(lines) do
      feed[#feed + 1] = ("await %d; printf %%s %s"):format(i, shell.quote(line))
    end
    feed[#feed + 1] = ("await %d; echo exit"):format(#lines + 1)
    shell.write(place .. "/prompts", "")
    shell.write(place .. "/feed", table.concat(feed, "\n"))
    local line = ("bash %s/feed | script -qec 'bash --rcfile %s/rc -i' /dev/null"):format(place, place)
    shell.run({ "bash", "-c", line }, { env = { TERM = "dumb", LC_ALL = "C.UTF-8", HISTFILE = false }, timeout = true })
    local calls, arguments = {}, {}
    for word in shell.read(place .. "/shown"):gmatch "([^%z]*)%z" do
      if word == "" then
        calls[#calls + 1], arguments = arguments, {}
      else
        arguments[#arguments + 1] = word
      end
    end
    return calls
  end

  it("completes names with characters that are special in the shell", function()
    local dir, lines, expected = hostile_directory(), {}, {}
    for i, name in ipairs(hostile) do
      local form = forms[i % #forms + 1]
      lines[i] = "gprof.lua " .. form:format(name:sub(1, 1)) .. "\t\n"
      expected[i] = {}
      for word in form:gmatch "%S+" do table.insert(expected[i], (word:gsub("%%s", (name:gsub("%%", "%%%%"))))) end
    end
    local listing = shell.listing(dir)
    assert.same(expected, type_lines(dir, lines))
    assert.equal(listing, shell.listing(dir))
  end)

  it("completes no parts of names with newlines", function()
    local dir = shell.tmpdir "newlines"
    shell.write(dir .. "/w\n`touch hit`", "")
    shell.write(dir .. "/x\nw$(touch hit)", "")
    assert.same({ { "w" }, { "-Sw" }, { "end" } },
      type_lines(dir, { "gprof.lua w\t\n", "gprof.lua -Sw\t\n", "gprof.lua end\t\n" }))
    assert.is_nil(shell.listing(dir):find "^hit")
  end)

  it("completes names in directories with such names", function()
    local dir = shell.tmpdir "directories"
    for _, name in ipairs { "a$(touch hit)", "b`touch hit`" } do
      shell.check { "mkdir", dir .. "/" .. name }
      shell.write(dir .. "/" .. name .. "/inside", "")
    end
    assert.same({ { "a$(touch hit)/inside" }, { "-Sa$(touch hit)/" }, { "-S", "b`touch hit`/inside" } },
      type_lines(dir, { "gprof.lua a\ti\t\n", "gprof.lua -Sa\t\n", "gprof.lua -S b\ti\t\n" }))
  end)

  it("executes nothing that is being typed", function()
    local dir, lines = hostile_directory(), {}
    for i, words in ipairs(typed) do lines[i] = "gprof.lua " .. words .. "\t\t\21\n" end  -- Control-U
    lines[#lines + 1] = "gprof.lua end\n"
    local listing = shell.listing(dir)
    assert.same({ { "end" } }, type_lines(dir, lines))
    assert.equal(listing, shell.listing(dir))
  end)
end)

describe("zsh", function()
  if not shell.installed "zsh" then
    pending "needs zsh"
    return
  end
  local path, dir = script "zsh", directory()

  -- Types lines into an interactive zsh and presses Tab at the end of each. "^G" appends the completed line to the file
  -- `shown`.
  local driver <const> = [[
    setopt extended_glob
    zmodload zsh/zpty
    load=$1 dir=$2 shown=$3; shift 3
    zpty shell zsh -f -i
    zpty -w shell "
      PS1=; cd ${(q)dir}; autoload -Uz compinit; $load
      show() { print -r -- \"\$BUFFER\" >>${(q)shown}; BUFFER= }
      zle -N show; bindkey '^G' show; bindkey '^I' $TAB
      print ready >>${(q)shown}"
    await() { while (( $(wc -l <$shown) < $1 )); do zpty -rt shell text || sleep 0.01; done; }
    await 1
    for ((i = 1; i <= $#; i++)); do
      zpty -wn shell "$argv[i]"$'\t\a'
      await $((i + 1))
    done
    zpty -d shell]]

  -- Returns the lines as zsh completes them. `load` is the command that loads the script; `tab`, what the Tab key does.
  local function completed(lines, load, tab)
    local shown = shell.write(shell.tmpdir() .. "/shown", "")
    shell.check({ "zsh", "-f", "-c", driver, "zsh", load or "compinit -u -D; source " .. shell.quote(path), dir, shown,
      table.unpack(lines) }, { env = { TERM = "xterm", TAB = tab or "expand-or-complete" }, timeout = true })
    local result = {}
    for line in shell.read(shown):gmatch "([^\n]*)\n" do result[#result + 1] = line end
    assert.equal("ready", table.remove(result, 1))
    return result
  end

  it("accepts the script", function()
    shell.check { "zsh", "-f", "-n", path }
  end)

  it("knows every option by every name, with a description", function()
    local result = shell.check { "zsh", "-f", "-c", [[
      compdef() { print -r -- "compdef $*" }
      _arguments() { print -rl -- "$@" }
      source "$0"; _gprof_lua]], path }
    assert.truthy(result.stdout:find("compdef _gprof_lua gprof.lua\n-s\n-S\n", 1, true), result.stdout)
    for _, option in ipairs(options.all) do
      local text = option.help:gsub(":$", ""):gsub("[%[%]\\:]", "\\%0")
      for _, name in ipairs { option.short and "-" .. option.short or false, option.long and "--" .. option.long } do
        local pattern = name and "[*)]" .. name:gsub("%-", "%%-") .. "[=+-]*%[" .. text:gsub("%p", "%%%0") .. "%]"
        assert.truthy(not name or result.stdout:find(pattern), name)
      end
    end
  end)

  it("completes options, their values, and files", function()
    local cases = {
      ["gprof.lua --bri"] = "gprof.lua --brief ",
      ["gprof.lua -b --color=al"] = "gprof.lua -b --color=always ",
      ["gprof.lua -O m"] = "gprof.lua -O magic ",
      ["gprof.lua -bzOm"] = "gprof.lua -bzOmagic ",
      ["gprof.lua --file-format=4"] = "gprof.lua --file-format=4.4bsd ",
      ["gprof.lua --demangle=gn"] = "gprof.lua --demangle=gn",
      ["gprof.lua --report=fla"] = "gprof.lua --report=flat ",
      ["gprof.lua --report=my"] = "gprof.lua --report=my.lua ",
      ["gprof.lua --report=m"] = "gprof.lua --report=my.lua ",
      ["gprof.lua --report fol"] = "gprof.lua --report folder/",
      ["gprof.lua --report bsd.i"] = "gprof.lua --report bsd.index ",
      ["gprof.lua -S ma"] = "gprof.lua -S map.txt ",
      ["gprof.lua --sum-file=tw"] = "gprof.lua --sum-file=two\\ words ",
      ["gprof.lua -I "] = "gprof.lua -I folder/",
      ["gprof.lua tw"] = "gprof.lua two\\ words ",
      ["gprof.lua map.txt my"] = "gprof.lua map.txt my.lua ",
      ["gprof.lua -w "] = "gprof.lua -w ",
      ["gprof.lua -pm"] = "gprof.lua -pm",
      ["gprof.lua -- --b"] = "gprof.lua -- --b",
    }
    local lines = {}
    for line in pairs(cases) do lines[#lines + 1] = line end
    table.sort(lines)
    for i, line in ipairs(completed(lines)) do
      assert.equal(cases[lines[i]], line)
    end
  end)

  it("completes names with characters that are special in the shell, and executes nothing", function()
    dir = hostile_directory()
    local lines, listing = {}, shell.listing(dir)
    for i, name in ipairs(hostile) do lines[i] = "gprof.lua " .. forms[i % #forms + 1]:format(name:sub(1, 1)) end
    for i, line in ipairs(completed(lines)) do
      local words = shell.check { "zsh", "-f", "-c", 'eval "set -- $1"; printf "%s\n" "${@[-1]}"', "zsh", line }.stdout
      local name = hostile[i]
      assert.equal(name .. "\n", words:sub(-#name - 1), line)
      assert.truthy(#words - 1 == #name or words:find "^%-", line)
    end
    for i, words in ipairs(typed) do lines[i] = "gprof.lua " .. words end
    -- With expand-or-complete, zsh itself runs what is typed in $(...).
    completed({ table.unpack(lines, 1, #typed) }, nil, "complete-word")
    assert.equal(listing, shell.listing(dir))
    dir = directory()
  end)

  it("finds the script in $fpath, too", function()
    local folder = shell.tmpdir()
    shell.write(folder .. "/_gprof.lua", shell.read(path))
    assert.same({ "gprof.lua --color=always ", "gprof.lua --brief " },
      completed({ "gprof.lua --color=al", "gprof.lua --bri" },
        ("fpath=(%s $fpath); compinit -u -D"):format(shell.quote(folder))))
  end)
end)
