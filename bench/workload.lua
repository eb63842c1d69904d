--- Real programs of Debian as benchmarks run them: their sources, and inputs that are always the same.
--
-- @module bench.workload
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local quote = shell.quote

local workload = {}

--- Writes the inputs: "text"; "part", its beginning; and "script.lua".
-- @tparam string dir
-- @tparam integer lines of "text"
-- @tparam integer size of "part" in bytes
function workload.write(dir, lines, size)
  local list = {}
  math.randomseed(1)
  for i = 1, lines do
    list[i] = ("%s %d %x\n"):format(("word"):rep(math.random(3)), math.random(1000), math.random(1 << 20))
  end
  local text = table.concat(list)
  shell.write(dir .. "/text", text)
  shell.write(dir .. "/part", text:sub(1, size))
  shell.write(dir .. "/script.lua", [[
    local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
    for _ = 1, arg[1] do
      local t, s = {}, 0
      for i = 1, 60000 do t[i] = (i * 7919) % 60013 end
      table.sort(t, function(a, b) return a < b end)
      for i = 1, 60000 do s = s + #tostring(t[i]):rep(3):gsub("1", "one") end
      print(s, fib(22))
    end
  ]])
end

--- Returns the directory of a source package. If it is not in `dir` yet, fetches it.
-- @tparam string dir
-- @tparam string package its name in Debian
-- @treturn string
function workload.source(dir, package)
  local path = dir .. "/" .. package
  if not os.execute("test -d " .. quote(path)) then
    shell.run(("cd %s && apt-get source -q %s && mv %s-*/ %s"):format(quote(dir), package, package, package))
  end
  return path
end

return workload
