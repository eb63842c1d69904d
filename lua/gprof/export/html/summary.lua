--- The header of a page: what was measured, and notes on how reliable it is.
--
-- @internal gprof.export.html.summary
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local fit = require "gprof.library.fit"
local path = require "gprof.format.path"
local path_share = require "gprof.analysis.path_share"
local text = require "gprof.export.html.page_text"
local warnings = require "gprof.export.html.warnings"
local wording = require "gprof.format.wording"

local summary = {}

local MAX_NAMES <const> = 5  -- in a list

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

--- Returns the time and the number of samples.
-- @tparam profile profile with a histogram
-- @treturn string
-- @treturn string
function summary.figures(profile)
  return time_text(profile),
    ("%.0f, %s"):format(profile.total_ticks, period_text(profile))
end

-- Returns the names and values of the header, in order.
local function facts(profile)
  local image, list, paths = profile.image, {}, {}
  if profile.rate then
    local time, samples = summary.figures(profile)
    list[1], list[2] = { "Time", time }, { "Samples", samples }
  end
  local threads = profile:selected_threads()
  if threads then list[#list + 1] = { "Threads", table.concat(threads, ", ") } end
  for i, file in ipairs(profile.data.files) do paths[i] = file.path end
  if #paths ~= 1 or paths[1] ~= image.path then -- profiles of scripts are programs, too
    list[#list + 1] = { "Program", image.path, is_path = true }
  end
  if image.build_id then list[#list + 1] = { "Build", image.build_id } end
  list[#list + 1] = { #paths == 1 and "Profile" or "Profiles",
    (#paths > 1 and wording.plural(#paths, "profile") .. ": " or "") ..
      wording.first(paths, MAX_NAMES), is_path = #paths == 1 }
  return list
end

local function change_fact(comparison)
  local total = comparison.total
  if not total then return nil end
  local decimals = common.decimals(1 /
    math.min(comparison.old.samples, comparison.new.samples))
  local format = ("%+.Nf %s a run, from %.Nf to %.Nf; "):gsub("N", decimals)
  local doubt = total.noise and "this may be due to chance" or
    ("the error is %." .. decimals .. "f"):format(total.error)
  return { "Change", format:format(total.change, comparison.unit, total.old, total.new) ..
    doubt }
end

local function has_lines(content)
  for _, id in ipairs(content.ids) do
    if content.profile:get(id, "line") then return true end
  end
  return #content.ids == 0
end

-- Adds a note for each kind of data that is missing or scarce.
local function note_gaps(content, options, add)
  local profile = content.profile
  if not profile.data.has_histogram then
    add "No time was sampled (there is no histogram): only call counts are shown."
  end
  if common.has_samples_alone(profile) then
    add "No calls were counted: the program was not compiled with -pg."
  elseif not profile.data.has_arcs then
    add "No calls were counted (there are no arcs): was the program compiled with -pg?"
  end
  local paths = path_share.note(profile)
  if paths then add(wording.sentence(paths) .. ".") end
  local stripped = fit.stripped_note(profile, options)
  if stripped then add(wording.sentence(stripped) .. ".") end
  if not has_lines(content) then
    add "Source files and lines are unknown: there is no debugging information (-g)."
  end
end

local function note_sources(sources, add)
  if sources.missing[1] then
    add(("Source files that cannot be read: %s. Name their directories with -I.")
      :format(wording.first(sources.missing, MAX_NAMES)))
  end
  if sources.newer[1] then
    add(("Source files newer than the program (lines may have moved): %s."):format(
      wording.first(sources.newer, MAX_NAMES)))
  end
  if sources.left_out[1] then
    local names = {}
    for i, name in ipairs(sources.left_out) do names[i] = path.base(name) end
    add(("The source of %s is left out to limit the size of this page: %s."):format(
      wording.plural(#names, "file"), wording.first(names, MAX_NAMES)))
  end
end

-- Adds a note if the profile is of some threads only.
local function note_threads(content, add)
  local words = content.profile:selected_threads()
  if not words then return end
  local ticks, all = 0, 0
  for _, thread in ipairs(content.threads or {}) do
    ticks, all = ticks + (thread.selected and thread.ticks or 0), all + thread.ticks
  end
  add(("Only threads with the name or number %s are shown%s."):format(
    wording.all(words, "or"), all > 0 and
      (": %.1f %% of the time of all threads"):format(100 * ticks / all) or ""))
end

-- Returns the notes below the header's values, one sentence each.
local function notes(content, options)
  local list = {}
  local function add(note) list[#list + 1] = note end
  note_gaps(content, options, add)
  note_threads(content, add)
  if options.include or options.exclude then
    add "Only the functions and calls selected by options are shown."
  end
  if content.only_inlined then
    add(("There is no switch for inlined functions: the symspec '%s' names functions " ..
      "that were only inlined."):format(content.only_inlined))
  end
  note_sources(content.sources, add)
  return list
end

-- Returns a value as HTML. Of a path, the directory is cut if there is little room.
local function value_html(value, is_path)
  local directory, name = value:match "^(.*)(/[^/]+)$"
  local format = "<span>%s</span>"
  if not is_path or not directory then return format:format(text.html(value)) end
  return format:format(text.html(directory)) .. format:format(text.html(name))
end

--- Writes the header as HTML.
-- @tparam table content as for `gprof.export.html.page_data`
-- @tparam table options the options of the profile
-- @tparam stream write
function summary.write(content, options, write)
  local list, comparison = facts(content.profile), content.comparison
  if comparison then list[#list + 1] = change_fact(comparison) end
  warnings.write(content, options, write)
  write '<dl class="facts whole">\n'
  for _, fact in ipairs(list) do
    write(('<div class="%s"><dt>%s</dt><dd title="%s">%s</dd></div>\n'):format(
      fact[1]:lower(), fact[1], text.html(fact[2]), value_html(fact[2], fact.is_path)))
  end
  write "</dl>\n"
  local note_list = notes(content, options)
  if not note_list[1] then return end
  write '<ul class="notes" aria-label="Notes">\n'
  for _, note in ipairs(note_list) do write("<li>" .. text.html(note) .. "</li>\n") end
  write "</ul>\n"
end

return summary
