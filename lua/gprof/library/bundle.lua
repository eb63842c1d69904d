--- Loads the library's modules as bytecode, several times faster than from source.
--
-- The bytecode of all modules is in one file in the core's directory, which
-- lua/bundle.lua writes. Its layout:
--
--     gprof bytecode 2, Lua RELEASE, index LENGTH CHECKSUM
--     MODULE SIZE TIME SOURCE OFFSET LENGTH CHECKSUM    the index: an empty line, then
--                                                       a line for each module
--     the bytecode of each module, from the end of its source name
--
-- SIZE and TIME are those of the source file (the time of its last change in
-- nanoseconds), and SOURCE is the checksum of its contents. OFFSET counts from the end of
-- the index. OFFSET and the LENGTHs are decimal, the rest is hexadecimal.
--
-- Bytecode is used only if the source that `require` would load has the recorded size and
-- time. Installers may change the time; so if it differs, the checksum decides. The
-- source is loaded if it was edited, if the user has another module of that name, or if
-- the bundle is missing, damaged or from another release of Lua.
--
-- @internal gprof.library.bundle
-- SPDX-License-Identifier: GPL-3.0-or-later

local bundle = {}

local HEADER <const> = "^(gprof bytecode 2, Lua ([%d.]+), index (%d+) (%x+)\n)"
local LONGEST_HEADER <const> = 100
local ENTRY <const> = "^(%x+ %x+) (%x+) (%d+) (%d+) (%x+)\n"
local OURS <const> = "^gprof%f[.\0]"

-- Encodes a string of at most 16,382 bytes as `string.dump` does: its length plus one, in
-- groups of seven bits, the most significant first, with the highest bit set in the last
-- byte; then the text.
local function dumped(text)
  local size = #text + 1
  local low = string.char(size & 0x7F | 0x80)
  return (size < 0x80 and low or string.char(size >> 7) .. low) .. text
end

--- Divides the bytecode of a main function, as `string.dump` returns it, at its source
-- name. The first part is the same for all main functions of a release of Lua.
-- @tparam string code compiled with the source name "="
-- @treturn string the bytes before the source name
-- @treturn string the bytes after it
function bundle.divide(code)
  local before, after = code:find(dumped "=", 1, true)
  assert(before, "unsupported bytecode layout: Lua 5.4 expected")
  return code:sub(1, before - 1), code:sub(after + 1)
end

-- Installs a package searcher that loads modules from the bundle.
local function install(core, path)
  local file = core.open_bundle(path)
  if not file then return end

  -- Returns a part of the bundle; nil if its checksum differs.
  local function read(offset, length, checksum)
    local text = core.read_bundle(file, offset, length)
    return text and ("%x"):format(core.checksum(text)) == checksum and text or nil
  end

  local function read_index()
    local start = core.read_bundle(file, 0, LONGEST_HEADER) or ""
    local header, release, length, checksum = start:match(HEADER)
    if not header or release ~= core.lua_release() then return nil end
    return read(#header, tonumber(length), checksum), #header + tonumber(length)
  end

  local index, base = read_index()
  if not index then return end
  local prefix = bundle.divide(string.dump(load("", "=", "t")))

  -- Returns the file that `require` would load as a module, and its size and time; nil if
  -- there is none.
  local function find_source(name)
    local file_name = name:gsub("%.", "/")
    for template in package.path:gmatch "[^;]+" do
      local source = template:gsub("?", { ["?"] = file_name })
      local stamp = core.file_stamp(source)
      if stamp then return source, stamp end
    end
  end

  -- Returns the bytecode of a module; nil if it was compiled from a different source.
  local function read_bytecode(name, source, stamp)
    local _, stop = index:find("\n" .. name .. " ", 1, true)
    if not stop then return nil end
    local compiled, sum, offset, length, checksum = index:match(ENTRY, stop + 1)
    if stamp == compiled or ("%x"):format(core.file_checksum(source) or 0) == sum then
      return read(base + tonumber(offset), tonumber(length), checksum)
    end
  end

  local function search(name)
    if not name:find(OURS) then return nil end
    local source, stamp = find_source(name)
    local code = source and read_bytecode(name, source, stamp)
    if not code then return nil end
    local run = load(prefix .. dumped("@" .. source) .. code, source, "b")
    return run, run and source
  end

  -- The new searcher goes after the searcher of preloaded modules, and before the
  -- searcher of source files. If the library is loaded again, the new searcher replaces
  -- the old one.
  local searchers = package.searchers
  if searchers.gprof then
    for i, searcher in ipairs(searchers) do
      if searcher == searchers.gprof then searchers[i] = search end
    end
  else
    table.insert(searchers, 2, search)
  end
  searchers.gprof = search
end

-- If the core cannot be loaded, gprof.library.native reports why.
local found, core = pcall(require, "gprof.core")
local path = found and package.searchpath("gprof.core", package.cpath)
if path then install(core, path:gsub("[^/]*$", "modules.bundle")) end

return bundle
