--- Finds and subtracts slides. The slide of a profile is the difference between the
-- profile's addresses and the image's addresses. It is nonzero if the program was not
-- loaded at the address it was linked for.
--
-- If an option asks for it, the slide is subtracted when data is read; otherwise later,
-- if the addresses do not fit the image. `data.files` then has a table for each slide,
-- with the fields
--
-- - `offset`: how much higher the addresses were than the addresses of the image;
-- - `arcs`: number of arcs; `fitting`: how many of them lead to function entries once the
--   offset is subtracted; `unmoved`: how many do so without the subtraction;
-- - `covers`: whether the histogram covers all of the code once the offset is subtracted;
-- - `by_loader`: whether a loader can have moved the image by the offset.
--
-- If the user gave the offset, there is only the field `offset`.
--
-- @internal gprof.library.slide
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local image_options = require "gprof.library.options.image_options"
local symbol_tables = require "gprof.library.symbol_tables"

local slide = {}

--- Formats an offset as in reports and options: "0x1000", "-0x1000".
-- @tparam integer offset
-- @treturn string
function slide.text(offset)
  return (offset < 0 and "-" or "") .. ("0x%x"):format(offset < 0 and -offset or offset)
end

--- Finds the slide of data.
-- @tparam image image
-- @tparam data data
-- @tparam table options `external_symbol_table`
-- @treturn[1] table the slide; its `offset` is 0 if the data fits the image
-- @return[2] nil
-- @treturn[2] string why it cannot be determined, without the name of the file
function slide.find(image, data, options)
  -- All functions of the image, even those that options leave out: arcs may lead to any
  -- of them. A symbol file on standard input is skipped: it cannot be read twice.
  local path = options.external_symbol_table or
    image_options.of(image).external_symbol_table
  local symbols, message = symbol_tables.of(image,
    { external_symbol_table = path ~= "-" and path or nil })
  if not symbols then return nil, message end
  return core.find_slide(image, symbols, data)
end

--- Subtracts a slide from data, and records it in `data.files`.
-- @tparam data data
-- @tparam table found the slide
-- @tparam[opt=false] boolean wrap whether addresses may wrap around the address space
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, without the name of the file
function slide.subtract(data, found, wrap)
  local done, message = data:slide(found.offset, wrap)
  if not done then return nil, message end
  for _, file in ipairs(data.files) do file.slide = found end
  return data
end

-- Finds and subtracts the slide of data from one file.
local function find_and_subtract(image, data, path, options)
  local found, message = slide.find(image, data, options)
  if found then found, message = slide.subtract(data, found, true) end
  if not found then return nil, path .. ": " .. message end
  return data
end

-- Adds a file to a sum, after subtracting the file's slide.
local function add_file(image, sum, path, format, options)
  local data = core.data(image, options.mixed_rates, arguments.trace(options))
  local done, message = data:read(path, format)
  if done then done, message = find_and_subtract(image, data, path, options) end
  if not done then return nil, message end
  done, message = sum:merge(data)
  if not done then return nil, path .. ": " .. message end
  table.move(data.files, 1, #data.files, #sum.files + 1, sum.files)
  data:close()
  return sum
end

--- Makes a function that adds files to data, each after subtracting its slide.
-- @tparam image image
-- @tparam table options of `gprof.data`
-- @treturn function takes data, a path and a format; returns the data, or nil and a
--   message with the data unchanged
function slide.adder(image, options)
  return function(data, path, format)
    return add_file(image, data, path, format, options)
  end
end

--- Subtracts an offset from data.
-- @tparam data data
-- @tparam integer offset
-- @tparam string where the files, for error messages
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
function slide.apply(data, offset, where)
  local done, message = slide.subtract(data, { offset = offset })
  if not done then return nil, where .. ": " .. message end
  return data
end

--- Reads files for `gprof.data`.
-- @tparam data data
-- @tparam image image
-- @tparam {string,...} paths
-- @tparam table options of `gprof.data`, with `slide`: an offset or "auto"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
function slide.read(data, image, paths, options)
  local auto = options.slide == "auto"
  local add = auto and paths[2] and slide.adder(image, options) or data.read
  for _, path in ipairs(paths) do
    local done, message = add(data, path, options.file_format)
    if not done then return nil, message end
  end
  if not paths[1] or add ~= data.read then
    return data
  elseif auto then
    return find_and_subtract(image, data, paths[1], options)
  end
  return slide.apply(data, options.slide, table.concat(paths, ", "))
end

return slide
