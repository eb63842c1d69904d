--- The symbol tables of images, cached: an image has one table for each combination of
-- options that choose functions.
--
-- @internal gprof.library.symbol_tables
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local policy = require "gprof.library.policy"

local symbol_tables = {}

-- Returns the cache key of options; nil if the table also depends on other files.
local function key_of(options, shared)
  if options.external_symbol_table or options.file_ordering then return nil end
  local parts = { [0] = shared and "x" or "-" }
  for i, name in ipairs {
    "no_static", "ignore_non_functions", "no_demangle", "gnu_compat",
  } do
    parts[i] = options[name] and "x" or "-"
  end
  return table.concat(parts, "", 0)
end

-- Makes a symbol table from the debugging file of a stripped image. The dynamic symbols
-- of a library, or of an interpreter in the profile of its script, are better than none.
local function of_stripped(image, message, shared, make)
  local debug_file = require "gprof.library.debug_file"
  local symbols
  symbols, message = debug_file.symbols(image, message, make)
  local is_library = shared or core.is_shared_library(image)
  if symbols or not is_library then return symbols, message end
  core.use_dynamic_symbols(image)
  symbols = make()
  return symbols, not symbols and message or nil
end

--- Returns the symbol table of an image. Tracing bypasses the cache.
-- @tparam image image
-- @tparam table options of `gprof.image`
-- @tparam[opt] trace trace
-- @tparam[opt=false] boolean shared add the symbol `<outside>`, for the callers of a
--   shared library
-- @treturn[1] symbols
-- @return[2] nil
-- @treturn[2] string what is wrong
function symbol_tables.of(image, options, trace, shared)
  local key = not trace and key_of(options, shared)
  local state = core.state(image)
  state.symbols = state.symbols or {}
  if key and state.symbols[key] then return state.symbols[key] end
  local symbols, message = core.symbols(image, options, trace, shared)
  local debug_files = policy.of(options).debug_files
  if not symbols and debug_files and core.lacks_symbols(image) then
    symbols, message = of_stripped(image, message, shared, function()
      return core.symbols(image, options, trace, shared)
    end)
  end
  if symbols and key then state.symbols[key] = symbols end
  return symbols, message
end

return symbol_tables
