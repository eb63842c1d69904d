-- examples/socket_server.lua: a server that records itself when it is asked to.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

if not pcall(require, "socket") then return pending "needs LuaSocket (lua-socket)" end

-- Starts the server in $1 and talks to it. Prints an answer; whether a report shows the requests of a period, which is
-- longer if a busy machine serves too few for a sample in each place; and whether 150 periods need no more memory.
local CLIENT <const> = [[
  local socket = require "socket"
  local server = assert(io.popen("timeout 1000 sh -c 'echo $$; exec lua5.4 " .. arg[1] .. "'"))
  local process, port = server:read "n", server:read "l" and server:read "l":match "%d+"
  local function get(path)
    local client = assert(socket.connect("127.0.0.1", port))
    client:send(("GET %s HTTP/1.0\r\n\r\n"):format(path))
    return client:receive "*a":match "\r\n\r\n(.*)"
  end
  local function memory()
    return tonumber(io.open(("/proc/%d/status"):format(process)):read "a":match "VmRSS:%s*(%d+)")
  end
  local function periods(count)
    for _ = 1, count do get "/profile/0" get "/b+a" end
    return memory()
  end
  local function is_recorded(seconds)
    local recording = assert(socket.connect("127.0.0.1", port))
    recording:send(("GET /profile/%g HTTP/1.0\r\n\r\n"):format(seconds))
    local ended = socket.gettime() + seconds
    repeat get("/" .. ("the+quick+fox+"):rep(100)) until socket.gettime() > ended
    local report = recording:receive "*a"
    return report:find "zone answer" and report:find "coroutine%.resume" and true
  end
  io.write(get "/the+quick+fox")
  print(is_recorded(0.5) or is_recorded(4) or is_recorded(32))
  local before = periods(50)
  print(periods(150) - before < 2048)
  os.execute("kill " .. process)
]]

describe("the example socket_server", function()
  it("records its requests when asked to, and leaks nothing", function()
    local client = shell.write(shell.tmpdir "socket" .. "/client.lua", CLIENT)
    local result = shell.run({ "lua5.4", client, program.root .. "/examples/socket_server.lua" })
    assert.equal("fox quick the\ntrue\ntrue\n", result.stdout, result.stderr)
  end)
end)
