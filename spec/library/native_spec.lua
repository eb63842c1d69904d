-- What is said of modules in C that do not load, as after an upgrade of libbfd: one line, with what to do and the
-- linker's reason.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- An interpreter that has the modules linked in loads none.
if os.getenv "GPROF_LUA" then return end

local crafted = require "support.crafted"
local installation = require "support.installation"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- Changes a name in a module, to another one of the same length.
local function rename(path, pattern, replacement)
  local bytes, count = shell.read(path):gsub(pattern, replacement)
  assert(count > 0, path .. ": has no such name")
  shell.write(path, bytes)
end

-- What an upgrade may do to a module: take the library away that it names, or a function that it calls.
local faults <const> = {
  { module = "core", pattern = "libbfd%-%d", replacement = "libbfd-x",
    reason = "libbfd%-x[%w.-]+: cannot open shared object file: No such file or directory" },
  { module = "core", pattern = "\0bfd_openr\0", replacement = "\0bfd_op_nr\0",
    reason = "[^:]+/core%.so: undefined symbol: bfd_op_nr" },
  { module = "opcodes", pattern = "libopcodes%-%d", replacement = "libopcodes-x", option = "-c",
    reason = "libopcodes%-x[%w.-]+: cannot open shared object file: No such file or directory" },
}
local words <const> = { core = "core", opcodes = "decoder of instructions" }

-- A copy of the checkout, as far as it is needed here.
local function checkout()
  local root = shell.tmpdir "checkout"
  shell.check({ "cp", "-R", "--parents", "gprof.lua", "lua", "Makefile", "build/gprof", root }, { cwd = program.root })
  return { root = root, program = root .. "/gprof.lua", modules = root .. "/build/gprof/", env = {},
    library = { LUA_PATH = root .. "/?.lua" }, advice = "built again, run 'make %-C [^']*/%d+%-checkout'" }
end

-- The same, installed.
local function prefix()
  local tree = installation.prefix()
  tree.modules = tree.root .. "/lib/lua/5.4/gprof/"
  tree.advice = "built and installed again, by 'luarocks make' or 'make install' from its source"
  return tree
end

local function run(tree, option)
  return shell.run({ "lua5.4", tree.program, option or "-b", image, profile }, { env = tree.env })
end

for kind, make in pairs { ["in a checkout"] = checkout, ["that is installed"] = prefix } do
  for _, fault in ipairs(faults) do
    describe(("a module %s, %s without %q,"):format(kind, fault.module, fault.pattern), function()
      local tree = make()
      rename(tree.modules .. fault.module .. ".so", fault.pattern, fault.replacement)
      local message = ("%s has to be %s: %s\n"):format(words[fault.module], tree.advice, fault.reason)

      it("is told of by the program, in one line", function()
        local result = run(tree, fault.option)
        assert.same({ "", 1 }, { result.stdout, result.status })
        assert.truthy(result.stderr:find("^gprof%.lua: the " .. message .. "$"), result.stderr)
      end)

      it("is told of by the library", function()
        local result = shell.check({ "lua5.4", "-e", ([[
          local found, gprof = pcall(require, "gprof")
          if not found then print(gprof) os.exit() end
          local image = gprof.image(%q)
          print(select(2, gprof.profile(image, gprof.data(image, %q), { static_call_graph = true })))
        ]]):format(image, profile) }, { env = tree.library })
        assert.truthy(result.stdout:find("^%l+'?s? " .. message .. "$"), result.stdout)
      end)

      if fault.option then
        it("is not missed where nobody asks for it", function()
          assert.same({ "", 0 }, { run(tree).stderr, run(tree).status })
        end)
      end
    end)
  end
end

describe("what is not there", function()
  it("is not installed", function()
    local tree = prefix()
    local function check_module(name, said, option)
      shell.check { "rm", tree.modules .. name .. ".so" }
      local places = run(tree, option).stderr:match("^gprof%.lua: the " .. said ..
        " is not installed %(looked for ([^\n]+)%)\n$")
      assert.equal(("%s/bin/../lib/lua/5.4/gprof/%s.so"):format(tree.root, name), places:match "^[^,]+")
      assert.truthy((places .. ","):find((", [^,']+/gprof/%s%%.so,"):format(name)))
    end
    check_module("opcodes", "decoder of instructions", "-c")
    check_module("confinement", "sandbox", "--sandbox")
    check_module("core", "core")
    shell.check { "rm", "-r", tree.root .. "/share" }
    assert.equal("gprof.lua: the library is not installed\n", run(tree).stderr)
  end)

  it("is not built yet", function()
    local tree = checkout()
    local result = run(tree, "--print-blocks-runtime")
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.equal(("gprof.lua: the runtime that counts blocks is not built yet: run 'make -C %s'\n"):format(tree.root),
      result.stderr)
  end)
end)

describe("after an upgrade of libbfd, make", function()
  -- Answers where libraries are, and makes empty files of what it is to compile and to link.
  local compiler <const> = [[#!/bin/sh
    case $* in *-print-file-name=*) echo "/lib/$LIBBFD.so"; exit;; esac
    while [ "$1" != -o ]; do shift; done
    echo "$2"
    : >"$2"
]]

  it("builds anew what was built with the old one", function()
    local root = shell.tmpdir "upgrade"
    shell.check({ "cp", "-R", "csrc", "fuzz", "lua", "Makefile", root }, { cwd = program.root })
    shell.write(root .. "/cc", compiler)
    shell.check { "chmod", "+x", root .. "/cc" }
    local function work(version)
      local env = { LIBBFD = version, MAKEFLAGS = false }
      return shell.check({ "make", "-s", "CC=./cc", "build/gprof/core.so", "build/gprof/opcodes.so" },
        { cwd = root, env = env }).stdout
    end
    local all = work "1"
    assert.truthy(all:find "/core%.so\n" and all:find "/opcodes%.so\n" and all:find "/image%.o\n")
    assert.equal("", work "1")
    assert.equal(all, work "2")
  end)
end)
