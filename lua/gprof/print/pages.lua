--- The pages of the program's output: which styles are selected, which records they need,
-- and in what order their pages are printed. Reports that the user names come last.
--
-- @internal gprof.print.pages
-- SPDX-License-Identifier: GPL-3.0-or-later

local pages = {}

-- Styles that need records of some kind: the field of data that says whether there are
-- any, and the message if there are none. Default styles are selected only if there are.
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
-- it, or one for each look; a look without a report leaves the page out. A form feed
-- separates pages, except before one that is `joined`.
local page_order = {
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

--- Selects styles: those requested; without any, the default ones that there are records
-- for and that are not suppressed, or execution counts if there are no records.
-- @tparam {[string]=boolean} wanted by style: requested (true) or suppressed (false)
-- @tparam data data
-- @tparam {table,...} extra reports requested by name: if there are any, no style is
--   selected by default
-- @treturn {[string]=boolean} by style
function pages.choose(wanted, data, extra)
  if extra[1] then return wanted end
  for _, requested in pairs(wanted) do
    if requested then return wanted end
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

-- The page that a report prints; nil for users' reports.
local function find_page(report)
  for _, page in ipairs(page_order) do
    if report == page.report or report == page.gnu or report == page.bsd then
      return page
    end
  end
end

--- All that is printed, whether selected as a style or as a report.
-- @tparam {[string]=boolean} chosen
-- @tparam {table,...} extra reports requested by name
-- @treturn {[string]=boolean} by style; users' reports by their own names
function pages.printed(chosen, extra)
  local printed = {}
  for style, is_chosen in pairs(chosen) do printed[style] = is_chosen end
  for _, report in ipairs(extra) do
    local page = find_page(report.name)
    printed[page and page.style or report.name] = true
  end
  return printed
end

--- Looks for a selected style whose records are missing.
-- @tparam {[string]=boolean} chosen
-- @tparam data data
-- @treturn string|nil what the profile lacks, for a message: "has no ..."
function pages.lack(chosen, data)
  for _, need in ipairs(needs) do
    if chosen[need.style] and not data[need.field] then return need.lack end
  end
end

--- Tells whether any style shows functions, not just files or records.
-- @tparam {[string]=boolean} chosen
-- @treturn boolean
function pages.about_functions(chosen)
  for style, is_chosen in pairs(chosen) do
    if is_chosen and style ~= "info" and style ~= "sum" then return true end
  end
  return false
end

-- All pages to print, in order: `name` of the report; `print`, its function, if it was
-- requested by name; `joined`.
local function list_pages(chosen, options)
  local list, look = {}, options.traditional and "bsd" or "gnu"
  for _, page in ipairs(page_order) do
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

--- Prints the pages of all selected styles, and the reports requested by name.
-- @tparam {[string]=boolean} chosen
-- @tparam profile profile
-- @tparam table options of the reports; `traditional`: in the style of BSD; `reports`:
--   array of those requested, each with `name` and `print`, the function
-- @tparam stream write
-- @raise a table with the field `message`, if a report that was requested by name fails
function pages.print(chosen, profile, options, write)
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

return pages
