--- Images: object files, their functions and their lines.
--
-- @module gprof.image
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local image_options = require "gprof.library.image_options"
local symbol_tables = require "gprof.library.symbol_tables"

local images = {}

-- What the core calls of this layer is loaded when it is called first.
core.set_sorter(function(order, next)
  return require "gprof.library.sorting"(order, next)
end)
core.set_debug_file_finder(function(image, what)
  return require "gprof.library.debug_file"[what](image)
end)

--- Opens an object file: `gprof.image(path [, options])`.
-- @function gprof.image
-- @tparam string path
-- @tparam[opt] table options say what its functions are, here and in profiles of it that
--   do not say otherwise:
--
--   - `no_static`: leave static functions out (what is in them belongs to
--     the function before);
--   - `ignore_non_functions`: leave local symbols out that are not typed as functions;
--   - `no_demangle`: names as in the symbol table;
--   - `external_symbol_table`: path of a file to take the symbols from;
--   - `file_ordering`: path of a map of object files, whose names functions get then, and
--     neighbours of one file are one;
--   - `gnu_compat`: choose them, and read symspecs, just as GNU gprof does
--
--   and where the debugging file is of an image that was stripped (see
--   gprof.library.debug_file):
--
--   - `debug_dir`: an array of directories to look in, before those where it mostly is;
--   - `warn`: a function that is told of files that cannot be used, or are missing
-- @treturn[1] image with the fields `path`, `text_low` and `text_high` (addresses
--   of the code), `pointer_size` (bytes), `big_endian`, and `build_id`, the number in
--   base 16 by which the linker tells builds apart, or nil; and, when symbols or lines
--   were asked for, `symbols_from`, where the symbols were: "image", "debug file",
--   "packed" (in .gnu_debugdata), or nil; `debug_file`, the path of the debugging file
--   that is used, and `shared_debug_file`, that of one that dwz made, or nil
-- @return[2] nil
-- @treturn[2] string what is wrong: no such file, no object file, no .text
function images.open(path, options)
  arguments.check(path, "string", 1, "image")
  options = arguments.options(options, 2, "image")
  local image, message = core.image(path)
  if not image then return nil, message end
  image_options.set(image, options)
  return image
end

-- The functions of an image as it was opened, for one of its methods, which calls this
-- directly or through `depth` functions more; or nil and a message.
local function own_symbols(image, method, depth)
  arguments.check(image, "gprof.image", 0, method, 4 + (depth or 0))
  return symbol_tables.of(image, image_options.of(image))
end

--- An image.
-- @type image

--- Iterates over the functions of an image, by address;
-- see `profile` for orders and fields.
-- @function image:symbols
-- @tparam[opt="address"] string|function order
-- @tparam[opt] string ... fields
-- @treturn function iterator over symbols
-- @raise if the image has no symbols
core.image_methods.symbols = core.symbols_method(function(image)
  local symbols, message = own_symbols(image, "symbols", 1)
  return symbols or error(message, 3)
end)

--- The function of an image whose code is at an address.
-- @function image:lookup
-- @tparam integer address
-- @treturn[1] symbol|nil
-- @return[2] nil
-- @treturn[2] string what is wrong: the image has no symbols
function core.image_methods:lookup(address)
  address = arguments.check(math.tointeger(address) or address, "integer", 1, "lookup")
  local symbols, message = own_symbols(self, "lookup")
  if not symbols then return nil, message end
  return symbols:lookup(address)
end

--- The functions of an image that a symspec names (`gprof.symspec`).
-- @function image:find
-- @tparam string spec such as "main", "table.c:find" or "table.c:41"
-- @treturn[1] symbol,... all of them, by address: nothing if there are none
-- @return[2] nil
-- @treturn[2] string what is wrong: the image has no symbols
function core.image_methods:find(spec)
  arguments.check(spec, "string", 1, "find")
  local symbols, message = own_symbols(self, "find")
  if not symbols then return nil, message end
  local found, seen = {}, {}
  for _, id in ipairs((require "gprof.symspec".find(symbols, spec))) do
    local symbol = symbols:symbol(id)  -- a part is of another one
    if not seen[symbol] then found[#found + 1] = symbol end
    seen[symbol] = true
  end
  return table.unpack(found)
end

--- Where the code at an address comes from.
-- @function image:source
-- @tparam integer address
-- @tparam[opt=false] boolean gnu_compat as libbfd knows it, which errs about some files
-- @treturn[1] string file, as recorded
-- @treturn[1] integer line, from 1
-- @treturn[1] string|nil the function whose code it was in the source
-- @return[2] nil if that is not known

--- Closes an image. Whoever uses it, or a profile of it, from then on gets an error.
-- @function image:close

--- Iterates over the rows of all line tables, as the compiler wrote them.
-- A row tells of the code from its address to that of the next one. The last row of a
-- sequence has an address only, where the code ends. Tables come in the order of the
-- units that name them; there are none unless the image has debugging information of
-- DWARF 2 to 5.
--
--     for address, file, line in image:lines() do print(address, file, line) end
--
-- @function image:lines
-- @treturn function iterator over address; file, as libbfd spells it; line, or nil if the
--   code is of none; and whether it is a good place for a breakpoint

--- @section end

--- A symbol: what an image says of a function. There is one object for each.
--
-- @table symbol
-- @tfield integer id its number among the symbols
-- @tfield string name as reports show it: demangled, unless the image was opened with
--   `no_demangle`
-- @tfield string symbol as in the symbol table
-- @tfield integer address of its entry
-- @tfield integer size bytes from there to the next symbol
-- @tfield boolean static local to its file
-- @tfield boolean is_function typed as a function by the object file
-- @tfield boolean mapped stands for an object file of a map, whose name it bears
-- @tfield string|nil object the name of the shared library that it is of, in a profile of
--   several objects; nil for the program
-- @tfield string|nil file source file as recorded
-- @tfield integer|nil line of its entry in that file
-- @tfield image image

return images
