-- Source files that compilers spell in several ways: "a/../shape.h" and "b/../shape.h".
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local SHAPE <const> = [[
static inline __attribute__((always_inline)) int shape(int n) {
  return n * 31 + (n >> 2);
}
int SOLID(int n) {
  return shape(n);
}
]]

-- Compiles a program whose files a/a.c and b/b.c include a header by two paths. Returns it, and a profile with a sample
-- in each copy of the header's function.
local function build(dir, ...)
  local made = small.build({
    ["a/a.c"] = '#define SOLID a\n#include "../shape.h"\n',
    ["b/b.c"] = '#define SOLID b\n#include "../shape.h"\n',
    ["main.c"] = "int a(int n), b(int n);\nint main(void) { return a(1) + b(2); }\n",
    ["shape.h"] = SHAPE,
  }, dir, "-O2", ...)
  local ticks, arcs = {}, {}
  local entries = shell.check({ "nm", made.image }).stdout
  for _, name in ipairs { "a", "b" } do
    local entry = tonumber(entries:match("(%x+) T " .. name .. "\n"), 16)
    arcs[#arcs + 1] = { made.rows["main.c"][2][1] + 8, entry, 1 }
    for _, address in ipairs(made.rows["shape.h"][2]) do ticks[small.even(address)] = 10 end
  end
  return made, small.profile(made, { ticks = ticks, arcs = arcs })
end

local function run(words, cwd)
  local result = program.run(words, { cwd = cwd })
  assert.equal(0, result.status, result.stderr)
  return result.stdout
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

describe("A header that is included by two paths", function()
  local made, profile

  setup(function() made, profile = build() end)

  it("is one file", function()
    local image <close> = gprof.image(made.image)
    local address = made.rows["shape.h"][2]
    assert.equal(made.dir .. "/shape.h", (image:source(address[1])))
    assert.equal(made.dir .. "/shape.h", (image:source(address[#address])))
    for _, file in image:lines() do assert.not_matches("/../", file or "", 1, true) end
    local frames = image:frames(address[1])
    assert.same({ made.dir .. "/shape.h", made.dir .. "/shape.h" }, { frames[1].file, frames[2].file })
  end)

  it("has its recorded paths with GNU gprof's behaviour", function()
    -- libbfd finds the header's lines in tables of DWARF 4
    local made_old, profile_old = build(nil, "-gdwarf-4")
    local image <close> = gprof.image(made_old.image)
    local address = made_old.rows["shape.h"][2]
    local first, last = image:source(address[1], true), image:source(address[#address], true)
    assert.same({ made_old.dir .. "/a/../shape.h", made_old.dir .. "/b/../shape.h" }, { first, last })
    if not oracle.available() then return pending "needs GNU gprof 2.40" end
    for _, options in ipairs { { "-b", "-l", "-p" }, { "-b", "-l", "-q" }, { "-b", "-A" } } do
      local words = table.move(options, 1, #options, 1, {})
      table.move({ made_old.image, profile_old }, 1, 2, #words + 1, words)
      local theirs = oracle.run(words)
      assert.equal(0, theirs.status, theirs.stderr)
      assert.equal(theirs.stdout, run { "--gnu-compat", table.unpack(words) })
    end
  end)

  it("has one row for each of its functions and lines", function()
    local text = run { "-b", "-p", "--inlines", made.image, profile }
    assert.equal(1, count(text, " shape\n"), text)
    text = run { "-b", "--lines", made.image, profile }
    assert.equal(1, count(text, "shape%.h:2 "), text)
  end)

  it("is annotated once, in a file with its own name", function()
    local text = run { "-b", "-A", made.image, profile }
    assert.equal(1, count(text, "%*%*%* File "), text)
    local dir = shell.tmpdir "listings"
    run({ "-b", "-A", "-y", made.image, profile }, dir)
    assert.equal("shape.h-ann\n", shell.check({ "ls", "-A" }, { cwd = dir }).stdout)
  end)
end)

describe("A path with a symbolic link before ..", function()
  it("is kept, because it leads to the directory above the link's target", function()
    local dir = shell.tmpdir "linked"
    shell.check({ "mkdir", "-p", "far/b", "a" }, { cwd = dir })
    shell.check({ "ln", "-s", "far/b", "b" }, { cwd = dir })
    shell.write(dir .. "/far/shape.h", SHAPE)
    local made, profile = build(dir)
    local text = run { "-b", "-A", made.image, profile }
    assert.matches("*** File " .. dir .. "/b/../shape.h:", text, 1, true)
    assert.matches("*** File " .. dir .. "/shape.h:", text, 1, true)
    run({ "-b", "-A", "-y", made.image, profile }, dir .. "/far")
    local listings = shell.check({ "ls", "-A", dir .. "/far" }).stdout
    assert.equal("b\nb-shape.h-ann\nshape.h\nshape.h-ann\n", listings)
  end)
end)

describe("The path of a source file", function()
  local paths <const> = {
    { "/no/./x.c", "/no/x.c" }, { "/no//such/x.c", "/no/such/x.c" }, { "/no/a/b/../../x.c", "/no/x.c" },
    { "/../x.c", "/x.c" }, { "/no/.hidden/x.c", "/no/.hidden/x.c" }, { "/no/..a/...", "/no/..a/..." },
    { "/no/a/../..", "/" }, { "/a/../../no/x.c", "/no/x.c" },
  }

  it("is the shortest one", function()
    local texts = {}
    for i, path in ipairs(paths) do texts[i] = ('# 7 "%s"\nint f%d(void) { return 1; }\n'):format(path[1], i) end
    texts[#texts + 1] = '# 9 "/no/main.c"\nint main(void) { return 0; }\n'
    local made = small.build { ["x.c"] = table.concat(texts) }
    local image <close> = gprof.image(made.image)
    for i, path in ipairs(paths) do
      local entry = shell.check({ "nm", made.image }).stdout:match("(%x+) T f" .. i .. "\n")
      assert.equal(path[2], (image:source(tonumber(entry, 16))))
    end
  end)
end)
