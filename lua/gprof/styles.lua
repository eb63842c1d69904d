--- The styles of output: which of them stand, what they need, and in what order and how
-- separated their pages are printed.
--
-- @module gprof.styles
-- SPDX-License-Identifier: GPL-3.0-or-later

local styles = {}

-- Styles that need records of some kind, which are also those that stand by default: the
-- field of data that says whether there are any, and what to say if there are none.
local needs = {
  { style = "flat", field = "has_histogram",
    lack = "has no histogram: a flat profile cannot be made from it" },
  { style = "graph", field = "has_arcs",
    lack = "has no arcs: a call graph cannot be made from it (was the program compiled " ..
      "with -pg?)" },
}

-- All pages in print order: the style that each belongs to, and the report that prints
-- it, or one for each look; a page without a report for some look is left out there. A
-- form feed goes before each page but the first; before one that is `joined`, nothing.
local pages = {
  { style = "info", report = "info" },
  { style = "graph", bsd = "bsd.graph" },
  { style = "flat", gnu = "flat", bsd = "bsd.flat" },
  { style = "graph", gnu = "graph" },
  { style = "graph", gnu = "index", bsd = "bsd.index" },
  { style = "executions", report = "executions" },
  { style = "annotation", report = "annotation", joined = true },
  { style = "function_order", report = "function_order", joined = true },
  { style = "file_order", report = "file_order", joined = true },
}

--- Decides which styles stand: those asked for; if none is left, those that there are
-- records for, but for those taken away; execution counts if there are no records.
-- @tparam {[string]=boolean} wanted by style: asked for (true) or taken away (false)
-- @tparam data data
-- @treturn {[string]=boolean} by style
function styles.choose(wanted, data)
  for _, stands in pairs(wanted) do
    if stands then return wanted end
  end
  local chosen, recorded = {}, false
  for _, need in ipairs(needs) do
    chosen[need.style] = wanted[need.style] == nil and data[need.field]
    recorded = recorded or data[need.field]
  end
  chosen.executions = not recorded and wanted.executions == nil
  return chosen
end

--- Looks for a style whose records are missing.
-- @tparam {[string]=boolean} chosen
-- @tparam data data
-- @treturn string|nil what the profile lacks, for a message: "has no ..."
function styles.lack(chosen, data)
  for _, need in ipairs(needs) do
    if chosen[need.style] and not data[need.field] then return need.lack end
  end
end

--- Tells whether any style is about functions, and not just about files or records.
-- @tparam {[string]=boolean} chosen
-- @treturn boolean
function styles.about_functions(chosen)
  for style, stands in pairs(chosen) do
    if stands and style ~= "info" and style ~= "sum" then return true end
  end
  return false
end

--- Prints the pages of all styles that stand.
-- @tparam {[string]=boolean} chosen
-- @tparam profile profile
-- @tparam table options of the reports; `traditional`: in the style of BSD
-- @tparam stream write
function styles.print(chosen, profile, options, write)
  local look, first = options.traditional and "bsd" or "gnu", true
  for _, page in ipairs(pages) do
    local report = page.report or page[look]
    if report and chosen[page.style] then
      if not (first or page.joined) then write("\f\n") end
      options.continued = not first
      require("gprof.report." .. report)(profile, options, write)
      first = false
    end
  end
end

return styles
