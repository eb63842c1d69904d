--- The help page and the version.
--
-- @internal gprof.cli.help
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options"

local help = {}

local COLUMN = 34  -- where descriptions begin
local WIDTH = 80

local values = { none = "%s", required = "%s%s%s", optional = "%s[%s%s]" }

-- "-p[SYMSPEC], --flat-profile[=SYMSPEC]" is too long for a column: the value stands
-- with the long name where there is one.
local function form(option)
  local pattern = values[option.argument]
  if not option.long then
    return "  " .. pattern:format("-" .. option.short, " ", option.value)
  end
  local short = option.short and "-" .. option.short .. ", " or "    "
  return "  " .. short .. pattern:format("--" .. option.long, "=", option.value)
end

-- Breaks a text into lines that fit the column after the options.
local function in_column(text)
  if #text <= WIDTH - COLUMN then return text end
  local lines = { "" }
  for word in text:gmatch "%S+" do
    local line = lines[#lines]
    if #line + 1 + #word > WIDTH - COLUMN then
      lines[#lines + 1] = word
    else
      lines[#lines] = line == "" and word or line .. " " .. word
    end
  end
  return table.concat(lines, "\n" .. (" "):rep(COLUMN))
end

local function description(option)
  if option.help:sub(-1) ~= ":" then return in_column(option.help) end
  return in_column(option.help .. " " .. table.concat(options.values(option), " "))
end

local function line(option)
  local text = form(option)
  if #text > COLUMN - 1 then
    return text .. "\n" .. (" "):rep(COLUMN) .. description(option) .. "\n"
  end
  return text .. (" "):rep(COLUMN - #text) .. description(option) .. "\n"
end

--- @treturn string the help page
function help.page()
  local parts = { [==[
Usage: lua gprof.lua [OPTION...] [IMAGE [PROFILE...]]

Shows where a program compiled with -pg spent its time, and who called whom.
IMAGE is the program (a.out), PROFILE what it wrote when it ended (gmon.out);
"-" is standard input, and several profiles are added up. Without options that
name a report, the flat profile and the call graph are printed.
]==] }
  for group, title in ipairs(options.groups) do
    parts[#parts + 1] = "\n" .. title .. ":\n"
    for _, option in ipairs(options.all) do
      if option.group == group then parts[#parts + 1] = line(option) end
    end
  end
  parts[#parts + 1] = [[

@FILE stands for the options in FILE. Long names may be abbreviated.
]]
  return table.concat(parts)
end

-- The version of libbfd, from the name of its file.
local function bfd_version()
  local file = require "gprof.core".library() or ""
  return file:match("libbfd%-(%d[%d.]*%d)") or "of unknown version"
end

--- @treturn string what program this is
function help.version()
  return ("gprof for Lua %s (%s, libbfd %s)\n"):format(
    require "gprof"._VERSION, _VERSION, bfd_version()) .. [[
Licence: GNU GPL version 3 or later. There is NO WARRANTY, to the extent
permitted by law.
]]
end

return help
