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

-- Makes a symbol table from the debugging file of a stripped image. Otherwise, the
-- dynamic symbols are better than none: of a library, of an interpreter in the profile of
-- its script, and of a program if `is_recorded`, with its other code.
local function of_stripped(image, message, shared, is_recorded, make)
  local debug_file = require "gprof.library.debug_file"
  local symbols
  symbols, message = debug_file.symbols(image, message, make)
  local is_library = shared or core.is_shared_library(image)
  if symbols or not (is_library or is_recorded) then return symbols, message end
  core.use_dynamic_symbols(image)
  core.state(image).has_unnamed_code = not is_library
  local base_name <const> = require "gprof.format.path".base
  local problem
  symbols, problem = make(not is_library and base_name(image.path) or nil)
  if symbols then return symbols end
  return nil, core.lacks_symbols(image) and message or problem
end

--- Returns the symbol table of an image. Tracing bypasses the cache.
-- @tparam image image
-- @tparam table options of `gprof.image`
-- @tparam[opt] trace trace
-- @tparam[opt=false] boolean shared add the symbol `<outside>`, for the callers of a
--   shared library
-- @tparam[opt=false] boolean is_recorded the table is for a profile of the recorder: a
--   stripped program has dynamic symbols, and functions that are named by their addresses
-- @treturn[1] symbols
-- @return[2] nil
-- @treturn[2] string what is wrong
function symbol_tables.of(image, options, trace, shared, is_recorded)
  local key = not trace and key_of(options, shared)
  local state = core.state(image)
  state.symbols = state.symbols or {}
  if key and state.symbols[key] then return state.symbols[key] end
  local symbols, message = core.symbols(image, options, trace, shared)
  local debug_files = policy.of(options).debug_files
  if not symbols and debug_files and core.lacks_symbols(image) then
    is_recorded = is_recorded or state.has_unnamed_code
    symbols, message = of_stripped(image, message, shared, is_recorded,
      function(program) return core.symbols(image, options, trace, shared, program) end)
  end
  if symbols and key then state.symbols[key] = symbols end
  return symbols, message
end

return symbol_tables
