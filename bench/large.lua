--- Rows with real programs, built from Debian's package binutils-source: gold, a linker in C++ (100 MB with debugging
-- information), and readelf (about 1,000 functions).
--
-- @module bench.large
-- SPDX-License-Identifier: GPL-3.0-or-later

local inputs = require "bench.inputs"
local shell = require "bench.shell"

local quote = shell.quote

-- The command runs in an empty directory. The package contains one archive.
local BUILD <const> = [[
tar xf /usr/src/binutils/binutils-*.tar.xz --strip-components=1 && mkdir build && cd build &&
../configure --enable-gold --disable-gdb --disable-gprofng --disable-nls --disable-werror \
  CFLAGS='-O2 -g -pg' CXXFLAGS='-O2 -g -pg' >configure.log 2>&1 &&
make -j2 MAKEINFO=true all-binutils all-gold >make.log 2>&1]]

--- Builds binutils, if that is not done yet.
-- @tparam string dir
-- @treturn string the build directory
local function build(dir)
  shell.cached(dir, BUILD, function()
    io.stderr:write("building binutils (takes some minutes)\n")
    shell.run("cd " .. quote(dir) .. " && " .. BUILD)
  end)
  return dir .. "/build"
end

--- Returns a function that prepares an input: it runs `command`, in which `%s` is the build directory, to write the
-- profile of `program`.
local function profiled(built, program, command)
  return function(dir)
    local root = built(dir)
    local image = root .. program
    local line = command:gsub("%%s", (quote(root):gsub("%%", "%%%%")))
    shell.cached(dir, ("%s\n%s\n%s"):format(image, line, BUILD), function()
      shell.run(("cd %s && %s >/dev/null 2>&1 && rm -f whole.o"):format(quote(dir), line))
    end)
    return image, { dir .. "/gmon.out" }
  end
end

local ROWS <const> = {
  { name = "readelf", title = "readelf, about 1,000 functions, with -g", input = "readelf" },
  { name = "gold", title = "gold, a linker in C++: 100 MB, with -g", input = "gold", aim = 30 },
  { name = "gold-lines", title = "-l -p: the flat profile of gold by line", input = "gold", words = { "-l", "-p" },
    aim = 200, slow = true, symbolized = true },
  { name = "gold-inlines", title = "--inlines: flat profile and call graph of gold, with inlined functions",
    input = "gold", words = { "--inlines" }, ours_alone = true },
  { name = "gold-lines-inlines", title = "-l -p --inlines: the flat profile of gold by line, with where it was inlined",
    input = "gold", words = { "-l", "-p", "--inlines" }, ours_alone = true },
  { name = "gold-lines-graph", title = "-l -q: the call graph of gold by line", input = "gold", words = { "-l", "-q" },
    aim = 200, slow = true },
  { name = "gold-source", title = "-A: annotated source of gold", input = "gold", words = { "-A" } },
  { name = "gold-flat", title = "-p: the flat profile of gold", input = "gold", words = { "-p" } },
  { name = "gold-static", title = "-c: gold, with calls found in the code", input = "gold", words = { "-c" } },
  { name = "gold-order", title = "-r: a link order for gold", input = "gold", words = { "-r" } },
}

--- Returns the rows (see `bench.rows`) and an empty list of notes.
-- @tparam[opt] string elsewhere a directory in which binutils is already built
-- @treturn table `rows` and `notes`
return function(elsewhere)
  local function built(dir)
    return elsewhere or build(dir:match "^(.*)/" .. "/binutils")
  end
  inputs.add("readelf",
    profiled(built, "/binutils/readelf", "%s/binutils/readelf -aW --debug-dump %s/binutils/readelf"))
  inputs.add("gold", profiled(built, "/gold/ld-new", "%s/gold/ld-new -r -o whole.o --whole-archive %s/gold/libgold.a"))
  return { rows = ROWS, notes = {} }
end
