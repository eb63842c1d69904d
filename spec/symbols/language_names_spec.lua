-- Names as the source has them in Fortran, Ada, D, Go and Pascal select functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local language_names = require "gprof.library.symspec.language_names"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"

-- Symbols, and the names that their source has.
local names <const> = {
  ["__phys_MOD_step"] = "phys::step", ["__phys.sub_MOD_step"] = "phys::sub::step", ["step_"] = "step",
  ["phys_mp_step_"] = "phys::step", ["_QMphysPstep"] = "phys::step", ["_QPstep"] = "step",
  ["pkg__phys__step.0"] = "pkg::phys::step", ["phys__step__2"] = "phys::step", ["_ada_main"] = "main",
  ["phys__step"] = "phys::step", ["_D3app4stepFiZv"] = "app::step", ["_D3app1S3runMFiZv"] = "app::S::run",
  ["_D3app__T3addTiZQhFNaNbNiNfiiZi"] = "app::add", ["main.step"] = "main::step",
  ["example.com/net.(*Server).Run"] = "net::Server::Run", ["P$PS_$$_STEP$LONGINT"] = "ps::step",
  ["P$PS_$_$TFOO_$__$$_RUN$LONGINT"] = "ps::tfoo::run", ["UTIL_$$_INIT"] = "util::init",
}

describe("The name in the source", function()
  for symbol, name in pairs(names) do
    it("is found: " .. symbol, function() assert.equal(name, (language_names.of(symbol))) end)
  end

  it("is not made of other symbols", function()
    for _, symbol in ipairs { "main", "work", "_start", "foo.isra.0", "foo.cold", "inner.0", "_Z3foov",
      "__libc_start" } do
      assert.is_nil((language_names.of(symbol)), symbol)
    end
  end)
end)

describe("A symspec with the name in the source", function()
  local image, path, list
  local symbols <const> = { "main", "__phys_MOD_step", "pkg__heat__flow.3", "_D3app4kickFiZv", "net.(*Server).Serve",
    "P$PS_$$_COUNT$LONGINT", "__phys_MOD_stop_all", "plain" }
  setup(function()
    local lines, records = {}, { row.histogram(0, #symbols - 1) }
    image = row.image(#symbols)
    for i, symbol in ipairs(symbols) do
      lines[i] = ("%x T %s\n"):format(row.address(i - 1), symbol)
      records[i + 1] = row.arc(0, i - 1, i)
    end
    list, path = shell.write(shell.tmpdir() .. "/symbols", table.concat(lines)), row.profile(records)
  end)

  local function selected(spec)
    local result = program.run { "-b", "-p", "-p" .. spec, "-S", list, image, path }
    local found = {}
    for _, symbol in ipairs(symbols) do
      if result.stdout:find("  " .. symbol .. "\n", 1, true) then found[#found + 1] = symbol end
    end
    return table.concat(found, " "), result.stderr
  end

  for spec, expected in pairs {
    ["phys::step"] = "__phys_MOD_step", step = "__phys_MOD_step", ["phys.step"] = "__phys_MOD_step",
    STEP = "__phys_MOD_step", ["phys::*"] = "__phys_MOD_step __phys_MOD_stop_all", ["Heat.Flow"] = "pkg__heat__flow.3",
    ["pkg.heat.flow"] = "pkg__heat__flow.3", ["app.kick"] = "_D3app4kickFiZv", kick = "_D3app4kickFiZv",
    ["net.Server.Serve"] = "net.(*Server).Serve", ["Server.Serve"] = "net.(*Server).Serve",
    ["ps.Count"] = "P$PS_$$_COUNT$LONGINT", ["plain"] = "plain", ["__phys_MOD_step"] = "__phys_MOD_step",
  } do
    it("selects it: " .. spec, function() assert.same({ expected, "" }, { selected(spec) }) end)
  end

  it("respects case in D and Go", function()
    local found, message = selected "KICK"
    assert.equal("", found)
    assert.matches("matches nothing", message)
  end)

  it("does not count under --gnu-compat", function()
    local words = { "--gnu-compat", "-b", "-p", "-S", list, image, path }
    local all = program.run(words).stdout
    table.insert(words, 3, "-pstep")
    assert.equal(all, program.run(words).stdout)
  end)
end)
