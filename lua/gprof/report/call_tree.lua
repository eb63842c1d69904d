--- The call tree: each function below its callers, with the time spent in it and its
-- callees on their behalf. The tree is measured if call paths were recorded; otherwise it
-- is an estimate (see gprof.analysis.call_tree).
--
-- @module gprof.report.call_tree
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_tree = require "gprof.analysis.call_tree"
local common = require "gprof.print.common"
local guesses = require "gprof.analysis.guesses"
local inlined_code = require "gprof.analysis.inlined_code"
local labels = require "gprof.print.labels"
local layout = require "gprof.print.layout"
local terminal = require "gprof.format.terminal"
local wording = require "gprof.format.wording"

-- The default of `tree_threshold`, in percent of the total time.
local LEAST <const> = 1

-- The connecting lines before a child, before the last child, and before the descendants
-- of each.
local utf8_branches <const> =
  { child = "├─ ", last = "└─ ", below = "│  ", below_last = "   " }
local ascii_branches <const> =
  { child = "|- ", last = "`- ", below = "|  ", below_last = "   " }

-- The number of columns before the connecting lines, and the format of a row. A mark
-- follows the total of a node whose time is mostly guessed.
local TAKEN <const>, ROW <const> = 27, "%6.1f %9.2f%s%8.2f  %s%s%s\n"

-- Returns the numbers of the functions that are requested as roots; nil if none are.
local function requested_roots(profile, options)
  if not options.tree_roots then return nil end
  local ids, seen = {}, {}
  for _, spec in ipairs(options.tree_roots) do
    local found = { profile:find(spec) }
    if not found[1] and options.missed then options.missed(spec) end
    for _, f in ipairs(found) do
      if not seen[f] then ids[#ids + 1], seen[f] = f.id, true end
    end
  end
  return ids
end

-- Makes the state shared by the functions that write lines.
local function page_of(profile, tree, options, write)
  local bar = layout.bar_length(options, TAKEN)
  return {
    profile = profile, tree = tree, options = options, write = write,
    labels = labels.of(profile, options),
    only_inlined = inlined_code.only_inlined(profile),
    branches = terminal.is_utf8() and utf8_branches or ascii_branches,
    draw = bar and layout.drawer(bar) or function() return "" end,
    gap = bar and bar + 1 or 0,
    paint = options.color and require "gprof.print.color".painter(profile.total_ticks),
  }
end

-- Returns a text, or the label of the function with this number, which is shortened.
local function fitting(page, label, taken)
  if type(label) == "string" then return label end
  local columns = layout.room(page.options, taken)
  return columns and page.labels(label, columns) or page.labels[label]
end

-- Writes a line. The label of a function may be shortened, the suffix after it may not.
local function write_line(page, before, node, label, suffix)
  local percent, parts = 100 * node.weight / page.tree.all, page.tree.parts
  local bar = page.draw(percent)
  local row = page.paint and page.paint(ROW, percent, true, false) or ROW
  local taken = TAKEN + page.gap + utf8.len(before) + #suffix
  page.write(row, percent, node.weight / parts, node.is_guess and "?" or " ",
    node.self / parts, bar .. (bar ~= "" and " " or ""),
    before, fitting(page, label, taken) .. suffix)
end

local function write_node(page, node, before)
  local name, self_calls, is_cycle =
    page.profile:get(node.id, "name", "self_calls", "is_cycle")
  if is_cycle then
    write_line(page, before, node, "", name .. " as a whole")
  else
    local is_inlined = node.parent.id and page.only_inlined and
      page.only_inlined(node.parent.id, node.id)
    write_line(page, before, node, node.id,
      is_inlined and " (inlined)" or self_calls > 0 and " (recursive)" or "")
  end
end

-- Writes the subtrees of a node's children. `before` is what precedes the node's own
-- connecting line. Children of the root have no connecting line.
local function write_children(page, node, before)
  local branches, count = page.branches, #node.children
  local has_rest = node.rest > page.least
  local function branch(is_last, inner, last)
    return node.parent and before .. branches[is_last and last or inner] or ""
  end
  for i, child in ipairs(node.children) do
    local is_last = i == count and not has_rest
    write_node(page, child, branch(is_last, "child", "last"))
    write_children(page, child, branch(is_last, "below", "below_last"))
  end
  if has_rest then  -- counts the children that are not shown
    local what = node.parent and "callee" or "root"
    write_line(page, branch(true, "child", "last"), { weight = node.rest, self = 0 },
      ("(%s not shown)"):format(wording.plural(node.hidden, what)), "")
  end
end

local function write_heading(profile, options, guessed, gap, write)
  local sentence, unit = guesses.sentence(guessed), profile.unit
  write(common.heading(options, profile.exact and "Call tree (measured)\n\n" or
    "Call tree (estimated from the call graph)\n\n"))
  if sentence then write("%s\n\n", sentence) end
  common.write_path_share(profile, write, "\n")
  common.write_threads(profile, write, "\n")
  if profile.total_ticks <= 0 then write " no time accumulated\n\n" end
  write(common.heading(options, "%6s %9s %8s\n"), "%  ", "total  ", "self  ")
  write(common.heading(options, "%6s %9s %8s  %sname\n"), "time", unit, unit,
    (" "):rep(gap))
end

--- Prints the report.
-- @tparam profile profile with a histogram; a profile by line is converted to functions
-- @tparam table options `tree_roots`: array of symspecs of root functions; `tree_depth`:
--   the largest number of levels; `tree_threshold`: lines with a smaller percentage of
--   the total time are omitted (default 1); `brief`: no explanation; `inline_file_names`,
--   `print_path`; `color`; `terminal_width`: the length of lines, for shortened names and
--   bars; `full_names`: do not shorten names
-- @tparam stream write
return function(profile, options, write)
  if not profile.rate then
    error("a call tree needs a histogram, which this profile lacks", 0)
  end
  profile = profile:by_function(true)
  local least = (options.tree_threshold or LEAST) / 100
  local tree = call_tree.of(profile, { from = requested_roots(profile, options),
    least = least, depth = options.tree_depth })
  local page = page_of(profile, tree, options, write)
  page.least = least * tree.all
  write_heading(profile, options, tree.guessed, page.gap, write)
  if tree.all > 0 then write_children(page, tree.root, "") end
  if not options.brief then
    write(require "gprof.print.explain".times("tree", profile))
  end
end
