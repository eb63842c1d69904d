--- The tree of calls: each function below those that called it, with the time that was
-- spent there and below on their behalf. An estimate: see gprof.analysis.call_tree.
--
-- @module gprof.report.call_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"
local common = require "gprof.print.common"
local labels = require "gprof.print.labels"
local layout = require "gprof.print.layout"
local terminal = require "gprof.format.terminal"

-- The least share of all time, in percent, that a line is there for, unless somebody says
-- so.
local LEAST <const> = 1

-- What branches are drawn with: before a child, and before what is below it, if more
-- children follow, and if none does.
local drawn <const> = { child = "├─ ", last = "└─ ", below = "│  ", behind = "   " }
local typed <const> = { child = "|- ", last = "`- ", below = "|  ", behind = "   " }

-- The columns before the branches, and how they are set.
local TAKEN <const>, ROW <const> = 27, "%6.1f %9.2f %8.2f  %s%s%s\n"

-- The functions that the tree is to begin with; nil if none are named.
local function beginnings(profile, options)
  if not options.tree_roots then return nil end
  local ids, met = {}, {}
  for _, spec in ipairs(options.tree_roots) do
    local found = { profile:find(spec) }
    if not found[1] and options.missed then options.missed(spec) end
    for _, f in ipairs(found) do
      if not met[f] then ids[#ids + 1], met[f] = f.id, true end
    end
  end
  return ids
end

-- What it takes to write lines.
local function page_of(profile, tree, options, write)
  local bar = layout.bar_length(options, TAKEN)
  return {
    profile = profile, tree = tree, options = options, write = write,
    labels = labels.of(profile, options),
    branches = terminal.is_utf8() and drawn or typed,
    draw = bar and layout.drawer(bar) or function() return "" end,
    gap = bar and bar + 1 or 0,
    paint = options.color and require "gprof.print.color".painter(profile.total_ticks),
  }
end

-- A line. Behind the name, which may be shortened, stands what may not.
local function write_line(page, before, weight, self, name, behind)
  local percent, parts = 100 * weight / page.tree.all, page.tree.parts
  local bar = page.draw(percent)
  local row = page.paint and page.paint(ROW, percent, true, false) or ROW
  local taken = TAKEN + page.gap + utf8.len(before) + #behind
  page.write(row, percent, weight / parts, self / parts, bar .. (bar ~= "" and " " or ""),
    before, layout.fit(name, page.options, taken) .. behind)
end

local function write_node(page, node, before)
  local name, self_calls, is_cycle =
    page.profile:get(node.id, "name", "self_calls", "is_cycle")
  if is_cycle then
    write_line(page, before, node.weight, node.self, name .. " as a whole", "")
  else
    write_line(page, before, node.weight, node.self, page.labels[node.id],
      self_calls > 0 and " (recursive)" or "")
  end
end

-- What a node has below it that is not shown.
local function write_rest(page, node, before)
  local what = node.parent and "callee" or "root"
  write_line(page, before, node.rest, 0, ("(%d %s%s not shown)"):format(node.hidden, what,
    node.hidden == 1 and "" or "s"), "")
end

-- Writes the children of a node: `before` stands before all of them. There are no
-- branches before those of the root.
local function write_children(page, node, before)
  local branches, count = page.branches, #node.children
  local has_rest = node.rest > page.least
  local function branch(is_last, more, none)
    return node.parent and before .. branches[is_last and none or more] or ""
  end
  for i, child in ipairs(node.children) do
    local is_last = i == count and not has_rest
    write_node(page, child, branch(is_last, "child", "last"))
    write_children(page, child, branch(is_last, "below", "behind"))
  end
  if has_rest then write_rest(page, node, branch(true, "child", "last")) end
end

local function write_heading(profile, options, gap, write)
  local unit = profile.unit
  write(common.heading(options, "Call tree (estimated from the call graph)\n\n"))
  if profile.total_ticks <= 0 then write " no time accumulated\n\n" end
  write(common.heading(options, "%6s %9s %8s\n"), "%  ", "total  ", "self  ")
  write(common.heading(options, "%6s %9s %8s  %sname\n"), "time", unit, unit,
    (" "):rep(gap))
end

--- Prints the report.
-- @tparam profile profile with a histogram; by line, it is that of its functions
-- @tparam table options `tree_roots`: array of symspecs, of functions to begin with;
--   `tree_depth`: how many functions deep it is at most; `tree_threshold`: the least
--   share of all time, in percent, that a line is there for (1); `brief`: no
--   explanation; `inline_file_names`, `print_path`; `color`; `terminal_width`: that of
--   lines, to which names are shortened, and which may leave room for bars;
--   `full_names`: not to shorten names
-- @tparam stream write
return function(profile, options, write)
  if not profile.rate then
    error("a call tree needs a histogram, which this profile lacks", 0)
  end
  profile = profile:by_function()
  local least = (options.tree_threshold or LEAST) / 100
  local tree = call_tree.of(profile, { from = beginnings(profile, options), least = least,
    depth = options.tree_depth })
  local page = page_of(profile, tree, options, write)
  page.least = least * tree.all
  write_heading(profile, options, page.gap, write)
  if tree.all > 0 then write_children(page, tree.root, "") end
  if not options.brief then write(require "gprof.print.explain".tree) end
end
