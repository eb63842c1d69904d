--- Loads the library's modules as bytecode, several times faster than from source.
--
-- The bytecode of all modules is in one file in the core's directory, which
-- lua/bundle.lua writes. Its layout:
--
--     gprof bytecode 1, Lua RELEASE, index LENGTH CHECKSUM
--     MODULE SOURCE OFFSET LENGTH CHECKSUM    the index: an empty line, then the modules
--     the bytecode of each module, compiled with the source name "="
--
-- SOURCE is the checksum of the source. OFFSET counts from the end of the index. Numbers
-- are decimal, checksums hexadecimal.
--
-- Bytecode is used only if the source that `require` would load has the recorded
-- checksum. Computing the checksum takes a tenth of the time of compiling the source.
-- (Comparing file times would be cheaper, but installers change them.) The source is
-- loaded if it was edited, if the user has another module of that name, or if the bundle
-- is missing, damaged or from another release of Lua.
--
-- @internal gprof.library.bundle
-- SPDX-License-Identifier: GPL-3.0-or-later

local bundle = {}

local HEADER <const> = "^gprof bytecode 1, Lua ([%d.]+), index (%d%d%d%d%d%d) (%x+)$"
local OURS <const> = "^gprof%f[.\0]"

--- Encodes a string as `string.dump` does: its length plus one, in groups of seven bits,
-- the most significant first, with the highest bit set in the last byte; then the text.
-- @tparam string text of at most 16,382 bytes
-- @treturn string
function bundle.dumped(text)
  local size = #text + 1
  local low = string.char(size & 0x7F | 0x80)
  return (size < 0x80 and low or string.char(size >> 7) .. low) .. text
end

-- Installs a package searcher that loads modules from the bundle.
local function install(core, path)
  local function verified(text, checksum)
    return text and ("%x"):format(core.checksum(text)) == checksum and text or nil
  end

  local function read_index()
    local file <close> = io.open(path, "rb")
    local header = file and file:read "l" or ""
    local release, length, checksum = header:match(HEADER)
    if not release or release ~= core.lua_release() then return nil end
    return verified(file:read(tonumber(length)), checksum), file:seek()
  end

  local index, base = read_index()
  if not index then return end

  -- Returns the bytecode of a module; nil if it was compiled from a different source.
  local function read_bytecode(name, source)
    local checksum = core.file_checksum(source)
    local _, stop = index:find(("\n%s %x "):format(name, checksum or 0), 1, true)
    if not stop then return nil end
    local offset, length, expected = index:match("^(%d+) (%d+) (%x+)\n", stop + 1)
    local file <close> = io.open(path, "rb")
    return file and file:seek("set", base + offset) and
      verified(file:read(tonumber(length)), expected)
  end

  local function search(name)
    local source = name:find(OURS) and package.searchpath(name, package.path)
    local code = source and read_bytecode(name, source)
    if not code then return nil end
    local before, after = code:find(bundle.dumped "=", 1, true)
    local run = load(code:sub(1, before - 1) .. bundle.dumped("@" .. source) ..
      code:sub(after + 1), source, "b")
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
