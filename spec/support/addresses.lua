-- What is known of the source of addresses: by addr2line, which asks libbfd, and by an image of ours.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local addresses = {}

--- What addr2line says of addresses.
-- @tparam string image path
-- @tparam integer first
-- @tparam integer last
-- @tparam[opt=""] string tools prefix of its name
-- @treturn {string,...} "FILE:LINE FUNCTION" of each, or "-" where something of that is unknown
function addresses.addr2line(image, first, last, tools)
  local list, answers = {}, {}
  for address = first, last do
    table.insert(list, ("%x\n"):format(address))
  end
  local input = shell.write(shell.tmpdir() .. "/addresses", table.concat(list))
  local said = shell.check({ (tools or "") .. "addr2line", "-f", "-e", image },
    { stdin = input, env = { LC_ALL = "C" } }).stdout
  for name, file, line in said:gmatch("([^\n]+)\n([^\n]*):(%S+)[^\n]*\n") do
    local known = name ~= "??" and file ~= "??" and file ~= "" and (tonumber(line) or 0) > 0
    table.insert(answers, known and ("%s:%d %s"):format(file, line, name) or "-")
  end
  return answers
end

--- A script that prints the same, as the library has it: its arguments are the image and both addresses.
addresses.script = [[
  local image = assert(require "gprof".image(arg[1]))
  for address = math.tointeger(arg[2]), math.tointeger(arg[3]) do
    local file, line, name = image:source(address, true)
    print(file and ("%s:%d %s"):format(file, line, name or "??") or "-")
  end
  image:close()
]]

--- libbfd 2.40 never frees some sections of debugging information (.debug_rnglists, .debug_addr), nor what it has
-- read of those that break off. So that no leak of ours is excused by that, scripts that look into such images have
-- processes of their own, with this.
addresses.excused = { env = { ASAN_OPTIONS = "detect_leaks=0" } }

return addresses
