--- The pages of the program's output: which styles are selected, which records they need,
-- and the order in which they are printed. Reports requested by name come last.
--
-- @internal gprof.print.pages
-- SPDX-License-Identifier: GPL-3.0-or-later

local pages = {}

-- Styles that need records. `field` is the data's field that says whether it has these
-- records; `lack` is the message if it has none. Default styles are selected only if
-- there are records.
local needs = {
  { style = "flat", default = true, field = "has_histogram",
    lack = "has no histogram, which a flat profile needs" },
  { style = "graph", default = true, field = "has_call_graph",
    lack = "has no arcs, which a call graph needs (was the program compiled with -pg?)" },
  { style = "tree", field = "has_histogram",
    lack = "has no histogram, which a call tree needs" },
  { style = "objects", field = "has_histogram",
    lack = "has no histogram, which times of objects need" },
  { style = "lines", field = "has_histogram",
    lack = "has no histogram, which times of lines need" },
}

-- All pages in print order, each with its style and the report that prints it: `report`,
-- or `gnu` and `bsd` if the layouts differ. A layout without a report omits the page. A
-- form feed separates pages, except before a page that is `joined`.
local page_order = {
  { style = "info", report = "info" },
  { style = "graph", bsd = "bsd.graph" },
  { style = "flat", gnu = "flat", bsd = "bsd.flat" },
  { style = "graph", gnu = "graph" },
  { style = "graph", gnu = "index", bsd = "bsd.index" },
  { style = "tree", report = "call_tree" },
  { style = "lines", report = "lines" },
  { style = "spread", report = "spread" },
  { style = "objects", report = "objects" },
  { style = "threads", report = "threads" },
  { style = "verify", report = "verify" },
  { style = "comparison", report = "comparison" },
  { style = "executions", report = "executions" },
  { style = "annotation", report = "annotation", joined = true },
  { style = "function_order", report = "function_order", joined = true },
  { style = "file_order", report = "file_order", joined = true },
}

--- Selects styles: those requested or, if there are none, the default styles that have
-- records and are not suppressed. If no style has records, selects execution counts.
-- @tparam {[string]=boolean} wanted for each style, true if it is requested, false if it
--   is suppressed
-- @tparam data data
-- @tparam {table,...} extra reports requested by name; if there are any, no default
--   styles are selected
-- @treturn {[string]=boolean} the selected styles
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

-- Returns the page that a report prints; nil for custom reports.
local function find_page(report)
  for _, page in ipairs(page_order) do
    if report == page.report or report == page.gnu or report == page.bsd then
      return page
    end
  end
end

--- Returns the set of everything that is printed: selected styles, and reports requested
-- by name.
-- @tparam {[string]=boolean} chosen
-- @tparam {table,...} extra reports requested by name
-- @treturn {[string]=boolean} a set of styles, and of the names of custom reports
function pages.printed(chosen, extra)
  local printed = {}
  for style, is_chosen in pairs(chosen) do printed[style] = is_chosen end
  for _, report in ipairs(extra) do
    local page = find_page(report.name)
    printed[page and page.style or report.name] = true
  end
  return printed
end

--- Checks whether the data lacks the records of a selected style.
-- @tparam {[string]=boolean} chosen
-- @tparam data data
-- @treturn string|nil the rest of a message after the profile's name: "has no ..."
function pages.lack(chosen, data)
  for _, need in ipairs(needs) do
    if chosen[need.style] and not data[need.field] then return need.lack end
  end
end

--- Returns whether any style shows functions, not just files or records.
-- @tparam {[string]=boolean} chosen
-- @treturn boolean
function pages.about_functions(chosen)
  for style, is_chosen in pairs(chosen) do
    if is_chosen and style ~= "info" and style ~= "sum" then return true end
  end
  return false
end

-- Styles without times of callees. A flat profile by line has none, either.
local without_callees <const> = {
  info = true, sum = true, verify = true, executions = true, annotation = true,
  function_order = true, file_order = true, objects = true, threads = true, lines = true,
  spread = true,
}

--- Returns whether any style shows times of callees. Custom reports may show them.
-- @tparam {[string]=boolean} printed as `pages.printed` returns it
-- @tparam boolean by_line whether the profile is by line
-- @treturn boolean
function pages.show_callees(printed, by_line)
  for style, is_printed in pairs(printed) do
    local lacks = without_callees[style] or by_line and style == "flat"
    if is_printed and not lacks then return true end
  end
  return false
end

-- Returns all pages to print, in order: `name` of the report; `print`, its function, only
-- if it was requested by name; `joined`.
local function list_pages(chosen, reports, options)
  local list, layout = {}, options.traditional and "bsd" or "gnu"
  for _, page in ipairs(page_order) do
    local name = page.report or page[layout]
    if name and chosen[page.style] then
      list[#list + 1] = { name = name, joined = page.joined }
    end
  end
  for _, report in ipairs(reports) do
    local own = find_page(report.name)
    list[#list + 1] = {
      name = report.name, print = report.print, joined = own and own.joined }
  end
  return list
end

--- Prints the pages of all selected styles, and the reports requested by name.
-- @tparam {[string]=boolean} chosen
-- @tparam {table,...} reports those requested by name, each with `name` and its function
--   `print`
-- @tparam profile profile
-- @tparam table options of the reports; `traditional`: BSD's style
-- @tparam stream write
-- @raise a table with the field `message`, if a report that was requested by name fails
function pages.print(chosen, reports, profile, options, write)
  for i, page in ipairs(list_pages(chosen, reports, options)) do
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
