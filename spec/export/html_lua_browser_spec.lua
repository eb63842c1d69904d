-- --html: pages of Lua programs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local program = require "support.program"
local shell = require "support.shell"

local lack <const> = browser.lack()
if lack then return pending(lack) end

describe("A function of a Lua program", function()
  -- Samples every few instructions: the call tree is always the same.
  local dir = shell.tmpdir "coroutines"
  shell.write(dir .. "/main.lua", ("package.path = %q .. package.path\n"):format(program.root .. "/?.lua;") .. [[
local recorder = require "gprof.recorder"
recorder.start { instructions = 10 }
local function work() for i = 1, 1000 do local _ = i % 7 end end
local function body() work() coroutine.yield() work() end
local function run(co) while coroutine.resume(co) do end end
run(coroutine.create(body))
run(coroutine.create(function() work() end))
local function wrapped() local next_one = coroutine.wrap(body) next_one() end
wrapped()
assert(recorder.write "main.prof")
]])
  shell.check({ "lua5.4", "main.lua" }, { cwd = dir })
  shell.check({ "lua5.4", program.root .. "/gprof.lua", "--html=page.html", "main.prof" }, { cwd = dir })

  it("says that it runs as a coroutine, and what resumes it", function()
    local function text(name)
      return ("((fact) => fact && fact.textContent)(coroutineFact(functions.name.indexOf(%q)))"):format(name)
    end
    local found = browser.walk(dir .. "/page.html", text "body", text "work",
      text "callback of coroutine.create (main.lua:8)", { "open", "body" },
      "[...document.querySelectorAll('.facts')].map((e) => e.textContent).join()")
    assert.equal("Coroutinecreated at main.lua:7, main.lua:9, resumed by run, wrapped", found[1])
    assert.same({ false, "Coroutinecreated at main.lua:8, resumed by run" }, { found[2] or false, found[3] })
    assert.matches("Coroutinecreated at main.lua:7, main.lua:9, resumed by run", found[4])
  end)

  it("has its whole name in the sentence at the top", function()
    shell.write(dir .. "/fields.lua", ("package.path = %q .. package.path\n"):format(program.root .. "/?.lua;") .. [[
local recorder = require "gprof.recorder"
recorder.start { instructions = 10 }
local encoders = { string = function() for i = 1, 1000 do local _ = i % 7 end end }
local writer = { value = function(encode) encode() end }
writer.value(encoders.string)
assert(recorder.write "fields.prof")
]])
    shell.check({ "lua5.4", "fields.lua" }, { cwd = dir })
    shell.check({ "lua5.4", program.root .. "/gprof.lua", "--html=fields.html", "fields.prof" }, { cwd = dir })
    local found = browser.walk(dir .. "/fields.html", "document.querySelector('.sentence').textContent")
    assert.matches("time is in encoders%.string %(fields%.lua:4%), reached from writer%.value; 1 call", found[1])
  end)
end)
