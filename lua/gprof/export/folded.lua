--- Folded stacks, for flame graphs: a line for each chain of calls, with semicolons
-- between the functions, and its time in microseconds.
--
-- @module gprof.export.folded
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local escape = require "gprof.format.escape"
local extract = require "gprof.analysis.extract"

-- A semicolon ends a name. Blanks around it would be read as part of what is around it,
-- and a number behind one as a count.
local function plain(name)
  local text = escape.bytes(name, "[%c;]")
  return (text:gsub("^ +", ""):gsub(" +$", ""):gsub(" (%d+)$", "_%1"))
end

local function line_of(chain, names)
  local words, link = {}, chain.top
  while link do
    words[#words + 1], link = names[link.id], link.below
  end
  return table.concat(words, ";")
end

--- Writes it.
-- @tparam profile profile with a histogram
-- @tparam table _ options
-- @tparam stream write
return function(profile, _, write)
  profile = profile:by_function()
  local names, sums, lines = chains.names(profile, plain), {}, {}
  for _, chain in ipairs((chains.of(profile, extract.units(profile, 1000000)))) do
    local line = line_of(chain, names)
    if not sums[line] then lines[#lines + 1] = line end
    sums[line] = (sums[line] or 0) + chain.weight
  end
  table.sort(lines)
  for _, line in ipairs(lines) do write(line .. " " .. sums[line] .. "\n") end
end
