-- Native modules that cannot be loaded, as after an upgrade of libbfd: the message is one line with the reason and
-- what to do.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- The sanitizer's interpreter has these modules linked in and does not load them.
if os.getenv "GPROF_LUA" then return end

local crafted = require "support.crafted"
local installation = require "support.installation"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- Replaces a name in a module with one of the same length.
local function rename(path, pattern, replacement)
  local bytes, count = shell.read(path):gsub(pattern, replacement)
  assert(count > 0, path .. ": name not found")
  shell.write(path, bytes)
end

-- An upgrade may remove the library that a module is linked with, or a function that it calls.
local faults <const> = {
  { module = "core", pattern = "libbfd%-%d", replacement = "libbfd-x",
    reason = "libbfd%-x[%w.-]+: cannot open shared object file: No such file or directory" },
  { module = "core", pattern = "\0bfd_openr\0", replacement = "\0bfd_op_nr\0",
    reason = "[^:]+/core%.so: undefined symbol: bfd_op_nr" },
  { module = "opcodes", pattern = "libopcodes%-%d", replacement = "libopcodes-x", option = "-c",
    reason = "libopcodes%-x[%w.-]+: cannot open shared object file: No such file or directory" },
}
local descriptions <const> = { core = "core", opcodes = "instruction decoder" }

-- Copies the parts of the checkout that the program needs. Returns a description of the copy.
local function checkout()
  local root = shell.tmpdir "checkout"
  shell.check({ "cp", "-R", "--parents", "gprof.lua", "lua", "Makefile", "build/gprof", root }, { cwd = program.root })
  return { root = root, program = root .. "/gprof.lua", modules = root .. "/build/gprof/", env = {},
    library = { LUA_PATH = root .. "/?.lua" }, advice = "rebuild it with 'make %-C [^']*/%d+%-checkout'" }
end

-- Installs the library. Returns a description with the same fields as for a checkout.
local function prefix()
  local tree = installation.prefix()
  tree.modules = tree.root .. "/lib/lua/5.4/gprof/"
  tree.advice = "rebuild and install it with 'luarocks make' or 'make install' from its source"
  return tree
end

local function run(tree, option)
  return shell.run({ "lua5.4", tree.program, option or "-b", image, profile }, { env = tree.env })
end

for kind, make in pairs { ["in a checkout"] = checkout, ["that is installed"] = prefix } do
  for _, fault in ipairs(faults) do
    describe(("a library %s, whose module %s lacks %q,"):format(kind, fault.module, fault.pattern), function()
      local tree = make()
      rename(tree.modules .. fault.module .. ".so", fault.pattern, fault.replacement)
      local message = ("%s cannot be loaded: %s; %s\n"):format(descriptions[fault.module], fault.reason, tree.advice)

      it("makes the program print one line with the reason and advice", function()
        local result = run(tree, fault.option)
        assert.same({ "", 1 }, { result.stdout, result.status })
        assert.truthy(result.stderr:find("^gprof%.lua: the " .. message .. "$"), result.stderr)
      end)

      it("makes the library return the same message", function()
        local result = shell.check({ "lua5.4", "-e", ([[
          local found, gprof = pcall(require, "gprof")
          if not found then print(gprof) os.exit() end
          local image = gprof.image(%q)
          print(select(2, gprof.profile(image, gprof.data(image, %q), { static_call_graph = true })))
        ]]):format(image, profile) }, { env = tree.library })
        assert.truthy(result.stdout:find("^%l+'?s? " .. message .. "$"), result.stdout)
      end)

      if fault.option then
        it("works as long as the module is not needed", function()
          assert.same({ "", 0 }, { run(tree).stderr, run(tree).status })
        end)
      end
    end)
  end
end

describe("a missing part", function()
  it("is reported as not installed", function()
    local tree = prefix()
    local function check_module(name, description, option, directory)
      shell.check { "rm", tree.modules .. name .. ".so" }
      local place = run(tree, option).stderr:match("^gprof%.lua: the " .. description ..
        " is not installed %(looked for ([^\n]+)%)\n$")
      assert.equal(("%s/%slib/lua/5.4/gprof/%s.so"):format(tree.root, directory or "", name), place)
    end
    check_module("opcodes", "instruction decoder", "-c")
    check_module("confinement", "sandbox", "--sandbox")
    check_module("core", "core", nil, "bin/../")  -- the core resolves paths
    shell.check { "rm", "-r", tree.root .. "/share" }
    assert.equal("gprof.lua: the library is not installed\n", run(tree).stderr)
  end)

  it("is reported as not built yet in a checkout", function()
    local tree = checkout()
    local result = run(tree, "--print-blocks-runtime")
    assert.same({ "", 1 }, { result.stdout, result.status })
    assert.equal(("gprof.lua: the block-counting runtime is not built yet: run 'make -C %s'\n"):format(tree.root),
      result.stderr)
  end)
end)

describe("after an upgrade of libbfd, make", function()
  -- A fake compiler: prints the paths of libraries, and creates empty output files.
  local compiler <const> = [[#!/bin/sh
    case $* in *-print-file-name=*) echo "/lib/$LIBBFD.so"; exit;; esac
    while [ "$1" != -o ]; do shift; done
    echo "$2"
    : >"$2"
]]

  it("rebuilds everything that was built with the old one", function()
    local root = shell.tmpdir "upgrade"
    shell.check({ "cp", "-R", "--parents", "csrc", "fuzz", "lua", "spec/spec.mk", "Makefile", root },
      { cwd = program.root })
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
