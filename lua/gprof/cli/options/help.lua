--- The help page and the version.
--
-- @internal gprof.cli.options.help
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options.option_table"

local help = {}

local COLUMN = 34  -- where descriptions begin
local WIDTH = 79
local BLANK <const> = (" "):byte()

local values = { none = "%s", required = "%s%s%s", optional = "%s[%s%s]" }

-- Returns the left column: "  -p, --flat-profile[=SYMSPEC]". There is no room to repeat
-- the argument after the letter.
local function form(option)
  local pattern = values[option.argument]
  if not option.long then
    return "  " .. pattern:format("-" .. option.short, " ", option.value)
  end
  local short = option.short and "-" .. option.short .. ", " or "    "
  return "  " .. short .. pattern:format("--" .. option.long, "=", option.value)
end

-- Wraps a text in the right column. No word is wider than the column.
local function in_column(text)
  local most, lines, start = WIDTH - COLUMN, {}, 1
  if #text <= most then return text end
  while #text - start >= most do
    local blank = start + most  -- it may follow the line
    while text:byte(blank) ~= BLANK do blank = blank - 1 end
    lines[#lines + 1], start = text:sub(start, blank - 1), blank + 1
  end
  lines[#lines + 1] = text:sub(start)
  return table.concat(lines, "\n" .. (" "):rep(COLUMN))
end

local function description(option)
  if option.help:sub(-1) ~= ":" then return in_column(option.help) end
  return in_column(option.help .. " " .. table.concat(options.values(option), ", "))
end

local function line(option)
  local text = form(option)
  if #text > COLUMN - 1 then
    return text .. "\n" .. (" "):rep(COLUMN) .. description(option) .. "\n"
  end
  return text .. (" "):rep(COLUMN - #text) .. description(option) .. "\n"
end

--- Returns the help page.
-- @treturn string
function help.page()
  local parts = { [==[
Usage: lua gprof.lua [OPTION...] [IMAGE [PROFILE...]]
       lua gprof.lua --record [OPTION...] PROGRAM [ARGUMENT...]

Shows where a program spent its time, and which functions called which. IMAGE
is the program, compiled with -pg (default a.out), PROFILE the file that it
wrote on exit (default gmon.out; "-" is standard input). Several profiles are
added up. Without options that select a report, the flat profile and the call
graph are printed.
]==] }
  local groups = {}
  for group, title in ipairs(options.groups) do
    groups[group] = { "\n" .. title .. ":\n" }
  end
  for _, option in ipairs(options.all) do
    local group = groups[option.group]
    group[#group + 1] = line(option)
  end
  for _, group in ipairs(groups) do parts[#parts + 1] = table.concat(group) end
  parts[#parts + 1] = [[

SYMSPEC selects functions: NAME, FILE.c, FILE.c:NAME or FILE.c:LINE. FROM/TO
selects the calls between the functions of two SYMSPECs. With a SYMSPEC, a
report is limited to the selected functions or calls; a call graph also has
the functions that they call.

Long option names may be abbreviated. @FILE reads options from FILE.
]]
  return table.concat(parts)
end

-- Returns the version of libbfd, taken from its file name.
local function bfd_version()
  local file = require "gprof.core".library() or ""
  return file:match("libbfd%-(%d[%d.]*%d)") or "of unknown version"
end

--- Returns the text of --version.
-- @treturn string
function help.version()
  return ("gprof for Lua %s (%s, libbfd %s)\n"):format(
    require "gprof"._VERSION, _VERSION, bfd_version()) .. [[
Licence: GNU GPL version 3 or later. There is NO WARRANTY, to the extent
permitted by law.
]]
end

return help
