-- Makes up symspecs and symbol files for an image, reproducibly by the seed of math.random.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local shell = require "support.shell"

local symspecs = {}

local random <const>, pick <const> = math.random, chance.pick

--- Collects parts for symspecs: names of an image's functions, source files and lines, and names that match nothing.
-- @tparam string image path
-- @treturn table
function symspecs.vocabulary(image)
  local words = { names = { "no_such", "_mcount", "main", "" }, files = { "no_such.c", "", "." },
    lines = { "0", "1", "07", "12x", "4294967297" } }
  for _, symbol in ipairs(build.symbols(image)) do
    if symbol.type:find "[tTW]" then table.insert(words.names, symbol.name) end
  end
  for path, line in shell.check({ "nm", "-l", image }).stdout:gmatch "\t([^\n]-):(%d+)\n" do
    table.insert(words.files, random(8) == 1 and path or path:match "[^/]*$")
    table.insert(words.lines, math.tointeger(line + random(0, 1)))
  end
  return words
end

local marks <const> = { ":", "::", ".", "/", ",", "*", "-", "_", " ", "?" }

-- Returns one side of a symspec.
local function some_half(words)
  local kind = random(20)
  if kind <= 10 then return pick(words.names) end
  if kind <= 12 then return pick(words.files) end
  if kind <= 13 then return pick(words.files) .. ":" end
  if kind <= 15 then return pick(words.files) .. ":" .. pick(words.names) end
  if kind <= 16 then return pick(words.files) .. ":" .. pick(words.lines) end
  if kind <= 17 then return (random(2) == 1 and ":" or "") .. pick(words.lines) end
  if kind <= 18 then return ":" .. pick(words.names) end
  if kind <= 19 then return "" end
  return pick(words.names) .. pick(marks) .. pick(words.names)
end

--- Makes up a symspec.
-- @tparam table words as `vocabulary` returns them
-- @tparam[opt] boolean arcs whether it is likely to be FROM/TO
-- @treturn string
function symspecs.pick(words, arcs)
  if random(30) == 1 then return pick(marks) .. pick(marks) end
  if random(8) < (arcs and 7 or 2) then
    return some_half(words) .. "/" .. some_half(words)
  end
  return some_half(words)
end

--- Writes a symbol file: a random selection of the image's symbols, and one symbol past the end of the code, where
-- there are no samples.
-- @tparam string image path
-- @tparam string path of the file
-- @treturn string the path
function symspecs.symbol_file(image, path)
  local symbols, lines = build.symbols(image), {}
  for _, symbol in ipairs(symbols) do
    if random(4) > 1 then
      lines[#lines + 1] = ("%016x %s %s\n"):format(symbol.address, symbol.type, symbol.name)
    end
  end
  lines[#lines + 1] = ("%016x T behind_it_all\n"):format(2 * symbols[#symbols].address)
  return shell.write(path, table.concat(lines))
end

return symspecs
