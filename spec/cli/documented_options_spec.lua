-- The manual and the manual page list exactly the program's options, with all names and arguments.
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options.option_table"
local program = require "support.program"
local shell = require "support.shell"

local short_forms <const> = { none = "-%s", required = "-%s %s", optional = "-%s[%s]" }
local long_forms <const> = { none = "--%s", required = "--%s=%s", optional = "--%s[=%s]" }

-- Returns an option as documents show it: "-w NUM, --width=NUM".
local function form(option)
  local forms = {}
  if option.short then
    forms[#forms + 1] = short_forms[option.argument]:format(option.short, option.value)
  end
  if option.long then
    forms[#forms + 1] = long_forms[option.argument]:format(option.long, option.value)
  end
  return table.concat(forms, ", ")
end

local function all_forms()
  local forms = {}
  for _, option in ipairs(options.all) do forms[#forms + 1] = form(option) end
  table.sort(forms)
  return forms
end

-- Returns the options in the manual's list: items that begin with an option in backquotes.
local function forms_in_manual()
  local manual = shell.read(program.root .. "/doc/manual.md")
  local chapter = manual:match("\n## [^\n]*The options\n(.-)\n## ")
  local forms = {}
  for item in chapter:gmatch("\n%- (`%-.-:)%s") do
    forms[#forms + 1] = item:gsub("%s+", " "):gsub("`", ""):gsub(":$", "")
  end
  table.sort(forms)
  return forms
end

local page <const> = program.root .. "/doc/gprof.lua.1"

-- Returns the options in the manual page: lines that begin with five blanks and an option. mandoc overstrikes bold
-- letters.
local function forms_in_page()
  local text = shell.check({ "mandoc", "-T", "ascii", "-O", "width=200", page }).stdout:gsub(".\b", "")
  local forms = {}
  for line in text:gmatch("\n     (%-[^\n]*)") do
    forms[#forms + 1] = (line:gsub("  .*$", ""))
  end
  table.sort(forms)
  return forms
end

describe("options in documents", function()
  it("are exactly the program's in the manual", function()
    assert.same(all_forms(), forms_in_manual())
  end)

  if not shell.installed "mandoc" then
    pending("the manual page: needs mandoc")
    return
  end

  it("are exactly the program's in the manual page", function()
    assert.same(all_forms(), forms_in_page())
  end)

  it("are in a manual page without mandoc warnings", function()
    local result = shell.run { "mandoc", "-T", "lint", "-W", "warning", page }
    assert.same({ 0, "" }, { result.status, result.stdout })
  end)
end)
