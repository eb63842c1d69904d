--- What the recorder can record of a program, found out before the program runs.
--
-- @internal gprof.library.files.recordable
-- SPDX-License-Identifier: GPL-3.0-or-later

local collection = require "gprof.library.collection"
local core = require "gprof.core"
local program_files = require "gprof.library.files.program_files"

local recordable = {}

-- Numbers of the ELF format.
local CLASS_64 <const>, LITTLE <const>, PT_INTERP <const> = 2, 1, 3
local HEADER <const>, ENTRY <const>, MOST_ENTRIES <const> = 64, 56, 64

-- Returns the class, the machine, and the dynamic linker of an ELF file; nil if it is not
-- one. The last two are only for 64-bit files in the byte order of our machines.
local function elf_header(path)
  local file <close> = core.file_status(path) == "file" and io.open(path, "rb") or nil
  local header = file and file:read(HEADER) or ""
  if header:sub(1, 4) ~= "\x7fELF" or #header < HEADER then return nil end
  local class, order = header:byte(5, 6)
  if class ~= CLASS_64 or order ~= LITTLE then return class end
  local machine, at = ("<I2"):unpack(header, 19), ("<i8"):unpack(header, 33)
  local entries = ("<I2"):unpack(header, 57)
  for i = 0, math.min(entries, MOST_ENTRIES) - 1 do
    local entry = at >= 0 and file:seek("set", at + i * ENTRY) and file:read(ENTRY) or ""
    if #entry == ENTRY and ("<I4"):unpack(entry) == PT_INTERP then
      local offset = ("<i8"):unpack(entry, 9)
      local name = offset >= 0 and file:seek("set", offset) and file:read(128) or ""
      return class, machine, name:match "^[^%z]*"
    end
  end
  return class, machine
end

-- Returns why the recorder cannot be loaded into a program; nil if it can be.
local function obstacle(path, library)
  local class, machine, linker = elf_header(path)
  if class and class ~= CLASS_64 then
    return "is a 32-bit program: the recorder is for 64-bit programs"
  elseif machine and machine ~= select(2, elf_header(library)) then
    return "is for another processor architecture, and is not recorded"
  elseif linker and linker:find "/ld%-musl" then
    return "is linked with musl, and is not recorded: the recorder is for glibc"
  end
end

--- Returns whether the recorder is part of a program.
-- @tparam image image
-- @treturn boolean
function recordable.has_recorder(image) return image:find "gprof_stack" ~= nil end

-- Returns why a program will not be recorded; nil if it will be.
local function limitation(path, image)
  local change = core.changes_user(path)
  if change == "capabilities" then
    return "has file capabilities: only root can record it"
  elseif change then
    return "is setuid or setgid: only its owner or group can record it"
  elseif image and not recordable.has_recorder(image) and
    not core.needed_libraries(image)[1]
  then
    return "is static, and is not recorded unless it is linked with libgprof-recorder.a"
  end
end

-- Messages about an interpreter of Lua 5.4, of another version, and about a script for
-- that.
local INTERPRETER <const> = "%s: is an interpreter of Lua: its C functions are " ..
  "recorded; to record a program "
local NOTE <const> = INTERPRETER .. "for Lua 5.4, name it in its place: " ..
  "gprof.lua --record SCRIPT"
local TO_RENAME <const> = "with Lua 5.4, give its file a name that ends in .lua: " ..
  "gprof.lua --record SCRIPT.lua"
local SCRIPT_NOTE <const> = "%s: is a program for %s: only the C functions of its " ..
  "interpreter are recorded; to run and record it " .. TO_RENAME

-- Returns how to record the program of an interpreter of Lua; nil for other programs. The
-- user may have named a script that the interpreter runs.
local function lua_note(path, script)
  local name, is_recorded = program_files.lua_version(path)
  if not name then return nil end
  if is_recorded then return NOTE:format(path) end
  return script and SCRIPT_NOTE:format(script, name) or
    (INTERPRETER .. TO_RENAME):format(path)
end

--- Returns what will be recorded of a program.
-- @tparam string path of the program, or of a script's interpreter
-- @tparam image|nil image nil if the program cannot be read
-- @tparam string library path of the recorder
-- @tparam string|nil script that the interpreter runs
-- @treturn table `problem`: why the program is not recorded; `note`: a message about a
--   program that is, with its name; `is_loaded`: whether the recorder is loaded;
--   `samples`: whether only samples are recorded, since the program is not compiled for
--   the recorder
function recordable.check(path, image, library, script)
  local problem = obstacle(path, library)
  if problem then return { problem = problem, is_loaded = false } end
  problem = limitation(path, image)
  local samples = image and not problem and not recordable.has_recorder(image) and
    not collection.is_instrumented(image)
  return { problem = problem, samples = samples or nil,
    is_loaded = not (image and recordable.has_recorder(image)),
    note = samples and lua_note(path, script) or nil }
end

return recordable
