-- Builds shared libraries and programs that call them, and profiles them with the dynamic linker.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local shell = require "support.shell"

local library = {}

--- Builds a library and a program from fixtures in "shared/".
-- @tparam string object name of the library's source; "crowded" makes libcrowded.so
-- @tparam string program name of the program's source
-- @tparam[opt] table options `flags` for both, `object_flags`, `program_flags`
-- @treturn table `dir`; `image`, the library's path; `name`, its file name; `program`
function library.build(object, program, options)
  options = options or {}
  local dir = shell.tmpdir(object)
  local name = "lib" .. object .. ".so"
  local function compile(source, ...)
    local argv = { "gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-Wl,-z,lazy", ... }
    table.move(options.flags or {}, 1, #(options.flags or {}), #argv + 1, argv)
    local path = build.fixture("shared/" .. source .. ".c")
    shell.write(dir .. "/" .. source .. ".c", shell.read(path))
    argv[#argv + 1] = source .. ".c"
    shell.check(argv, { cwd = dir })
  end
  compile(object, "-fPIC", "-shared", "-Wl,-soname," .. name, "-o", name,
    table.unpack(options.object_flags or {}))
  -- The program's source precedes the library, because the linker searches a library for the undefined symbols of
  -- earlier files.
  compile(program, "-o", program, "-L.", "-Wl,--no-as-needed", "-l" .. object, "-Wl,-rpath," .. dir,
    table.unpack(options.program_flags or {}))
  return { dir = dir, image = dir .. "/" .. name, name = name, program = dir .. "/" .. program }
end

--- Runs a program with LD_PROFILE for one of its libraries.
-- @tparam string program path
-- @tparam string name the library's soname
-- @tparam[opt] string cwd directory to run in
-- @treturn string path of the profile, in a directory of its own
function library.profile(program, name, cwd)
  local dir = shell.tmpdir("profile")
  shell.check({ program }, { cwd = cwd or dir, timeout = true,
    env = { LD_PROFILE = name, LD_PROFILE_OUTPUT = dir, GMON_OUT_PREFIX = false } })
  return dir .. "/" .. name .. ".profile"
end

--- Replaces the samples of a profile, which depend on the run, by twenty at an address of the library.
-- @tparam string path
-- @tparam integer address
function library.put_samples(path, address)
  local header <const>, bytes = ("c20I4TTI4I4c15c1"), shell.read(path)
  local _, _, low, high, count = header:unpack(bytes)
  local first, size = header:packsize(), ("I2"):packsize()
  local before = (address - low) * count // (high - low)
  shell.write(path, bytes:sub(1, first) .. ("\0"):rep(size * before) .. ("I2"):pack(20) ..
    ("\0"):rep(size * (count - before - 1)) .. bytes:sub(first + size * count + 1))
end

--- Lists the arcs of a profile, in order, as "caller callee calls".
-- @tparam profile profile
-- @treturn {string,...}
function library.arcs(profile)
  local found = {}
  for arc in profile:arcs() do
    found[#found + 1] = ("%s %s %d"):format(arc.caller.name, arc.callee.name, arc.count)
  end
  table.sort(found)
  return found
end

return library
