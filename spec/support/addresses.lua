-- Source lines of addresses, from addr2line and from this library, to compare both.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local addresses = {}

--- Looks up the source lines of all addresses of a range with addr2line.
-- @tparam string image path
-- @tparam integer first
-- @tparam integer last
-- @tparam[opt=""] string tools prefix of addr2line's name
-- @treturn {string,...} "FILE:LINE FUNCTION" for each address, or "-" if the file or the line is unknown
function addresses.addr2line(image, first, last, tools)
  local list, answers = {}, {}
  for address = first, last do
    table.insert(list, ("%x\n"):format(address))
  end
  local input = shell.write(shell.tmpdir() .. "/addresses", table.concat(list))
  local output = shell.check({ (tools or "") .. "addr2line", "-f", "-e", image },
    { stdin = input, env = { LC_ALL = "C" } }).stdout
  for name, file, line in output:gmatch("([^\n]+)\n([^\n]*):(%S+)[^\n]*\n") do
    local known = name ~= "??" and file ~= "??" and file ~= "" and (tonumber(line) or 0) > 0
    table.insert(answers, known and ("%s:%d %s"):format(file, line, name) or "-")
  end
  return answers
end

--- A script that prints the same list as `addr2line`, from this library. Its arguments are the image and the addresses.
addresses.script = [[
  local image = assert(require "gprof".image(arg[1]))
  for address = math.tointeger(arg[2]), math.tointeger(arg[3]) do
    local file, line, name = image:source(address, true)
    print(file and ("%s:%d %s"):format(file, line, name or "??") or "-")
  end
  image:close()
]]

--- Options for `launch.script` that turn off leak detection. libbfd 2.40 leaks the sections .debug_rnglists and
-- .debug_addr, and truncated sections. Scripts that read such images run in processes of their own, so that leaks
-- elsewhere are still found.
addresses.excused = { env = { ASAN_OPTIONS = "detect_leaks=0" } }

return addresses
