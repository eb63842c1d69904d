-- Reads a call graph report as gprof2dot reads GNU gprof's reports: finds the lines that it accepts, those that it
-- warns about, and those that make it fail. Text after the last entry is ignored.
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof2dot = {}

-- Splits off the cross-reference at the end of a line. Returns the text before it, the cycle or nil, and the index.
local function reference(line)
  local rest, index = line:match "^(.-) %[(%d+)%]$"
  if not rest then return nil end
  local before, cycle = rest:match "^(.-)%s+<cycle (%d+)>$"
  return before or rest, tonumber(cycle), tonumber(index)
end

-- Parses the rest of a line after the seconds: "12", "12+3" or no calls, and the name. Returns both counts and the
-- name.
local function counts_and_name(text, separator)
  local count, second, name = text:match("^(%d+)%" .. separator .. "(%d+)%s+(%S.*)$")
  if count then return tonumber(count), tonumber(second), name end
  count, name = text:match "^(%d+)%s+(%S.*)$"
  return tonumber(count), nil, name
end

-- Parses the primary line of an entry: [1] 100.0 0.10 0.20 5+3 name <cycle 1> [1]
local function primary(line)
  local head, cycle, index = reference(line)
  local number, percent, self, children, rest =
    (head or ""):match "^%[(%d+)%]%s+(%d+%.%d+)%s+(%d+%.%d+)%s+(%d+%.%d+)(%s+.*)$"
  if not number or tonumber(number) ~= index or not percent then return nil end
  local called, self_called, name = counts_and_name(rest:match "^%s+(.*)$", "+")
  if not called then name = rest:match "^%s%s+(%S.*)$" end
  return name and { index = index, name = name, cycle = cycle, self = tonumber(self), children = tonumber(children),
    called = called, self_called = self_called, whole = name:find "^<cycle %d+ as a whole>$" ~= nil }
end

-- Parses the line of a caller, callee or member: 0.10 0.20 5/8 name <cycle 1> [1]
local function other(line)
  local head, cycle, index = reference(line)
  local rest = head and head:match "^%s+(.*)$"
  if not rest then return nil end
  local after = rest:match "^%d+%.%d+%s+(.*)$" or rest
  after = after:match "^%d+%.%d+%s+(.*)$" or after
  for _, separator in ipairs { "/", "+" } do
    local count, total, name = counts_and_name(after, separator)
    if count and name then return { index = index, name = name, cycle = cycle, count = count, total = total } end
  end
end

local function read_entry(lines, report)
  local entry, all_before = { callers = {}, callees = {} }, true
  for _, line in ipairs(lines) do
    local own = line:find "^%[" and primary(line)
    if own then
      entry.own, all_before = own, false
    elseif line:find "^%s+<spontaneous>$" or line:find "%(%d+%)$" then
      entry.spontaneous = true  -- ignored
    else
      local found = other(line)
      if found then
        table.insert(all_before and entry.callers or entry.callees, found)
      else
        table.insert(report.unrecognized, line)
      end
    end
  end
  if not entry.own then
    table.insert(report.unrecognized, lines[1])
  elseif entry.own.whole then
    -- The entry of a cycle begins with its primary line.
    if not lines[1]:find "^%[" then table.insert(report.unrecognized, lines[1]) end
    report.cycles[entry.own.index] = entry
  else
    if lines[1]:find "^%[" then table.insert(report.unrecognized, "no callers: " .. lines[1]) end
    report.functions[entry.own.index] = entry
  end
end

--- Reads a report.
-- @tparam string text
-- @treturn table `functions` and `cycles`, keyed by index, each with its `own` line, `callers` and `callees`;
--   `unrecognized`, the lines of the warnings; `problem`, the error or nil
function gprof2dot.read(text)
  local report, lines, inside, ended = { functions = {}, cycles = {}, unrecognized = {} }, {}, false, false
  for line in (text:gsub("\r\n", "\n") .. "\n"):gmatch "(.-)\n" do
    if not inside then
      inside = line:find "^index +%% time +self +children +called +name" ~= nil
    elseif line == "\f" then
      ended = true
      break
    elseif line:find "^%-%-+$" then
      if lines[1] then read_entry(lines, report) end
      lines = {}
    elseif line ~= "" then
      lines[#lines + 1] = line
    end
  end
  if not inside then report.problem = "no call graph" end
  if inside and not ended then report.problem = "unexpected end of file" end
  return report
end

return gprof2dot
