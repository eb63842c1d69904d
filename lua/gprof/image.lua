--- Images: object files with their functions and source lines.
--
-- @module gprof.image
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local image_options = require "gprof.library.options.image_options"
local symbol_tables = require "gprof.library.symbol_tables"

local images = {}

-- The core calls these functions. The modules that they need are loaded on demand.
core.set_sorter(function(order, next)
  return require "gprof.library.sorting"(order, next)
end)
core.set_debug_file_finder(function(image, what, ...)
  return require "gprof.library.debug_file"[what](image, ...)
end)
core.set_large_name_handler(function(image)
  local warn = image_options.of(image).warn
  if not warn then return end
  warn(image.path .. ": some names are too large to be demangled, and are shown as in " ..
    "the symbol table")
end)

local function open(path)
  if type(path) == "table" then
    return require "gprof.library.files.script_images".open(path)
  end
  local image, message = core.image(path)
  local profile_files = not image and require "gprof.library.files.profile_files"
  if image or not profile_files.is_context_profile(path) then
    return image, message
  end
  return require "gprof.library.files.script_images".open { path }
end

--- Opens an object file: `gprof.image(path [, options])`.
-- @function gprof.image
-- @tparam string|{string,...} path an object file; or profiles of a Lua program, which
--   stand for it: the image then has the functions of all of them
-- @tparam[opt] table options which symbols become functions, for this image and by
--   default for its profiles:
--
--   - `no_static`: leave out static functions (their samples and calls are attributed to
--     the preceding function);
--   - `ignore_non_functions`: leave out local symbols that are not typed as functions;
--   - `no_demangle`: keep names as in the symbol table;
--   - `external_symbol_table`: path of a file to read the symbols from;
--   - `file_ordering`: path of a map from functions to object files: a function is named
--     after its object file, and neighbours from one file are merged;
--   - `gnu_compat`: choose functions and read symspecs exactly as GNU gprof does
--
--   and where to find the debugging file of a stripped image (see
--   gprof.library.debug_file):
--
--   - `debug_dir`: array of directories to search in addition to the standard ones;
--   - `warn`: function called with a message about each file that is missing or unusable,
--     and once if names are too large to be demangled
-- @treturn[1] image with the fields
--
--   - `path`;
--   - `text_low`, `text_high`: address range of .text, `text_high` exclusive;
--   - `text_offset`: position of .text in the file;
--   - `code_low`, `code_high`: the same for all sections with code;
--   - `pointer_size`: in bytes;
--   - `big_endian`;
--   - `build_id`: the build id, in hexadecimal, or nil
--
--   and, once symbols or lines have been read,
--
--   - `symbols_from`: where the symbols were: "image", "debug file", "packed" (in
--     .gnu_debugdata), or nil;
--   - `debug_file`: path of the debugging file in use, or nil;
--   - `shared_debug_file`: path of the shared debugging file made by dwz, or nil
-- @return[2] nil
-- @treturn[2] string what is wrong: no such file, not an object file, no .text section
function images.open(path, options)
  local paths = type(path) == "table" and path[1] and path or { path }
  for i = 1, math.max(#paths, 1) do arguments.check(paths[i], "string", 1, "image") end
  options = arguments.options(options, 2, "image")
  local image, message = open(path)
  if not image then return nil, message end
  image_options.set(image, options)
  return image
end

-- Returns the functions of an image, for one of its methods; nil and a message on
-- failure. `depth` is the number of calls between the method and this function; error
-- levels depend on it.
local function own_symbols(image, method, depth)
  arguments.check(image, "gprof.image", 0, method, 4 + (depth or 0))
  local options, state = image_options.of(image), core.state(image)
  -- scripts look up many addresses: the options are the same table until they change
  if state.own_symbols and state.own_options == options then return state.own_symbols end
  local symbols, message = symbol_tables.of(image, options)
  local is_fixed = not (options.external_symbol_table or options.file_ordering)
  state.own_options, state.own_symbols = options, is_fixed and symbols or nil
  return symbols, message
end

--- An image.
-- @type image

--- Iterates over the functions of an image, by default in address order; see `profile`
-- for orders and fields.
-- @function image:symbols
-- @tparam[opt="address"] string|function order
-- @tparam[opt] string ... fields
-- @treturn function iterator over symbols
-- @raise if the image has no symbols
core.image_methods.symbols = core.symbols_method(function(image)
  local symbols, message = own_symbols(image, "symbols", 1)
  return symbols or error(message, 3)
end)

--- Finds the function whose code contains an address.
-- @function image:lookup
-- @tparam integer address
-- @tparam[opt] string ... fields
-- @return[1] symbol, or the values of its fields; or nil
-- @return[2] nil
-- @treturn[2] string what is wrong: the image has no symbols
core.image_methods.lookup = core.lookup_method(function(image, address)
  arguments.check(math.tointeger(address) or address, "integer", 1, "lookup", 4)
  return own_symbols(image, "lookup")
end)

--- Finds the functions that a symspec names (see gprof.symspec).
-- @function image:find
-- @tparam string spec such as "main", "table.c:find" or "table.c:41"
-- @treturn[1] symbol,... all matches in address order; nil if nothing matches
-- @return[2] nil
-- @treturn[2] string what is wrong: the image has no symbols
function core.image_methods:find(spec)
  arguments.check(spec, "symspec", 1, "find")
  local symbols, message = own_symbols(self, "find")
  if not symbols then return nil, message end
  local found, seen = {}, {}
  for _, id in ipairs((require "gprof.symspec".find(symbols, spec))) do
    local symbol = symbols:symbol(id)  -- for a cold part, its function
    if not seen[symbol] then found[#found + 1] = symbol end
    seen[symbol] = true
  end
  return table.unpack(found, 1, math.max(#found, 1))
end

--- Finds the source line of the code at an address.
-- @function image:source
-- @tparam integer address
-- @tparam[opt=false] boolean gnu_compat ask libbfd, as GNU gprof does; libbfd's answers
--   are wrong for some files
-- @treturn[1] string file, as recorded
-- @treturn[1] integer line, from 1
-- @treturn[1] string|nil the function that contains the line in the source
-- @return[2] nil if the line is unknown

--- Finds the source line of the code at an address, but not its function: this takes less
-- time and memory.
-- @function image:line
-- @tparam integer address
-- @treturn[1] string file, as recorded
-- @treturn[1] integer line, from 1
-- @return[2] nil if the line is unknown

--- Finds the functions of the source at an address: the innermost one, the one into which
-- it was inlined, and so on, up to the function that was compiled.
--
-- A frame is a table: `name` as in the debugging information (mangled); `file` and `line`
-- of the code at the address in the innermost function, or of the call in the others;
-- `discriminator` of the call, in the others, if the compiler tells calls in one line
-- apart; `declared`, the line where the function is declared; `inlined`, false only for
-- the last one. What is unknown is nil.
--
--     for i, frame in ipairs(image:frames(address) or {}) do print(i, frame.name) end
--
-- @function image:frames
-- @tparam integer address
-- @tparam[opt] integer most return at most this many frames
-- @treturn[1] {table,...} frames, the innermost first
-- @return[2] nil if there is no debugging information for the address

--- Returns the number of the scope at an address: the innermost function of the source,
-- or its copy that was inlined there. It is faster than `image:frames` for many addresses
-- in the same scopes.
-- @function image:scope
-- @tparam integer address
-- @treturn[1] integer
-- @treturn[1] integer one past the last address around this one with the same scope
-- @return[2] nil if there is no debugging information for the address

--- Returns the fields of a scope; each is nil if it is unknown.
-- @function image:scope_fields
-- @tparam integer scope
-- @treturn string name as in the debugging information (mangled)
-- @treturn integer the line where the function is declared
-- @treturn integer the scope into which it was inlined
-- @treturn integer the line of the call there
-- @treturn integer the discriminator of the call, if the compiler tells calls in one line
--   apart

--- Returns instructions in assembler, at most those in 64 KiB.
-- @tparam integer low address of the first one
-- @tparam integer high one past the last byte
-- @treturn[1] {table,...} each with `address` and `text`, in which addresses of code and
--   data are written as "<0x401000>"; empty if there is no code at `low`
-- @return[2] nil
-- @treturn[2] string what is wrong: libopcodes cannot decode this machine's code
function core.image_methods:instructions(low, high)
  arguments.check(self, "gprof.image", 0, "instructions")
  low = arguments.check(math.tointeger(low) or low, "integer", 1, "instructions")
  high = arguments.check(math.tointeger(high) or high, "integer", 2, "instructions")
  local opcodes, message = require "gprof.library.native".load "gprof.opcodes"
  if not opcodes then return nil, "the " .. message end
  local found
  found, message = core.instructions(self, opcodes, low, high)
  if not found then return nil, message end
  local list = {}
  for i = 1, #found, 2 do
    list[#list + 1] = { address = found[i], text = found[i + 1] }
  end
  return list
end

--- Returns whether a string of the debugging information, such as the name of a compiler,
-- contains a text.
-- @function image:has_debug_text
-- @tparam string text
-- @treturn boolean

--- Closes an image. Later use of it or of its profiles raises an error.
-- @function image:close

--- Iterates over the rows of all line tables, as the compiler wrote them.
-- A row covers the code from its address up to the address of the next row. The last row
-- of a sequence has only an address, one past the end of the code. Tables come in the
-- order of the units of the debugging information that refer to them. Only DWARF 2 to 5
-- has line tables.
--
--     for address, file, line in image:lines() do print(address, file, line) end
--
-- @function image:lines
-- @treturn function iterator over address; file, as libbfd spells it; line, or nil if the
--   code has no source line; whether the compiler recommends a breakpoint there; and the
--   discriminator, which tells blocks of code of one line apart

--- @section end

--- A symbol: a function of an image. There is one object for each symbol.
--
-- @table symbol
-- @tfield integer id its number in the symbol table
-- @tfield string name as reports show it: demangled, unless the image was opened with
--   `no_demangle`
-- @tfield string symbol name as in the symbol table
-- @tfield integer address of its entry
-- @tfield integer size bytes from its entry to the next symbol
-- @tfield boolean static local to its file
-- @tfield boolean is_function typed as a function by the object file
-- @tfield boolean mapped stands for an object file of the map (option `file_ordering`)
--   and has the name of that file
-- @tfield string|nil object name of its shared library in a profile of several objects;
--   nil for the program
-- @tfield string|nil file source file as recorded
-- @tfield integer|nil line of its entry in that file
-- @tfield image image

--- The functions of an image as a whole: the field `symbols` of a profile, an argument of
-- `gprof.symspec.find` and `data:write`. Those of a profile by line have its lines, too.
--
-- @table symbols
-- @tfield integer count number of functions

return images
