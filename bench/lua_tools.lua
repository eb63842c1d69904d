--- Records tools that Lua programmers use, and prints the table of bench/evidence.md:
--
-- - functions, wrong counts: the Lua functions in files that were called equally often in three runs with a hook of the
--   program itself, and those whose calls in the profile differ; others depend on the order of tables;
-- - without names: the Lua functions whose name is only a place;
-- - cost: the processor time with calls counted and with samples only, as ratios of that without recording. Medians of
--   RUNS (default 5) runs in turn.
--
--     lua5.4 bench/lua_tools.lua DIRECTORY [RUNS]
--
-- Run it in the root of the checkout, after `make`. Needs the Debian packages lua-check, lua-busted, lua-ldoc, luarocks
-- and prosody; tools that are not installed are left out.
--
-- @script lua_tools
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local shell = require "bench.shell"
local turns = require "bench.turns"

local dir, runs = assert(arg[1], "a directory"), tonumber(arg[2]) or 5
local quote <const> = shell.quote

shell.run("mkdir -p " .. quote(dir .. "/rocks"))
shell.write(dir .. "/luacheck.lua", 'require "luacheck.main"\n')

-- LuaRocks makes the manifest of these.
local rockspec = shell.read "gprof-scm-1.rockspec"
for i = 1, 900 do
  shell.write(("%s/rocks/gprof-1.%d-1.rockspec"):format(dir, i), (rockspec:gsub('"scm%-1"', ('"1.%d-1"'):format(i))))
end

-- What to look for, to run, and its arguments.
local TOOLS <const> = {
  { "luacheck", "/usr/bin/luacheck", dir .. "/luacheck.lua", "-q lua/gprof/cli lua/gprof/print" },
  { "busted", "/usr/bin/busted", "/usr/bin/busted", "spec/format/json_spec.lua spec/scripts/definitions_spec.lua" },
  { "LDoc", "/usr/bin/ldoc", "/usr/bin/ldoc", ("-d %s lua/gprof"):format(quote(dir .. "/doc")) },
  { "LuaRocks", "/usr/bin/luarocks-admin", "/usr/bin/luarocks-admin",
    "make_manifest --lua-version=5.4 " .. quote(dir .. "/rocks") },
  { "Prosody's utilities", "/usr/lib/prosody/util/stanza.lua", "bench/lua/prosody.lua", "" },
}

local meter = require "bench.meter".open(dir, { timeout = 300 })
local profile <const>, counts <const> = dir .. "/lua.prof", dir .. "/counts"

-- Runs a tool, after some words. Returns its processor time in seconds.
local function run(tool, words)
  local done = meter:run(("env 'LUA_PATH=/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;;' lua5.4 %s %s %s")
    :format(words, quote(tool[3]), tool[4]))
  if done.trouble then io.stderr:write(("%s: %s: %s\n"):format(tool[1], words, done.trouble)) end
  return done.cpu
end

local function record(tool, option)
  return run(tool, ("gprof.lua --record %s --output=%s"):format(option, quote(profile)))
end

-- Returns the calls of Lua functions by line and file, and the number of functions without names.
local function recorded()
  local calls, unnamed = {}, 0
  for line in shell.capture("lua5.4 gprof.lua --export=csv -z " .. quote(profile)):gmatch "\n([^\n]+)" do
    local fields = {}
    local plain = line:gsub('"([^"]*)"', function(quoted) return (quoted:gsub(",", ";")) end)
    for field in (plain .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
    local name, path, number = fields[1], fields[3], tonumber(fields[4])
    if path ~= "" then
      local place = ("%d %s"):format(name:find "^main chunk" and 0 or number, path)
      calls[place] = (calls[place] or 0) + fields[9] + fields[10]
      if name:find "^function at" then unnamed = unnamed + 1 end
    end
  end
  return calls, unnamed
end

-- Returns the calls that the hook of a run counts.
local function counted(tool)
  local calls = {}
  run(tool, "bench/lua/counted.lua " .. quote(counts))
  for count, place in shell.read(counts):gmatch "(%d+) (%d+ [^%[\n][^\n]*)" do calls[place] = tonumber(count) end
  return calls
end

-- Returns the numbers of functions that were called, of those with wrong counts, and of those without names.
local function check(tool)
  local first, second, third = counted(tool), counted(tool), counted(tool)
  record(tool, "--rate=0")
  local calls, unnamed = recorded()
  local all, wrong = 0, 0
  for place, count in pairs(first) do
    if second[place] == count and third[place] == count then
      all = all + 1
      if calls[place] ~= count then
        wrong = wrong + 1
        io.stderr:write(("%s: %s: %d calls, recorded %s\n"):format(tool[1], place, count, calls[place]))
      end
    end
  end
  return all, wrong, unnamed
end

-- Returns the ratios of processor times: with calls, and with samples only.
local function costs(tool)
  local with_calls, sampled = {}, {}
  for i = 1, runs do
    local plain = run(tool, "")
    with_calls[i], sampled[i] = record(tool, "--count=calls") / plain, record(tool, "--count=none") / plain
  end
  return turns.median(with_calls), turns.median(sampled)
end

print "| tool | functions, wrong counts, without names | cost: calls, none |"
print "| --- | --- | --- |"
for _, tool in ipairs(TOOLS) do
  if shell.read(tool[2]) then
    local all, wrong, unnamed = check(tool)
    print(("| %s | %d, %d, %d | %.2f, %.2f |"):format(tool[1], all, wrong, unnamed, costs(tool)))
  end
end
