-- Programs for the specs of exports, and the figures that their exports must contain.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"
local stacks = require "support.context_stacks"

local exported = {}

--- A program whose functions have unusual names, with calls between all of them.
exported.names = {
  functions = {
    "main", "plain name", 'a"quote', "back\\slash", "semi;colon", "new\nline", "tab\tname", "caf\u{e9}",
    "bad\xff\xc3(byte", "(7)", "<angle>", "operator()(int) const", "name 12", "-minus", "@at", "&amp;",
    "{brace|bar}", "%d %s", "'single'", "\u{1F600}", "#hash", "\x7f\x01control",
  },
  ticks = {}, calls = {},
}
for i, name in ipairs(exported.names.functions) do
  exported.names.ticks[name] = i
  if i > 1 then exported.names.calls[i - 1] = { "main", name, i } end
end

--- Runs the program and returns its export.
-- @tparam string kind
-- @tparam string image path
-- @tparam string profile path
-- @param ... further arguments
-- @treturn string
function exported.text(kind, image, profile, ...)
  local result = program.run { "--export=" .. kind, image, profile, ... }
  assert(result.status == 0 and result.stderr == "", result.stderr)
  return result.stdout
end

--- Exports the profile of a crafted program (see `support.crafted`).
-- @tparam string kind
-- @tparam table plan
-- @param ... further arguments
-- @treturn string
function exported.crafted(kind, plan, ...)
  return exported.text(kind, crafted.image(plan), crafted.gmon(plan), ...)
end

--- Writes the profile of a program with call paths: two callers of a function, recursion, a cycle, two threads.
-- @treturn string path of the image
-- @treturn string path of the profile
function exported.measured()
  local functions = { "main", "cheap", "dear", "work", "even", "odd", "walk", "thread" }
  local image = crafted.image { functions = functions }
  local path = gmon.write(shell.tmpdir "measured" .. "/measured.ctx", stacks.pack(functions, {
    { "main", ticks = 3 }, { "main", "cheap", "work", ticks = 10 }, { "main", "cheap", "work" },
    { "main", "dear", "work", ticks = 990 }, { "main", "even", "odd", "even", "work", ticks = 40 },
    { "main", "even", "odd", ticks = 7 }, { "main", "walk", "walk", "walk", ticks = 5 }, { "main", "odd", ticks = 2 },
    { "thread", "dear", ticks = 21, thread = 2 }, { "thread", "work", ticks = 100, thread = 2 } }))
  return image, path
end

--- Writes a profile of samples alone, with call paths, in two threads.
-- @treturn string path of the image
-- @treturn string path of the profile
function exported.sampled()
  local functions = { "main", "work", "thread" }
  return crafted.image { functions = functions }, gmon.write(shell.tmpdir "alone" .. "/alone.ctx",
    stacks.pack(functions, { uncounted = true, { "main", "work", ticks = 30 }, { "main", ticks = 10 },
      { "thread", "work", ticks = 60, thread = 2 } }))
end

--- Iterates over fixture programs that together have most features.
-- @treturn function iterator over name, path of the image, path of the profile
function exported.each_program()
  return coroutine.wrap(function()
    for _, name in ipairs { "calls", "cycles", "clones", "shapes", "twins", "hum" } do
      local built = build.program(name)
      coroutine.yield(name, built.image, built.gmon)
    end
  end)
end

--- Like `each_program`, but also a program with call paths, so that its times are measured. It has no line numbers.
-- @treturn function the same iterator
function exported.each_profile()
  return coroutine.wrap(function()
    for name, image, path in exported.each_program() do coroutine.yield(name, image, path) end
    coroutine.yield("measured", exported.measured())
  end)
end

