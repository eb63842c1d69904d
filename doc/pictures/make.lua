-- Makes the pictures of the README from the sample program's profile, by `make pictures`:
-- terminal.svg, a flat profile as a terminal shows it, and page.png, the page for browsers.
-- Needs script(1), Chromium and Node.
-- SPDX-License-Identifier: GPL-3.0-or-later

local demo = ...  -- the directory of the sample program and its profile
local here <const> = arg[0]:match "^(.*)/" or "."

-- A character cell of the terminal, in pixels.
local WIDTH <const>, HEIGHT <const>, MARGIN <const> = 8.43, 18, 14
local COLUMNS <const>, ROWS <const> = 100, 40
local FOREGROUND <const>, BACKGROUND <const> = "#d8dee9", "#1e222a"

-- Colours of ECMA-48's "select graphic rendition".
local colors <const> = { ["31"] = "#e06c75", ["33"] = "#e5c07b", ["32"] = "#98c379", ["34"] = "#61afef",
  ["35"] = "#c678dd", ["36"] = "#56b6c2", ["2"] = "#7f8896", ["90"] = "#7f8896" }

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), command)
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local function xml(text)
  return (text:gsub("[&<>]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;" }))
end

-- A line of the terminal as SVG: one tspan for each run of characters with the same look.
local function svg_line(line, row)
  local column, spans = 0, {}
  local style = ""
  local function add(text)
    if text == "" then return end
    if text:find "%S" then
      spans[#spans + 1] = ('<tspan x="%.1f"%s>%s</tspan>'):format(MARGIN + column * WIDTH, style, xml(text))
    end
    column = column + utf8.len(text)
  end
  local position = 1
  for start, codes, rest in line:gmatch "()\27%[([%d;]*)m()" do
    add(line:sub(position, start - 1))
    style, position = "", rest
    for code in codes:gmatch "%d+" do
      if code == "1" then style = style .. ' font-weight="bold"' end
      if colors[code] then style = style .. (' fill="%s"'):format(colors[code]) end
    end
  end
  add(line:sub(position))
  return ('<text y="%.0f" xml:space="preserve">%s</text>'):format(MARGIN + row * HEIGHT - 4,
    table.concat(spans))
end

local function terminal_svg(text)
  local lines, row = {}, 0
  for line in text:gsub("\r", ""):gmatch "([^\n]*)\n" do
    row = row + 1
    lines[#lines + 1] = svg_line(line, row)
  end
  return ([[
<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="DejaVu Sans Mono, Menlo, monospace"
 font-size="14" fill="%s">
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
%s
</svg>
]]):format(2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + row * HEIGHT, FOREGROUND, BACKGROUND,
    table.concat(lines, "\n"))
end

-- Both run where the sample program is, so that paths are short.
local gprof <const> = "lua5.4 \"$OLDPWD/gprof.lua\" "
local options <const> = "--color -b -p --top=8 sample"
local terminal <const> = ("stty cols %d rows %d; " .. gprof .. options):format(COLUMNS, ROWS)
write(here .. "/terminal.svg", terminal_svg("$ gprof.lua " .. options .. "\n" .. output_of(
  ("cd %s && TERM=xterm-256color script -qec '%s' /dev/null </dev/null"):format(demo, terminal))))

output_of(("cd %s && " .. gprof .. "--html=page.html sample"):format(demo))
-- Chromium's own --screenshot may come before the page is drawn.
write(demo .. "/visits.json", ('[["%s/page.html", [["size", 1280, 720], ["shot", "%s/page.png"]]]]'):format(demo, here))
output_of("node spec/readers/page.js chromium " .. demo .. "/visits.json")
