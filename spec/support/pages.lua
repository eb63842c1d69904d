-- Writes pages with `--html` and splits them into parts.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local program = require "support.program"
local packed = require "support.packed"
local shell = require "support.shell"

local pages = {}

--- A program whose function names need escaping in HTML.
pages.names = { functions = table.move(exported.names.functions, 1, #exported.names.functions, 1, {}),
  ticks = {}, calls = {} }
for _, name in ipairs {
  "</script><b>bold", "<!--<script>", "]]>", "line\u{2028}end\u{2029}", "turned\u{202E}around", "!tree", "top", "%41",
  "&lt;", "${x}`y`", "constructor", "__proto__", "\xff</title>", ("long<"):rep(100),
} do
  table.insert(pages.names.functions, name)
end
for i, name in ipairs(pages.names.functions) do
  pages.names.ticks[name] = i
  if i > 1 then pages.names.calls[i - 1] = { "main", name, i } end
end

--- Ten thousand functions with long names and three callers each.
-- @treturn table as for `crafted`
function pages.many()
  local plan = { functions = {}, ticks = {}, calls = {} }
  for i = 1, 10000 do
    local name = ("module_%d::Class%d::method_%d(int, char const*)"):format(i % 97, i % 613, i)
    plan.functions[i], plan.ticks[name] = name, i * 7919 % 5
    for step = 1, i > 1 and 3 or 0 do
      plan.calls[#plan.calls + 1] = { plan.functions[1 + (i * 31 + step * 17) % ((i + 2) // 3)], name, i * step }
    end
  end
  return plan
end

--- Writes a page.
-- @tparam string image path
-- @tparam string profile path
-- @param ... further arguments
-- @treturn string the page
-- @treturn string its path
function pages.write(image, profile, ...)
  local path = shell.tmpdir "page" .. "/page.html"
  local result = program.run { "--html=" .. path, image, profile, ... }
  assert(result.status == 0 and result.stderr == "", result.stderr)
  return shell.read(path), path
end

local written <const> = {} -- arrays of a page and its path, by plan and arguments

--- Writes the page of a crafted program (see `support.crafted`), once for the same plan and arguments.
-- @tparam table plan must not change
-- @param ... further arguments
-- @treturn string
-- @treturn string
function pages.crafted(plan, ...)
  local arguments = table.concat({ ... }, "\0")
  written[plan] = written[plan] or {}
  local found = written[plan][arguments]
  if not found then
    found = { pages.write(crafted.image(plan), crafted.gmon(plan), ...) }
    written[plan][arguments] = found
  end
  return table.unpack(found)
end

local STATUS <const> = { [0] = "both", "new", "gone" }

-- Decodes the data of a page. In the comparison, numbers stand for names and for statuses.
local function decode(json)
  local data = packed.read(assert(dkjson.decode(json)))
  local comparison = data.comparison
  for i, name in ipairs(comparison and comparison.name or {}) do
    comparison.name[i] = type(name) == "number" and data.functions.name[name + 1] or name
    comparison.status[i] = STATUS[comparison.status[i]]
  end
  return data
end

--- Splits a page.
-- @tparam string page
-- @treturn table `policy`; `style`; `markup`, the static content; `data`, decoded; `script`
function pages.parts(page)
  local head, style, markup, data, script = page:match(
    '^(.-)<style>(.-)</style>\n</head>\n(<body>.-)<script type="application/json" id="data">(.-)</script>\n' ..
    "<script>(.-)</script>\n</body>\n</html>\n$")
  assert(head, "the page lacks a part, or its parts are in another order")
  return { head = head, policy = head:match 'http%-equiv="Content%-Security%-Policy" content="([^"]*)"', style = style,
    markup = markup, json = data, data = decode(data), script = script }
end

--- Returns the decoded data of an element of a page.
-- @tparam string page
-- @tparam string id "other", "thread-0" ...
-- @treturn table|nil
function pages.element(page, id)
  local json = page:match('<script type="application/json" id="' .. id:gsub("%-", "%%-") .. '">(.-)</script>')
  return json and packed.read(assert(dkjson.decode(json)))
end

return pages
