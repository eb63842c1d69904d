--- A comparison as Markdown, for the comment on a pull request (GitHub, GitLab). What
-- exceeds a limit and what changed are tables; what may be noise is folded.
--
-- @module gprof.export.markdown
-- SPDX-License-Identifier: GPL-3.0-or-later

local changes = require "gprof.analysis.changes"
local common = require "gprof.print.common"
local failures = require "gprof.print.failures"
local path_share = require "gprof.analysis.path_share"
local row_labels = require "gprof.print.row_labels"
local source_root = require "gprof.library.files.source_root"
local text = require "gprof.export.html.page_text"
local wording = require "gprof.format.wording"

-- The rows of a table, and the bytes of a name. A comment on GitHub has at most 65,536
-- characters.
local MOST_ROWS <const>, MOST_BYTES <const> = 50, 200

-- Text ----------------------------------------------------------------------------------

-- Formats a name as code, which contains no markup. A cell of a table ends at every "|"
-- without a backslash; the backslash is not part of the code.
local function code(name)
  local shown = text.shown(wording.cut(name, MOST_BYTES))
  if shown ~= text.shown(name) then shown = shown .. "…" end
  shown = shown:gsub("\\|", "\\x7C"):gsub("|", "\\|")
  local longest = 0
  for ticks in shown:gmatch "`+" do longest = math.max(longest, #ticks) end
  local fence = ("`"):rep(longest + 1)
  local space = (shown:find "^[` ]" or shown:find "[` ]$" or shown == "") and " " or ""
  return fence .. space .. shown .. space .. fence
end

local function place_text(row, profile, root)
  local file, line = failures.place(row, profile)
  if not file then return "" end
  return code(source_root.relative(file, root) .. (line and ":" .. line or ""))
end

local function seconds(value)
  return wording.rounded(value, 4)
end

-- Returns "old → new (+5.0 %)"; for a time also its error. An estimate that cannot be
-- compared has no growth.
local function change_text(change)
  if not change then return "" end
  local number = change.error and seconds or failures.count
  if change.change == 0 then return number(change.new) end
  if change.comparable == false then
    return ("%s → %s (not comparable)"):format(number(change.old), number(change.new))
  end
  local accuracy = change.error and " ± " .. wording.rounded(change.error, 2) or ""
  return ("%s → %s%s (%s)"):format(number(change.old), number(change.new), accuracy,
    wording.growth(change))
end

-- Tables --------------------------------------------------------------------------------

local function write_row(cells, write)
  write("| " .. table.concat(cells, " | ") .. " |\n")
end

local function write_table(titles, rows, write)
  local rules = {}
  for i in ipairs(titles) do rules[i] = i == 1 and "---" or "---:" end
  write_row(titles, write)
  write_row(rules, write)
  for i = 1, math.min(#rows, MOST_ROWS) do write_row(rows[i], write) end
  if #rows > MOST_ROWS then
    write(("\n%s more are not shown.\n"):format(#rows - MOST_ROWS))
  end
  write "\n"
end

local nouns <const> = { calls = "calls", self_calls = "recursive calls",
  blocks = "blocks executed", total = "time", self = "self time" }

local function write_failures(list, comparison, names, profile, options, write)
  local rows = {}
  for i, failure in ipairs(list) do
    local is_whole = failure.row == comparison
    rows[i] = { is_whole and "the whole program" or code(names[failure.row]),
      is_whole and "" or place_text(failure.row, profile, options.source_root),
      nouns[failure.field], change_text(failure.change),
      ("%g %%"):format(failure.percent) }
  end
  write_table({ "exceeds its limit", "where", "figure", "old → new", "limit" }, rows,
    write)
end

-- Returns the fields that the rows have, and their titles.
local function columns_of(comparison)
  local fields, titles = {}, {}
  local function add(field, title, is_known)
    if is_known then fields[#fields + 1], titles[#titles + 1] = field, title end
  end
  local unit = comparison.unit or ""
  add("total", ("total (%s)"):format(unit),
    comparison.total and comparison.old.counted and comparison.new.counted)
  add("self", ("self (%s)"):format(unit), comparison.total)
  add("calls", "calls", comparison.calls)
  add("self_calls", "recursive calls", changes.in_recursion(comparison))
  add("blocks", "blocks", comparison.blocks)
  return fields, titles
end

-- Returns whether a row changed by more than chance explains, whether it changed, and
-- whether it has a change that cannot be compared.
local function changes_of(row)
  local is_significant, is_changed, is_doubtful = false, false, false
  for _, field in ipairs { "self", "total", "calls", "self_calls", "blocks" } do
    local change = row[field]
    local differs = change and change.change ~= 0
    is_doubtful = is_doubtful or differs and change.comparable == false
    if differs and change.comparable ~= false then
      is_changed = true
      is_significant = is_significant or not change.noise
    end
  end
  return is_significant, is_changed, is_doubtful
end

local function write_changes(comparison, names, write)
  local fields, titles = columns_of(comparison)
  local changed, noise, same, doubtful = {}, {}, 0, 0
  for _, row in ipairs(comparison) do
    local is_significant, is_changed, is_doubtful = changes_of(row)
    local list = is_significant and changed or noise
    if is_changed then
      local note = row.status ~= "both" and (" (%s)"):format(row.status) or ""
      local cells = { code(names[row]) .. note }
      for _, field in ipairs(fields) do cells[#cells + 1] = change_text(row[field]) end
      list[#list + 1] = cells
    elseif is_doubtful then
      doubtful = doubtful + 1
    else
      same = same + 1
    end
  end
  table.insert(titles, 1, "function")
  if changed[1] then write_table(titles, changed, write) end
  if noise[1] then
    write(("<details><summary>%s changed only within the error of their times"):format(
      wording.plural(#noise, "function")) .. "</summary>\n\n")
    write_table(titles, noise, write)
    write "</details>\n\n"
  end
  if doubtful > 0 then write(common.only_incomparable(doubtful) .. ".\n") end
  if same > 0 then
    write(("%s did not change.\n"):format(wording.plural(same, "function")))
  end
end

local function write_side(name, side, comparison, write)
  local time = comparison.total and
    (", %s %s each"):format(seconds(side.total), comparison.unit) or ""
  local paths = comparison.total and side.path_share < 1 and
    "; " .. path_share.clause(side.path_share) or ""
  write(("- %s: %s%s%s\n"):format(name, wording.plural(side.runs, "run"), time, paths))
end

local function write_whole(comparison, write)
  write_side("old", comparison.old, comparison, write)
  write_side("new", comparison.new, comparison, write)
  if comparison.total then
    write(("- time: %s%s\n"):format(change_text(comparison.total),
      comparison.total.noise and comparison.total.change ~= 0 and
      ", which may be chance" or ""))
  end
  for _, field in ipairs { "calls", "blocks" } do
    if comparison[field] then
      write(("- %s: %s\n"):format(field, change_text(comparison[field])))
    end
  end
  write "\n"
end

local function title(list)
  if not list then return "Comparison of profiles" end
  if not list[1] then return "Profile: no limit is exceeded" end
  return ("Profile: %s exceeded"):format(#list == 1 and "1 limit is" or
    #list .. " limits are")
end

--- Writes a comparison as Markdown.
-- @tparam profile profile the new profile
-- @tparam table options `comparison`: the result of `gprof.compare`; `failures`: that of
--   `gprof.compare.failures`, if there are limits; `source_root`: the directory to which
--   source files are named; those of names, see `gprof.print.row_labels`
-- @tparam stream write
return function(profile, options, write)
  if not options.comparison then error("needs an old profile (--compare)", 0) end
  local comparison, list = options.comparison, options.fail_on and options.failures
  write(("### %s\n\n"):format(title(list)))
  write_whole(comparison, write)
  local names = row_labels(comparison, profile, options, true)
  if list and list[1] then
    write_failures(list, comparison, names, profile, options, write)
  end
  write_changes(comparison, names, write)
end
