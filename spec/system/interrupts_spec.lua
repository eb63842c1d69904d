-- Signals interrupt the program while it makes a file, and leave the old file or the complete new one. No temporary
-- file remains, on file systems with and without O_TMPFILE.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local shell = require "support.shell"

local built = build.program "cycles"

local signals <const> = { HUP = 1, INT = 2, TERM = 15 }

-- A shell command that preloads spec/fixtures/files.c, even before AddressSanitizer, which by default must be the first
-- library.
local library <const> = shell.tmpdir "files" .. "/files.so"
shell.check { "cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Werror", "-Wall", "-o", library,
  build.fixture "files.c", "-ldl" }

-- Signals get their default actions, since the specs may run under nohup, which ignores SIGHUP. `actions` replaces the
-- option of env that sets them.
local function preloaded(variables, actions)
  return variables .. " ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD=" .. library ..
    (' exec env %s "$@"'):format(actions or "--default-signal=HUP,INT,TERM")
end

-- Makes a directory with an older page.
local function workplace()
  local dir = shell.tmpdir "interrupts"
  shell.write(dir .. "/page", "an older page")
  return dir
end

local function ended_by(result)
  return result.signal or (result.status or 0) - 128
end

-- Makes a page under a shell command. Returns the result, the page, and the names of all files.
local function make(line)
  local dir = workplace()
  local result = launch.line(line, { "--html=page", built.image, built.gmon }, { cwd = dir, timeout = true })
  return result, shell.read(dir .. "/page"), shell.listing(dir)
end

describe("a file system without nameless files", function()
  it("gets the same file", function()
    local _, expected = make '"$@"'
    local result, page, files = make(preloaded "NAMELESS=no")
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    assert.equal("page\n", files)
    assert.truthy(page:find "^<!DOCTYPE")
    assert.equal(expected, page)
  end)

  it("keeps the permissions of the old file, or gives the default ones", function()
    for _, old in ipairs { "604", false } do
      local dir = shell.tmpdir()
      if old then
        shell.write(dir .. "/gmon.sum", "old")
        shell.check { "chmod", old, dir .. "/gmon.sum" }
      end
      local result = launch.line("umask 027; " .. preloaded "NAMELESS=no", { "-s", built.image, built.gmon },
        { cwd = dir })
      assert.same({ "", 0 }, { result.stderr, result.status })
      assert.equal((old or "640") .. "\n", shell.check({ "stat", "-c", "%a", "gmon.sum" }, { cwd = dir }).stdout)
    end
  end)
end)

describe("a signal", function()
  for name, number in pairs(signals) do
    for _, nameless in ipairs { "yes", "no" } do
      local variables = ("NAMELESS=%s SIGNAL=%d "):format(nameless, number)
      local what = ("SIG%s, nameless files: %s"):format(name, nameless)

      it("while a file is computed ends the process, and leaves the old file: " .. what, function()
        local dir = workplace()
        local result = launch.script([[
          require "gprof"
          require "gprof.core".set_program_signals()
          require "gprof.output".new_file("page", function(write)
            write(("x"):rep(100000))
            io.popen("kill -]] .. name .. [[ $PPID"):close()
            print "still here"
          end)
        ]], {}, { cwd = dir, line = preloaded(variables .. "AT=never") })
        assert.same({ number, "" }, { ended_by(result), result.stdout })
        assert.equal("an older page", shell.read(dir .. "/page"))
        assert.equal("page\n", shell.listing(dir))
      end)

      it("while a file gets its name takes effect when the file is complete: " .. what, function()
        local result, page, files = make(preloaded(variables .. "AT=rename"))
        assert.equal(number, ended_by(result))
        assert.truthy(page:find "^<!DOCTYPE")
        assert.equal("page\n", files)
      end)
    end

    it("while a file is copied ends the process, and leaves the old file: SIG" .. name, function()
      local result, page, files = make(preloaded(("NAMELESS=no AT=pread SIGNAL=%d"):format(number)))
      assert.same({ number, "an older page", "page\n" }, { ended_by(result), page, files })
    end)
  end

  it("that is ignored does not end the copy", function()
    local result, page, files = make(preloaded("NAMELESS=no AT=pread SIGNAL=1", "--ignore-signal=HUP"))
    assert.same({ 0, "", "page\n" }, { result.status, result.stderr, files })
    assert.truthy(page:find "^<!DOCTYPE")
  end)
end)

describe("the picture of Graphviz", function()
  it("passes through files without names", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/dot", "#!/bin/sh\nls -A $TMPDIR >seen\ncat\n")
    shell.check { "chmod", "755", dir .. "/dot" }
    shell.check { "mkdir", dir .. "/temporary" }
    local result = launch.line('PATH=$PWD:$PATH TMPDIR=$PWD/temporary exec "$@"',
      { "--export=svg:graph", built.image, built.gmon }, { cwd = dir })
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    assert.truthy(shell.read(dir .. "/graph"):find "^digraph")
    assert.same({ "", "" }, { shell.read(dir .. "/seen"), shell.listing(dir .. "/temporary") })
  end)
end)
