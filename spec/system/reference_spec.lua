-- LDoc builds the reference without warnings, and the reference is complete. LDoc omits some things silently: fields of
-- a type, and types without methods.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local modules <const> = { "gprof", "gprof.image", "gprof.data", "gprof.profile", "gprof.compare" }

if shell.run({ "sh", "-c", "command -v lua5.1 && test -e /usr/bin/ldoc" }).status ~= 0 then
  describe("the reference", function()
    pending("needs LDoc")
  end)
  return
end

local function source(module)
  local path = program.root .. "/lua/" .. module:gsub("%.", "/")
  return shell.read(shell.exists(path .. ".lua") and path .. ".lua" or path .. "/init.lua")
end

-- Iterates over the LDoc comments, except those marked as local.
local function comments(module)
  local next_block = (source(module) .. "\n"):gmatch("%f[^\n\0](%-%-%-.-\n)%f[^%-\n]")
  return function()
    for block in next_block do
      if not block:find("\n%-%- @local\n") then return block end
    end
  end
end

-- Returns the names that comments document: functions and their parameters, fields, tables.
local function documented(module)
  local names = {}
  for comment in comments(module) do
    for tag, rest in comment:gmatch("\n%-%- @(%w+)%S*%s+([^\n]*)") do
      if tag == "tfield" or tag == "tparam" then
        names[#names + 1] = rest:match("^%S+%s+([%w_]+)")
      elseif tag == "function" or tag == "table" then
        names[#names + 1] = rest:match("([%w_]+)$")
      end
    end
  end
  return names
end

describe("the reference", function()
  local dir = shell.tmpdir "reference"
  local result

  setup(function()
    result = shell.run({ "lua5.1", "/usr/bin/ldoc", "-q", "--fatalwarnings", "-c", "doc/config.ld", "-d", dir, "." },
      { cwd = program.root })
  end)

  it("builds without warnings", function()
    assert.same({ 0, "" }, { result.status, result.stderr })
  end)

  it("lists the public modules first, apart from the internal ones", function()
    local index = shell.read(dir .. "/index.html")
    local public, workings = index:match "<h2>Modules</h2>(.-)<h2>Workings</h2>(.-)<h2>"
    local reports = { "gprof.symspec", "gprof.output", "gprof.reports", "gprof.report.flat", "gprof.report.bsd.index" }
    for _, module in ipairs(table.move(modules, 1, #modules, #reports + 1, reports)) do
      assert.truthy(public:find(">" .. module .. "<", 1, true), module)
    end
    for _, module in ipairs { "gprof.cli.main", "gprof.library.options.arguments", "gprof.library.sorting",
      "gprof.print.pages" } do
      assert.truthy(workings:find(">" .. module .. "<", 1, true), module)
      assert.is_nil(public:find(">" .. module .. "<", 1, true), module)
    end
  end)

  it("has all fields of profiles and of their parts", function()
    local known, missing = {}, {}
    for _, name in ipairs(documented "gprof.profile") do known[name] = true end
    for _, file in ipairs { "profile", "profile_fields", "symbol" } do
      for field in shell.read(("%s/csrc/lua/%s.c"):format(program.root, file)):gmatch '{"([%l_]+)", get_[%l_]+}' do
        if not known[field] then missing[#missing + 1] = field end
      end
    end
    assert.same({}, missing)
  end)

  it("shows names in angle brackets, rather than taking them for tags", function()
    assert.truthy(shell.read(dir .. "/modules/gprof.profile.html"):find("&lt;cycle N&gt;", 1, true))
  end)

  for _, module in ipairs(modules) do
    it("has all functions, parameters and fields of " .. module, function()
      local page, missing = shell.read(("%s/modules/%s.html"):format(dir, module)), {}
      for _, name in ipairs(documented(module)) do
        if not page:find(">" .. name .. "<") and not page:find("[.:>]" .. name .. "%f[^%w_]") then
          missing[#missing + 1] = name
        end
      end
      assert.same({}, missing)
    end)
  end
end)