--- Makes a program with inlined code from a header, and a profile with samples on three lines.
-- @tparam[opt] integer count how often the inlined code calls leaf
-- @treturn string path of the image
-- @treturn string path of the profile
-- @treturn {[string]=integer} samples, keyed by file and line such as "main.c:5", without directories
function exported.inlined(count)
  local made = small.build {
    ["main.c"] = '#include "twice.h"\nint leaf(int x) {\n  return x;\n}\nint main(void) {\n' ..
      "  int y = leaf(3);\n  y = twice(y);\n  return y + leaf(4);\n}\n",
    ["twice.h"] = "static inline __attribute__((always_inline)) int twice(int x) {\n  return x * 2;\n}\n",
  }
  local rows, even = made.rows, small.even
  local calls = { rows["main.c"][6][1] + 6, rows["main.c"][8][1] + 6 }
  return made.image, small.profile(made, {
    ticks = { [even(rows["main.c"][3][1])] = 5, [even(rows["twice.h"][2][1])] = 7, [even(rows["main.c"][6][1])] = 2 },
    arcs = { { calls[1], rows["main.c"][2][1], 1 }, { calls[2], rows["main.c"][2][1], 3 },
      count and { rows["twice.h"][2][1] + 1, rows["main.c"][2][1], count } },
  }), { ["main.c:3"] = 5, ["twice.h:2"] = 7, ["main.c:6"] = 2 }
end

--- The objects of `exported.libraries`: name, source and function with samples, their number, and flags. The second
-- library has no symbol for its function; the third is deleted.
exported.objects = {
  { "program", "int main(void) { return 0; }", "main", 10, "-no-pie" },
  { "libone.so", "int work_one(int n) { return n * 3; }", "work_one", 20, "-shared", "-fPIC" },
  { "libtwo.so", "static __attribute__((noipa)) int hidden(int n) { return n * 5; }\n" ..
    "int work_two(int n) { return hidden(n) + 1; }", "hidden", 40, "-shared", "-fPIC" },
  { "libgone.so", "int work_gone(int n) { return n * 7; }", "work_gone", 80, "-shared", "-fPIC" },
}

--- Makes a program that used the libraries of `exported.objects`, and its profile: main calls their functions.
-- @treturn string path of the program
-- @treturn string path of the profile
-- @treturn {table,...} the objects: `path`, `build_id`, `address` of the function, `offset` of it in the file
function exported.libraries()
  local dir, records, modules, made = shell.tmpdir "libraries", {}, {}, {}
  for i, object in ipairs(exported.objects) do
    local name, source, code, ticks = table.unpack(object, 1, 4)
    local path, bias = dir .. "/" .. name, (i - 1) << 32
    shell.write(path .. ".c", source .. "\n")
    shell.check { "gcc", "-O1", "-g", "-Wl,--build-id", "-o", path, path .. ".c", table.unpack(object, 5) }
    local image, address = assert(gprof.image(path)), build.address(path, code)
    if name == "libtwo.so" then shell.check { "strip", "--remove-section=.eh_frame", path } end
    modules[i] = { bias = bias, low = bias + image.text_low & -4096, high = bias + image.text_high,
      code = bias + image.text_low, code_end = bias + image.text_high, path = path,
      build_id = image.build_id:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end) }
    made[i] = { path = path, build_id = image.build_id, address = address,
      offset = image.text_offset + address - image.text_low, image = image }
    if i == 1 then records[1] = { context = 0, from = 16, self = address, count = 1 } end
    records[i + 1] = { context = 3, from = bias + address, count = ticks }
  end
  os.remove(made[4].path)
  local image = made[1].image
  return made[1].path, gmon.write(dir .. "/all.ctx", contexts.pack { process = { low = image.text_low,
    high = image.text_high, finish = 1 << 60 }, modules = modules, tables = { records } }), made
end

--- Reads a profile as the program does: with recorded libraries.
-- @tparam string image path
-- @tparam string path of the profile
-- @tparam[opt] table options of the profile
-- @treturn profile
function exported.profile(image, path, options)
  local opened = assert(gprof.image(image))
  options = options or {}
  options.libraries = true
  return assert(gprof.profile(opened, assert(gprof.data(opened, path)), options))
end

return exported
