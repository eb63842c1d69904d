-- Cold parts of functions belong to their functions, wherever linkers list them in the symbol table. The oracle is
-- llvm-symbolizer: the debugging information says to which function a cold part belongs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local elf = require "support.elf"
local gprof = require "gprof"
local shell = require "support.shell"

local sources <const> = { "cold_hidden.c", "cold_static.c", "cold.c" }
local is_source <const> = { ["cold_hidden.c"] = true, ["cold_static.c"] = true, ["cold.c"] = true }

local texts <const> = { ["exports.map"] = "{ global: main; hidden_round; static_round; local: *; };\n" }
for _, name in ipairs { "cold.h", table.unpack(sources) } do texts[name] = shell.read(build.fixture(name)) end

-- Compiles the program. `last` is the source that is linked last.
local function compile(flags, last)
  local argv = { "gcc", "-O2", "-g", "-pg", "-o", "cold", table.unpack(flags) }
  for _, name in ipairs(sources) do
    if name ~= last then argv[#argv + 1] = name end
  end
  argv[#argv + 1] = last
  return build.compiled("cold", argv, texts) .. "/cold"
end

-- Returns an image's cold parts, and the set of its functions as "name address": one address can have several names.
local function functions_of(path)
  local cold, functions = {}, {}
  for _, f in ipairs(elf.functions(path)) do
    if f.name:find "%.cold$" then cold[#cold + 1] = f end
    functions[f.name .. " " .. f.address] = true
  end
  return cold, functions
end

-- Returns the function (without suffixes) and source file of each address, { name, file }, from the outermost frame:
-- the function that the others were inlined into.
local function sources_of(path, addresses)
  local words, found = {}, {}
  for i, address in ipairs(addresses) do words[i] = ("%#x"):format(address) end
  local answer = shell.check({ "llvm-symbolizer", "-f", "-i", "-e", path, table.unpack(words) }).stdout
  for frames in answer:gmatch "(.-\n)\n" do
    local name, place = frames:match "([^\n]+)\n([^\n]+)\n$"
    found[#found + 1] = { name:match "^[^.]+", place:match "([^/:]+):[1-9]" or "?" }
  end
  assert.equal(#addresses, #found)
  return found
end

-- Checks the owner of each cold part. `debugging` is the same image with debugging information.
local function assert_owners(path, debugging)
  local image, checked = assert(gprof.image(path)), {}
  local cold, functions = functions_of(path)
  local addresses, owners = {}, {}
  for i, part in ipairs(cold) do
    addresses[i], owners[i] = part.address, assert(image:lookup(part.address)).address
    assert.is_true(functions[part.name:match "^(.+)%.cold$" .. " " .. owners[i]], part.name)
  end
  local of_parts, of_owners = sources_of(debugging or path, addresses), sources_of(debugging or path, owners)
  for i, source in ipairs(of_parts) do
    if is_source[source[2]] then
      assert.same(source, of_owners[i])
      checked[#checked + 1] = source[1]
    end
  end
  table.sort(checked)
  assert.same({ "alone", "always_static", "always_static", "everywhere", "everywhere", "everywhere", "once_global",
    "split_once" }, checked)
end

if not shell.installed "llvm-symbolizer" then return pending "needs llvm-symbolizer" end

describe("The cold part of a function belongs to it", function()
  local pie <const>, fixed <const> = { "-fPIE", "-pie" }, { "-fno-pie", "-no-pie" }
  local kinds <const> = {
    ["in a position-independent executable"] = pie,
    ["in an executable at a fixed address"] = fixed,
    ["in a shared library"] = { "-fPIC", "-shared" },
    ["in a static, position-independent executable"] = { "-fPIE", "-static-pie" },
    ["if a version script makes functions local"] = { "-fPIE", "-pie", "-Wl,--version-script=exports.map" },
    ["at a fixed address, if a version script makes functions local"] =
      { "-fno-pie", "-no-pie", "-Wl,--version-script=exports.map" },
    ["in sections of their own"] = { "-ffunction-sections", "-Wl,--gc-sections" },
  }
  for kind, flags in pairs(kinds) do
    for _, linker in ipairs { "bfd", "gold", "lld" } do
      local what = ("%s, by %s"):format(kind, linker)
      if shell.run({ "ld." .. linker, "--version" }).status ~= 0 then
        pending(what .. ": needs ld." .. linker)
      elseif linker ~= "gold" or flags[2] ~= "-static-pie" then  -- gold does not support -static-pie
        it(what, function()
          assert_owners(compile({ "-fuse-ld=" .. linker, table.unpack(flags) }, "cold.c"))
        end)
      end
    end
  end

  for _, last in ipairs(sources) do
    it(("if %s is linked last"):format(last), function()
      assert_owners(compile({ "-fuse-ld=gold", table.unpack(pie) }, last))
      assert_owners(compile({ "-fuse-ld=bfd", table.unpack(pie) }, last))
    end)
  end

  for _, partition in ipairs { "none", "one", "1to1", "max", "balanced" } do
    for kind, flags in pairs { pie = pie, fixed = fixed } do
      it(("with link-time optimization, partition %s, %s"):format(partition, kind), function()
        assert_owners(compile({ "-flto", "-flto-partition=" .. partition, table.unpack(flags) }, "cold.c"))
      end)
    end
  end

  it("if the symbols of source files are stripped", function()
    local path, stripped = compile({ "-fPIE", "-pie" }, "cold.c"), shell.tmpdir "cold" .. "/stripped"
    shell.check { "strip", "-g", "-o", stripped, path }
    assert_owners(stripped, path)
  end)
end)

describe("A cold part", function()
  local function owner(symbols)
    local image = gprof.image(build.craft { text = 0x100, symbols = symbols })
    return image:lookup(0x1080).address - 0x1000
  end
  local function file(name) return { name, 0, "local,file" } end
  local function local_function(name, offset) return { name, offset, "local,function" } end

  it("belongs to a function of its own file rather than to a global function", function()
    assert.equal(0x40, owner { file "a.c", local_function("f", 0x40), local_function("f.cold", 0x80), file "b.c",
      local_function("f", 0x60), { "f", 0x20 } })
  end)

  it("belongs to a global function rather than to a static one of another file", function()
    assert.equal(0x20, owner { file "a.c", local_function("f.cold", 0x80), file "b.c", local_function("f", 0x60),
      { "f", 0x20 } })
  end)

  it("belongs to the function that is listed last, after the last file", function()
    assert.equal(0x20, owner { file "a.c", local_function("f.cold", 0x80), file "b.c", local_function("f", 0x60),
      file "c.c", local_function("f", 0x20) })
  end)

  it("belongs to the only function of its name, in any file", function()
    assert.equal(0x20, owner { file "a.c", local_function("f.cold", 0x80), file "b.c", local_function("f", 0x20),
      file "c.c", local_function("g", 0x60) })
  end)

  it("does not belong to a function that has another cold part", function()
    local function f_of_last_file(...)
      return owner { file "a.c", local_function("f.cold", 0x80), file "b.c", local_function("f", 0x20),
        file "c.c", local_function("f", 0x60), ... }
    end
    assert.equal(0x60, f_of_last_file())
    assert.equal(0x20, f_of_last_file(local_function("f.cold", 0xa0)))
  end)

  it("belongs to its function if files are stripped and another function has a cold part", function()
    -- A hidden function: first in lld's order, then in ld's order.
    assert.equal(0x20, owner { local_function("f.cold", 0x80), local_function("f", 0x20), local_function("f", 0x40),
      local_function("f.cold", 0xa0) })
    assert.equal(0x20, owner { local_function("f", 0x40), local_function("f.cold", 0xa0),
      local_function("f.cold", 0x80), local_function("f", 0x20) })
  end)

  it("may have any of clang's numbers, also in several files", function()
    for _, number in ipairs { "1", "12" } do
      assert.equal(0x40, owner { file "a.c", local_function("f", 0x40), local_function("f.__part.3", 0x60),
        local_function("f.__part." .. number, 0x80), file "b.c", local_function("f", 0x20),
        local_function("f.__part.1", 0xa0), { "g", 0xc0 } })
      assert.equal(0x20, owner { file "a.c", local_function("f.__part.3", 0x60),
        local_function("f.__part." .. number, 0x80), { "f", 0x20 } })
    end
    for _, name in ipairs { "f.__part.", "f.__part.x", ".__part.1", "f.__pert.1" } do
      assert.equal(0x80, owner { file "a.c", local_function("f", 0x40), local_function(name, 0x80) })
    end
  end)

  it("is a function itself if several others may own it", function()
    assert.equal(0x80, owner { file "a.c", local_function("f.cold", 0x80), file "b.c", local_function("f", 0x20),
      file "c.c", local_function("f", 0x60), file "d.c", local_function("g", 0x70) })
  end)
end)
