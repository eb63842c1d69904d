--- The symbol tables of images: a table is made once for each choice of functions, and
-- kept with the image.
--
-- @internal gprof.library.symbol_tables
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local policy = require "gprof.library.policy"

local symbol_tables = {}

-- By image: tables by what `key_of` returns.
local made_of = setmetatable({}, { __mode = "k" })

-- What tells the tables of one image apart; nil if they depend on other files, too.
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

--- The functions of an image. A table is made anew if the work is traced.
-- @tparam image image
-- @tparam table options of `gprof.image`
-- @tparam[opt] trace trace
-- @tparam[opt=false] boolean shared with a symbol for the callers of a shared library
-- @treturn[1] symbols
-- @return[2] nil
-- @treturn[2] string what is wrong
function symbol_tables.of(image, options, trace, shared)
  local key = not trace and key_of(options, shared)
  local made = made_of[image]
  if key and made and made[key] then return made[key] end
  local symbols, message = core.symbols(image, options, trace, shared)
  local debug_files = policy.of(options).debug_files
  if not symbols and debug_files and core.lacks_symbols(image) then
    local debug_file = require "gprof.library.debug_file"
    symbols, message = debug_file.symbols(image, message, function()
      return core.symbols(image, options, trace, shared)
    end)
  end
  if symbols and key then
    made_of[image] = made or {}
    made_of[image][key] = symbols
  end
  return symbols, message
end

return symbol_tables
