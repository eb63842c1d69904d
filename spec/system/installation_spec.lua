-- Installed with LuaRocks or make, the program and scripts find the library, and all files are installed.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Installations use the ordinary interpreter, so a run with sanitizers would add nothing.
if os.getenv "GPROF_LUA" then return end

local chance = require "support.chance"
local crafted = require "support.crafted"
local gprof = require "gprof"
local installation = require "support.installation"
local program = require "support.program"
local shell = require "support.shell"
local snippets = require "support.snippets"

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)
local report <const> = program.run({ image, profile }).stdout

local specification <const> = ("rockspec/gprof-%s-1.rockspec"):format(gprof._VERSION)

-- Returns the files with this ending in a directory of the checkout, as paths below the directory.
local function files(dir, ending)
  local found = {}
  for _, path in ipairs(installation.listing(program.root .. "/" .. dir)) do
    if path:sub(-#ending) == ending then
      found[#found + 1] = path
    end
  end
  assert(#found > 0)
  return found
end

describe("the rockspecs", function()
  local paths <const> = { "gprof-scm-1.rockspec", specification }

  local function load(path)
    local rockspec = {}
    assert(loadfile(program.root .. "/" .. path, "t", rockspec))()
    return rockspec
  end

  it("differ only in version and source, and have the library's version", function()
    local development, release = load(paths[1]), load(paths[2])
    assert.equal(gprof._VERSION .. "-1", release.version)
    assert.equal(("file://gprof-%s.tar.gz"):format(gprof._VERSION), release.source.url)
    release.version, release.source = development.version, development.source
    assert.same(development, release)
  end)

  it("pass LuaRocks' check", function()
    if not installation.has_luarocks() then
      return pending "needs luarocks"
    end
    for _, path in ipairs(paths) do
      installation.luarocks({ "lint", path }, program.root)
    end
  end)
end)

local function has_git()
  return shell.run({ "git", "rev-parse" }, { cwd = program.root }).status == 0
end

local function make_archive()
  installation.make { "dist" }
  return ("%s/build/gprof-%s.tar.gz"):format(program.root, gprof._VERSION)
end

describe("the release archive", function()
  it("has the files of the commit, whatever was edited since", function()
    local dir = shell.tmpdir "edited"
    local listing = shell.check({ "sh", "-ec", [[
      cp --parents Makefile spec/spec.mk fuzz/fuzz.mk lua/gprof/init.lua "$1"
      cd "$1"
      unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
      export GIT_CONFIG_GLOBAL=/dev/null
      echo committed >edited
      touch deleted
      git init -q
      git add .
      git -c user.name=spec -c user.email=spec@localhost commit -q -m files
      echo edited >edited
      rm deleted
      make -s dist >/dev/null
      tar -xzf build/*.tar.gz --strip-components=1 --one-top-level=unpacked
      cd unpacked
      cat edited
      ls -d deleted]], "sh", dir }, { cwd = program.root }).stdout
    assert.equal("committed\ndeleted\n", listing)
  end)

  it("has modules that a script can require in any order", function()
    if not has_git() then return pending "needs a git checkout" end
    local dir = shell.tmpdir "archive"
    shell.check { "tar", "-C", dir, "--strip-components=1", "-xzf", make_archive() }
    local path = shell.check({ "lua5.4", "-e", [[print(package.searchpath("gprof.recorder", "./?.lua"))]] },
      { cwd = dir }).stdout
    assert.equal("./gprof/recorder.lua\n", path)
    shell.check { "ln", "-s", program.root .. "/build", dir .. "/build" }
    shell.check({ "lua5.4", "-e", [[require "gprof.recorder"]] }, { cwd = dir, env = { LUA_PATH = "./?.lua" } })
  end)
end)

-- The commands of README and manual rely on the demo.
describe("the demonstration", function()
  it("builds everything that the commands of the documentation use", function()
    local steps = shell.check({ "make", "-n", "-B", "run-demo" }, { cwd = program.root }).stdout
    local all = { "gprof/core.so", "gprof/opcodes.so", "gprof/xz.so", "gprof/confinement.so", "gprof/hooks.so",
      "gprof/modules.bundle", "libgprof-blocks.a", "demo/sample" }
    for _, made in ipairs(all) do
      assert.truthy(steps:find("build/" .. made, 1, true), made)
    end
  end)

  it("works without liblzma", function()
    local steps = shell.check({ "make", "-n", "-B", "all", "CC=gcc -nostdinc" }, { cwd = program.root }).stdout
    assert.truthy(steps:find("build/gprof/core.so", 1, true))
    assert.is_nil(steps:find "[/_]xz[._]")
  end)

  it("compiles the bytecode again after a change of a module, or of what compiles it", function()
    for _, path in ipairs { "lua/gprof/names.lua", "lua/bundle.lua", "lua/lean_bytecode.lua" } do
      local steps = shell.check({ "make", "-n", "-o", "build/gprof/core.so", "-W", path, "build/gprof/modules.bundle" },
        { cwd = program.root }).stdout
      assert.truthy(steps:find("lua/bundle.lua build/gprof/modules.bundle", 1, true), path)
    end
  end)

  it("makes machine code of what other programs link, whatever the flags", function()
    local dir = shell.tmpdir "flags"
    local sections = shell.check({ "sh", "-ec", [[
      cp -R --parents Makefile spec/spec.mk fuzz/fuzz.mk csrc/runtime "$1"
      cd "$1"
      made="build/libgprof-blocks.a build/objects/runtime/options.o"
      make -s CFLAGS=-flto $made >/dev/null
      readelf -SW $made]], "sh", dir }, { cwd = program.root }).stdout
    assert.truthy(sections:find(" .text ", 1, true))
    assert.is_nil(sections:find(".gnu.lto", 1, true))
  end)

  it("leaves only files that git ignores", function()
    local known = shell.read(program.root .. "/.gitignore")
    for _, made in ipairs { "build/", "/sample", "gmon.out", "gmon.sum" } do
      assert.truthy(known:find("\n" .. made .. "\n", 1, true) or known:sub(1, #made + 1) == made .. "\n", made)
    end
  end)
end)

-- Contents of an installed tree ---------------------------------------------------------

local function check_program(tree)
  local dir = shell.tmpdir()
  local function run(path)
    return shell.run({ path, image, profile }, { cwd = dir, env = tree.env })
  end

  it("has a program that finds its library from any directory", function()
    assert.same({ report, "", 0 }, { run(tree.program).stdout, run(tree.program).stderr, run(tree.program).status })
    shell.check { "ln", "-s", tree.program, dir .. "/link" }
    assert.equal(report, run("./link").stdout)
    assert.equal(report, shell.run({ "sh", "-c", 'gprof.lua "$@"', "sh", image, profile }, { env = tree.env }).stdout)
  end)

  it("has a program that names its interpreter by path, since env and shell scripts take longer to start", function()
    assert.truthy(shell.read(tree.program):find "^#!/[^\n ]*lua[^\n ]*\n")
  end)

  it("has the style and scripts of HTML pages", function()
    local result = shell.run({ tree.program, "--html=page", image, profile }, { cwd = dir, env = tree.env })
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(shell.read(dir .. "/page"):find "</html>\n$")
  end)

  it("has a program of the library's version", function()
    local version = shell.run({ tree.program, "--version" }, { env = tree.env }).stdout
    assert.equal("gprof for Lua " .. gprof._VERSION, version:match("^[^(]+[^ (]"))
  end)
end

local function check_modules(tree)
  it("has every module, and loads none from elsewhere", function()
    local names = { "gprof.core", "gprof.opcodes", "gprof.xz", "gprof.confinement", "gprof.hooks" }
    for _, path in ipairs(files("lua/gprof", ".lua")) do
      names[#names + 1] = ("gprof/" .. path):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
    end
    local script = shell.write(shell.tmpdir() .. "/script.lua", [[for _, name in ipairs(arg) do
      require(name)
      print(package.searchpath(name, package.path .. ";" .. package.cpath))
    end]])
    local places = shell.check({ "lua5.4", script, table.unpack(names) }, { env = tree.library }).stdout
    local count = 0
    for place in places:gmatch("[^\n]+") do
      count = count + 1
      assert.equal(tree.root, place:sub(1, #tree.root))
    end
    assert.equal(#names, count)
  end)

  it("has a recorder that a script can require as the first module, without the core", function()
    local dir = shell.tmpdir "first"
    local script = shell.write(dir .. "/first.lua", [[
      local recorder = require "gprof.recorder"
      recorder.start { rate = 0 }
      tostring(1)
      assert(recorder.write "first.prof")
      print(package.loaded["gprof.core"])
      print(require "gprof".image "first.prof":find "tostring".name)]])
    assert.equal("nil\ntostring\n", shell.check({ "lua5.4", script }, { env = tree.library, cwd = dir }).stdout)
  end)

  it("has the bytecode of every module", function()
    local script = shell.write(shell.tmpdir() .. "/script.lua", [[require "gprof"
      local bundle = package.searchers[1]
      for _, name in ipairs(arg) do
        name = ("gprof/" .. name):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
        if type(bundle(name)) ~= "function" then print(name) end
      end]])
    assert.equal("", shell.check({ "lua5.4", script, table.unpack(files("lua/gprof", ".lua")) },
      { env = tree.library }).stdout)
  end)
end

local function check_examples(tree)
  local dir = shell.tmpdir "examples"
  local scripts = files("examples", ".lua")
  shell.check { "cp", "-R", program.root .. "/examples/.", dir }

  it("has the modules that the examples require", function()
    for _, name in ipairs(scripts) do
      assert(loadfile(dir .. "/" .. name))
      for module in shell.read(dir .. "/" .. name):gmatch([[require%s*%(?%s*"(gprof[%w_.]*)"]]) do
        shell.check({ "lua5.4", "-e", ("require %q"):format(module) }, { env = tree.library })
      end
    end
  end)

  it("is found by an example in another directory", function()
    local text = shell.write(dir .. "/bb.out", [[
File tst.c, 1 basic blocks
    Block #1: executed 2 time(s) address= 0x1010 function= main line= 14 file= tst.c
]])
    local function run(script, env)
      return shell.check({ "lua5.4", script, image }, { stdin = text, env = env, cwd = dir }).stdout
    end
    local expected = run(program.root .. "/examples/bbconv.lua")
    assert.equal("gmon", expected:sub(1, 4))
    assert.equal(expected, run(dir .. "/bbconv.lua", tree.library))
  end)
end

-- Runs the commands of doc/blocks.md with a fixture program.
local function check_blocks(env)
  it("has the block-counting runtime, where --print-blocks-runtime says", function()
    local commands, dir = {}, shell.tmpdir "blocks"
    for _, step in ipairs(snippets.read(shell.read(program.root .. "/doc/blocks.md"))) do
      if step.kind == "console" then commands[#commands + 1] = step.text end
    end
    shell.write(dir .. "/prog.c", shell.read(program.root .. "/spec/fixtures/blocks/updcrc.c"))
    local result = shell.check({ "sh", "-ec", table.concat(commands, "\n") }, { cwd = dir, env = env })
    assert.equal("", result.stderr)
    assert.truthy(result.stdout:find("26312 %-> +c = table"), result.stdout)
  end)
end

local function check_recorder(env)
  it("has the recorder, where --record finds it", function()
    local result = shell.run({ "sh", "-c", "gprof.lua --record --rate=0 /bin/true" }, { env = env })
    assert.same({ "", 1 }, { result.stdout, result.status })  -- there is no profile
    assert.truthy(result.stderr:find "^gprof%.lua: /bin/true: no samples were taken")
  end)
end

local function check_tree(tree)
  check_program(tree)
  check_modules(tree)
  check_examples(tree)
  check_blocks(tree.env)
  check_recorder(tree.env)
end

describe("a checkout", function()
  check_blocks { PATH = program.root .. ":" .. os.getenv "PATH" }
  check_recorder { PATH = program.root .. ":" .. os.getenv "PATH" }
end)

-- Ways to install ----------------------------------------------------------------------------

describe("by LuaRocks", function()
  if not installation.has_luarocks() then
    pending "needs luarocks"
    return
  end

  describe("a checkout", function() check_tree(installation.built_rock()) end)

  -- A release is compiled; `make check-all` does so.
  if not chance.thorough then return end

  describe("a release", function()
    if not has_git() then
      pending "needs a git checkout"
      return
    end
    local dir = shell.tmpdir "release"
    shell.check { "cp", make_archive(), program.root .. "/" .. specification, dir }
    local tree = installation.rock({ "install", specification:match("[^/]+$"), "CFLAGS=-O0 -fPIC" }, dir)
    check_tree(tree)

    -- The file name of the rock contains the machine.
    installation.luarocks({ "--tree", tree.root, "pack", "gprof" }, dir)
    local rock = shell.listing(dir):match("[^\n]+%.rock\n"):sub(1, -2)

    describe("packed and installed elsewhere", function()
      check_tree(installation.rock({ "install", rock }, dir))
    end)

    it("can be removed", function()
      local other = installation.rock({ "install", rock }, dir)
      assert.truthy(#installation.listing(other.root) > 50)
      installation.luarocks({ "--tree", other.root, "remove", "gprof" })
      assert.same({ "/", "lib/", "lib/luarocks/", "lib/luarocks/rocks-5.4/", "lib/luarocks/rocks-5.4/manifest" },
        installation.listing(other.root))
    end)
  end)
end)

describe("by make", function()
  local tree = installation.prefix()
  check_tree(tree)

  it("installs licence, documentation and examples", function()
    local dir = tree.root .. "/share/doc/gprof.lua/"
    for _, path in ipairs { "LICENSE", "README.md", "doc/architecture.md" } do
      assert.equal(shell.read(program.root .. "/" .. path), shell.read(dir .. path))
    end
    local expected = { "/", "pictures/" }
    for _, ending in ipairs { ".md", ".json", ".svg", ".png" } do
      local list = files("doc", ending)
      table.move(list, 1, #list, #expected + 1, expected)
    end
    table.sort(expected)
    assert.same(expected, installation.listing(dir .. "doc"))
    local examples = {}
    for _, path in ipairs(installation.listing(program.root .. "/examples")) do
      if not ("/" .. path):find "/build/" then examples[#examples + 1] = path end
    end
    assert.same(examples, installation.listing(dir .. "examples"))
  end)

  it("does not install what was built in an example's directory", function()
    local dir = shell.tmpdir "built"
    local documents = shell.check({ "sh", "-ec", [[
      cp --parents Makefile spec/spec.mk fuzz/fuzz.mk examples/embedded/Makefile "$1"
      cd "$1/examples/embedded"
      mkdir build
      touch build/host build/program.o gmon.out
      make -s -C "$1" --eval='documents: ; @printf "%s\n" $(filter examples/%,$(DOCUMENTS))' documents
    ]], "sh", dir }, { cwd = program.root }).stdout
    assert.equal("examples/embedded/Makefile\n", documents)
  end)

  it("is found below another prefix with the manual's variables", function()
    local commands = shell.read(program.root .. "/doc/manual.md")
      :match "\n( +export LUA_PATH=[^\n]+\n +export [^\n]+\n)"
    local line = commands:gsub("/opt/gprof", tree.root) .. [[
      lua5.4 -e 'print(require "gprof"._VERSION, package.searchpath("gprof.core", package.cpath))']]
    assert.equal(("%s\t%s/lib/lua/5.4/gprof/core.so\n"):format(gprof._VERSION, tree.root),
      shell.check({ "sh", "-c", line }, { env = tree.env }).stdout)
  end)

  it("supports DESTDIR, and blanks in paths", function()
    local dir = shell.tmpdir "stage"
    shell.check { "mkdir", "-p", dir .. "/my/own" }
    local function make(target, prefix)
      installation.make { target, "PREFIX=" .. prefix, "DESTDIR=" .. dir .. "/my stage" }
      return installation.listing(dir .. "/my stage" .. prefix)
    end
    for _, prefix in ipairs { "/opt/gprof", "/my programs" } do
      assert.same(installation.listing(tree.root), make("install", prefix))
      for _, path in ipairs(make("uninstall", prefix)) do assert.matches("/$", path) end
    end
    assert.truthy(shell.exists(dir .. "/my/own"))
  end)

  it("reports a missing runtime", function()
    local bare = shell.tmpdir()
    shell.check { "cp", "-R", tree.root .. "/.", bare }
    shell.check { "rm", bare .. "/lib/lua/5.4/gprof/libgprof-blocks.a",
      bare .. "/lib/lua/5.4/gprof/libgprof-recorder.so" }
    local record = shell.run({ bare .. "/bin/gprof.lua", "--record", "/bin/true" }, { env = tree.env })
    assert.same({ "gprof.lua: the recorder is not installed\n", 1 }, { record.stderr, record.status })
    local result = shell.run({ bare .. "/bin/gprof.lua", "--print-blocks-runtime" }, { env = tree.env })
    assert.same({ "", "gprof.lua: the block-counting runtime is not installed\n", 1 },
      { result.stdout, result.stderr, result.status })
  end)

  it("replaces another version, of which no file is left", function()
    local root, prefix = shell.tmpdir "versions", "PREFIX=/my programs"
    local function listing() return table.concat(installation.listing(root .. "/my programs"), "\n") end
    installation.make { "install", prefix, "DESTDIR=" .. root }
    assert.truthy(listing():find("share/doc/gprof.lua/doc/manual.md", 1, true))
    installation.make { "install", prefix, "DESTDIR=" .. root, "DOCUMENTS=README.md" }
    local left = listing()
    assert.is_nil(left:find("manual.md", 1, true))
    assert.truthy(left:find("share/doc/gprof.lua/README.md", 1, true))
    assert.truthy(left:find("lib/lua/5.4/gprof/core.so", 1, true))
    installation.make { "uninstall", prefix, "DESTDIR=" .. root, "DOCUMENTS=LICENSE" }
    assert.is_nil(listing():find "[^/\n]\n" or listing():find "[^/]$")
  end)

  it("can be removed, but keeps files of others", function()
    local root = shell.tmpdir "shared"
    local others = { "share/doc/gprof.lua.d/", "share/lua/5.4/gprof/mine/" }
    for _, dir in ipairs(others) do
      shell.check { "mkdir", "-p", root .. "/" .. dir }
    end
    shell.write(root .. "/share/lua/5.4/gprof/mine/report.lua", "")
    installation.make { "install", "PREFIX=" .. root }
    assert.truthy(shell.exists(root .. "/bin/gprof.lua"))
    installation.make { "uninstall", "PREFIX=" .. root }
    local left, kept = {}, {}
    for _, path in ipairs(installation.listing(root)) do
      table.insert(path:find "/$" and left or kept, path)
    end
    assert.same({ "share/lua/5.4/gprof/mine/report.lua" }, kept)
    left = table.concat(left, "\n")
    assert.truthy(left:find(others[1], 1, true))
    for _, own in ipairs { "share/lua/5.4/gprof/report/", "lib/lua/5.4/gprof/", "share/doc/gprof.lua/" } do
      assert.is_nil(left:find(own, 1, true))
    end
  end)
end)
