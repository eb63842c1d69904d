--- Markdown tables with aligned columns.
--
-- @module bench.markdown
-- SPDX-License-Identifier: GPL-3.0-or-later

local markdown = {}

--- Formats a table.
-- @tparam {{string,...},...} lines the first one has the headings
-- @tparam[opt] table left set of left-aligned columns, `{ [1] = true }` by default; the others are right-aligned
-- @treturn string
function markdown.table(lines, left)
  left = left or { true }
  local widths, out = {}, {}
  for _, line in ipairs(lines) do
    for i, cell in ipairs(line) do widths[i] = math.max(widths[i] or 3, utf8.len(cell)) end
  end
  for number, line in ipairs(lines) do
    local cells, rule = {}, {}
    for i, width in ipairs(widths) do
      local blanks = (" "):rep(width - utf8.len(line[i]))
      cells[i] = left[i] and line[i] .. blanks or blanks .. line[i]
      rule[i] = left[i] and ("-"):rep(width) or ("-"):rep(width - 1) .. ":"
    end
    out[#out + 1] = "| " .. table.concat(cells, " | ") .. " |\n"
    if number == 1 then out[#out + 1] = "| " .. table.concat(rule, " | ") .. " |\n" end
  end
  return table.concat(out)
end

--- Formats a number with about three digits.
function markdown.number(value)
  if value < 1 then return ("%.3f"):format(value) end
  if value < 10 then return ("%.2f"):format(value) end
  return (value < 100 and "%.1f" or "%.0f"):format(value)
end

return markdown
