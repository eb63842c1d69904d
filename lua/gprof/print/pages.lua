--- The styles of output: which of them stand, what they need, and in what order and how
-- separated their pages are printed. Reports that are asked for by name come behind them.
--
-- @internal gprof.print.pages
-- SPDX-License-Identifier: GPL-3.0-or-later

local styles = {}

-- Styles that need records of some kind: the field of data that says whether there are
-- any, and what to say if there are none. Those that stand by default do so if there are.
local needs = {
  { style = "flat", default = true, field = "has_histogram",
    lack = "has no histogram: a flat profile cannot be made from it" },
  { style = "graph", default = true, field = "has_arcs",
    lack =
      "has no arcs: a call graph cannot be made from it (was the program compiled " ..
      "with -pg?)" },
  { style = "tree", field = "has_histogram",
    lack = "has no histogram: a tree of calls cannot be made from it" },
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
  { style = "tree", report = "call_tree" },
  { style = "verify", report = "verify" },
  { style = "comparison", report = "comparison" },
  { style = "executions", report = "executions" },
  { style = "annotation", report = "annotation", joined = true },
  { style = "function_order", report = "function_order", joined = true },
  { style = "file_order", report = "file_order", joined = true },
}

--- Decides which styles stand: those asked for; if none is left, those that there are
-- records for, but for those taken away; execution counts if there are no records.
-- @tparam {[string]=boolean} wanted by style: asked for (true) or taken away (false)
-- @tparam data data
-- @tparam {table,...} extra reports asked for by name: if there are any, no other style
--   stands by itself
-- @treturn {[string]=boolean} by style
function styles.choose(wanted, data, extra)
  if extra[1] then return wanted end
  for _, stands in pairs(wanted) do
    if stands then return wanted end
  end
  local chosen, recorded = {}, false
  for _, need in ipairs(needs) do
    chosen[need.style] =
      need.default and wanted[need.style] == nil and data[need.field]
    recorded = recorded or data[need.field]
  end
  chosen.executions = not recorded and wanted.executions == nil
  return chosen
end

-- The page that is printed by one of our own reports, by the report's name.
local function find_page(report)
  for _, page in ipairs(pages) do
    if report == page.report or report == page.gnu or report == page.bsd then
      return page
    end
  end
end

--- Tells whether a report is one of our own.
-- @param name
-- @treturn boolean
function styles.is_own(name)
  return find_page(name) ~= nil
end

--- The names of our own reports.
-- @treturn {string,...}
function styles.reports()
  local names = {}
  for _, page in ipairs(pages) do
    names[#names + 1] = page.report or page.gnu
    names[#names + 1] = page.bsd
  end
  table.sort(names)
  return names
end

--- What is printed, by whatever means it was asked for.
-- @tparam {[string]=boolean} chosen
-- @tparam {table,...} extra reports asked for by name
-- @treturn {[string]=boolean} by style; a report that is none of ours stands for itself
function styles.printed(chosen, extra)
  local printed = {}
  for style, stands in pairs(chosen) do printed[style] = stands end
  for _, report in ipairs(extra) do
    local page = find_page(report.name)
    printed[page and page.style or report.name] = true
  end
  return printed
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

-- All pages that stand, in print order: `name` of the report; `print`, the function, of
-- those asked for by name; `joined`.
local function list_pages(chosen, options)
  local list, look = {}, options.traditional and "bsd" or "gnu"
  for _, page in ipairs(pages) do
    local name = page.report or page[look]
    if name and chosen[page.style] then
      list[#list + 1] = { name = name, joined = page.joined }
    end
  end
  for _, report in ipairs(options.reports) do
    local own = find_page(report.name)
    list[#list + 1] = {
      name = report.name, print = report.print, joined = own and own.joined }
  end
  return list
end

--- Prints the pages of all styles that stand, and the reports asked for by name.
-- @tparam {[string]=boolean} chosen
-- @tparam profile profile
-- @tparam table options of the reports; `traditional`: in the style of BSD; `reports`:
--   array of those asked for, each with `name` and `print`, the function
-- @tparam stream write
-- @raise a table with the field `message`, if a report that was asked for by name fails
function styles.print(chosen, profile, options, write)
  for i, page in ipairs(list_pages(chosen, options)) do
    options.continued = i > 1
    if options.continued and not page.joined then write("\f\n") end
    if page.print then
      require "gprof.reports".print(page, profile, options, write)
    else
      require("gprof.report." .. page.name)(profile, options, write)
    end
  end
end

return styles
