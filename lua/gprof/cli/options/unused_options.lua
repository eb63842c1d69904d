--- Warns about options that have no effect, because nothing that they change is printed.
--
-- @internal gprof.cli.options.unused_options
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options.option_table"
local wording = require "gprof.format.wording"

local unused_options = {}

-- Maps each setting to the styles and exports that it changes, separated by blanks.
local changes <const> = {
  separate_files = "annotation", all_lines = "annotation", table_length = "annotation",
  min_count = "annotation executions", errors = "flat lines",
  bounds = "flat graph json html", top = "flat graph comparison spread",
  sort = "flat comparison spread", tree_depth = "tree", tree_threshold = "tree",
  order_format = "function_order", node_threshold = "dot svg", edge_threshold = "dot svg",
}

-- Maps each of these styles and exports to the option that requests it.
local requests <const> = {
  annotation = "-A (--annotated-source)", executions = "-C (--exec-counts)",
  flat = "-p (--flat-profile)", graph = "-q (--graph)", comparison = "--compare",
  function_order = "-r (--function-ordering)", tree = "--tree", lines = "--lines",
  spread = "--spread",
  json = "--export=json", dot = "--export=dot", svg = "--export=svg", html = "--html",
}

-- Returns the options that would make an option useful: "-p, -q or --compare"; nil if it
-- has an effect.
local function needed(settings, printed, what)
  local words, written = {}, {}
  for _, export in ipairs(settings.exports) do written[export.kind] = true end
  for style in what:gmatch "%S+" do
    if printed[style] or written[style] then return nil end
    words[#words + 1] = requests[style]
  end
  return wording.all(words, "or")
end

--- Warns about each option that has no effect.
-- @tparam table settings
-- @tparam {[string]=boolean} printed what is printed, from `pages.printed`
-- @tparam function warn takes a message
function unused_options.warn(settings, printed, warn)
  local messages = {}
  for setting, what in pairs(changes) do
    local needs = settings[setting] and needed(settings, printed, what)
    if needs then
      messages[#messages + 1] = ("option %s has no effect without %s"):format(
        options.name_of(setting), needs)
    end
  end
  table.sort(messages)
  for _, message in ipairs(messages) do warn(message) end
end

return unused_options
