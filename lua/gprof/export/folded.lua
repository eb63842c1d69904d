--- Folded stacks for flame graphs: one line for each call chain, its functions separated
-- by semicolons, followed by its time in microseconds.
--
-- @module gprof.export.folded
-- SPDX-License-Identifier: GPL-3.0-or-later

local chains = require "gprof.analysis.chains"
local column_order = require "gprof.format.column_order"
local escape = require "gprof.format.escape"
local extract = require "gprof.analysis.extract"
local labels = require "gprof.print.labels"

-- Escapes a name. A semicolon would end it, and a space and a number at its end would be
-- read as the count. Leading and trailing spaces would be ambiguous, so they are removed.
local function plain(name)
  local text = escape.bytes(name, "[%c;]")
  return ((text:match "^.*[^ ]" or ""):gsub("^ +", ""):gsub(" (%d+)$", "_%1"))
end

local function line_of(list, top, names)
  local words, link = {}, top
  while link > 0 do
    words[#words + 1], link = names[list.id[link]], list.below[link]
  end
  return table.concat(words, ";")
end

--- Writes a profile as folded stacks.
-- @tparam profile profile with a histogram
-- @tparam table options those of names, see `gprof.print.labels.exported`
-- @tparam stream write
return function(profile, options, write)
  profile = profile:by_function(true)
  local names = chains.names(labels.exported(profile, options, true), plain)
  local sums = {}
  local list = chains.of(profile, extract.units(profile, 1000000))
  for i, top in ipairs(list.top) do
    local line = line_of(list, top, names)
    sums[line] = (sums[line] or 0) + list.weight[i]
  end
  for _, line in ipairs(column_order.keys(sums)) do
    write(line .. " " .. sums[line] .. "\n")
  end
end
