--- What a page says first: what was measured, and what to keep in mind about it.
--
-- @internal gprof.export.html.summary
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local text = require "gprof.export.html.text"

local summary = {}

-- Fewer samples than these tell little (the error of a hundred is ten in a hundred).
local FEW <const> = 100

-- How many names are listed before the rest is a number.
local MOST_NAMES <const> = 5

local function plural(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

-- Names in a sentence, the first of them.
local function some(list)
  local names = table.move(list, 1, math.min(#list, MOST_NAMES), 1, {})
  local rest = #list - #names
  return table.concat(names, ", ") .. (rest > 0 and (" and %d more"):format(rest) or "")
end

local function time_text(profile)
  local decimals = common.decimals(1 / profile.rate)
  local format = ("%%.%df %%s"):format(decimals)
  return format:format(profile.total, profile.unit) ..
    (" ± %." .. decimals .. "f"):format(profile.total_error)
end

local function period_text(profile)
  local period = 1 / profile.rate
  if profile.unit ~= "seconds" then
    return ("a sample counts as %g %s"):format(period, profile.unit)
  end
  return ("every %g ms"):format(1000 * period)
end

-- Names and values, in the order in which they are shown.
local function facts(profile)
  local image, list, paths = profile.image, {}, {}
  if profile.rate then
    list[1] = { "Time", time_text(profile) }
    list[2] = { "Samples",
      ("%.0f, %s"):format(profile.total_ticks, period_text(profile)) }
  end
  list[#list + 1] = { "Program", image.path }
  if image.build_id then list[#list + 1] = { "Build", image.build_id } end
  for i, file in ipairs(profile.data.files) do paths[i] = file.path end
  list[#list + 1] = { #paths == 1 and "Profile" or "Profiles",
    (#paths > 1 and plural(#paths, "profile") .. ": " or "") .. some(paths) }
  return list
end

local function change_fact(comparison)
  local total = comparison.total
  if not total then return nil end
  local doubt = total.noise and ": this may be chance" or
    ("; the error is %.2f"):format(total.error)
  return { "Change", ("%+.2f %s a run, from %.2f to %.2f%s"):format(total.change,
    comparison.unit, total.old, total.new, doubt) }
end

local function has_lines(content)
  for _, id in ipairs(content.ids) do
    if content.profile:get(id, "line") then return true end
  end
  return #content.ids == 0
end

-- What is missing in the profile.
local function lacks(content, add)
  local profile = content.profile
  if not profile.data.has_histogram then
    add "No time was sampled: there is no histogram, and counts are all that is shown."
  elseif profile.total_ticks < FEW then
    add(("%.0f sample%s few: each time is uncertain by about the error beside it.")
      :format(profile.total_ticks, profile.total_ticks == 1 and " is" or "s are"))
  end
  if not profile.data.has_arcs then
    add "No calls were counted: there are no arcs (was -pg given to the compiler?)."
  end
  if not has_lines(content) then
    add "Nothing is known of the source: there is no debugging information (-g)."
  end
end

local function about_sources(sources, add)
  if sources.missing[1] then
    add(("Source that cannot be read: %s. The option -I names directories to look in.")
      :format(some(sources.missing)))
  end
  if sources.newer[1] then
    add(("Source newer than the program, so lines may have moved: %s."):format(
      some(sources.newer)))
  end
  if sources.left_out > 0 then
    add(("For want of room the source of %s is not in this page."):format(
      plural(sources.left_out, "file")))
  end
end

-- What to keep in mind, one sentence each.
local function notes(content, options)
  local list = {}
  local function add(note) list[#list + 1] = note end
  lacks(content, add)
  if options.include or options.exclude then
    add "Functions or calls were selected: what options left out is not shown."
  end
  local tree = content.tree
  if tree and tree.hidden > 0.005 then
    add(("Of %.1f %% of the time the tree of calls does not show all of the way down: " ..
      "there are too many ways, and the heaviest are shown."):format(100 * tree.hidden))
  end
  about_sources(content.sources, add)
  return list
end

--- Writes it.
-- @tparam table content as for `gprof.export.html.data`
-- @tparam table options those that the profile was made with
-- @tparam stream write
function summary.write(content, options, write)
  local list = facts(content.profile)
  if content.comparison then list[#list + 1] = change_fact(content.comparison) end
  write '<dl class="facts whole">\n'
  for _, fact in ipairs(list) do
    write(("<div><dt>%s</dt><dd>%s</dd></div>\n"):format(fact[1], text.html(fact[2])))
  end
  write "</dl>\n"
  local kept = notes(content, options)
  if not kept[1] then return end
  write '<ul class="notes" aria-label="Notes">\n'
  for _, note in ipairs(kept) do write("<li>" .. text.html(note) .. "</li>\n") end
  write "</ul>\n"
end

return summary
