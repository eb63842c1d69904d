--- Profile data: the raw records of profiles, read, made, added up and written.
--
-- @module gprof.data
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"

local data = {}

--- Reads profile files and adds them up: `gprof.data(image, path... [, options])`.
-- @function gprof.data
-- @tparam image image the program, or shared library, that was profiled: its byte order
--   and pointer size are the files'
-- @tparam string ... paths; "-" is standard input
-- @tparam[opt] table options `file_format`: "auto" (default), "magic", "bsd", "4.4bsd" or
--   "prof", System V's `mon.out`; `mixed_rates`: do not refuse histograms of different
--   sampling rates; `slide`: how much higher the addresses in the files are than those of
--   the image, or "auto" to find that out for each of them; `external_symbol_table`:
--   where the symbols are to find it by, if not in the image; `debug`: trace the work on
--   standard error, a sum of the numbers below
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it
local function read(_, image, ...)
  arguments.check(image, "gprof.image", 1, "data")
  local paths = table.pack(...)
  local options = {}
  if type(paths[paths.n]) == "table" then
    options = arguments.options(paths[paths.n], paths.n + 1, "data")
    paths[paths.n], paths.n = nil, paths.n - 1
  end
  for i = 1, paths.n do arguments.check(paths[i], "string", i + 1, "data") end
  local records = core.data(image, options.mixed_rates, arguments.trace(options))
  if options.slide then
    return require "gprof.library.slide".read(records, image, paths, options)
  end
  for i = 1, paths.n do
    local done, message = records:read(paths[i], options.file_format)
    if not done then return nil, message end
  end
  return records
end

--- Makes data without any records.
-- @function gprof.data.new
-- @tparam[opt] table options
--
--   - `image`: what it is to be like, in byte order and pointer size; or
--   - `pointer_size`: 8 (default) or 4 bytes, and `big_endian`: whether it is;
--   - `mixed_rates`, `debug`: as for `gprof.data`
-- @treturn data
function data.new(options)
  options = arguments.options(options, 1, "new")
  local like = options.image
  if like and (options.pointer_size or options.big_endian ~= nil) then
    arguments.bad(1, "new", 2, "an image says what pointer size and byte order are")
  end
  local size = options.pointer_size
  if size and size ~= 4 and size ~= 8 then
    arguments.bad(1, "new", 2, "option 'pointer_size': 4 or 8 expected, got %d", size)
  end
  return core.data(like or size or 8, options.mixed_rates,
    arguments.trace(options), options.big_endian)
end

--- Data.
-- @type data

--- What is known of data.
-- @table fields
-- @tfield integer histogram_records how many records of a kind were read, or added
-- @tfield integer arc_records
-- @tfield integer block_records
-- @tfield integer bytes of the files that were read
-- @tfield boolean has_histogram whether a flat profile can be made from it
-- @tfield boolean has_arcs whether a call graph can
-- @tfield boolean shared whether it is of a shared library: calls from the address 0 are
--   by others, then
-- @tfield integer uncounted calls of a shared library that the dynamic linker had no room
--   to count
-- @tfield {table,...} files what each file held: `path`, `format`, `version` in the magic
--   format, the three counts of records, and `slide`, where an option asked for one or
--   addresses were taken for moved: a table with the `offset` that was taken off; and if
--   that was found out, `arcs`, how many there are; `fitting`, how many of them lead to
--   entries of functions with it; `unmoved`, how many without; and `covers`, whether the
--   histogram covers all of the code
-- @tfield integer|nil low the lowest address in histograms and of callees
-- @tfield integer|nil high the highest one
-- @tfield integer pointer_size bytes of an address in files that are read and written
-- @tfield boolean big_endian how numbers lie there

--- Adds what a file holds. After a failure the data is closed,
-- as part of the file may be in it.
-- @function data:read
-- @tparam string|file path "-" is standard input; or a file of Lua's library that nothing
--   was read of by others: `io.popen "zstd -dc gmon.zst"`, say
-- @tparam[opt="auto"] string format "auto", "magic", "bsd", "4.4bsd" or "prof"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it

--- Adds what a file holds, or nothing of it: after a failure the data is as it
-- was. It takes a little longer than `data:read`, and the memory of one file more.
-- @function data:add_file
-- @tparam string path "-" is standard input
-- @tparam[opt="auto"] string format "auto", "magic", "bsd", "4.4bsd" or "prof"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it,
--   if it is in the file

--- Writes data to a file, which then holds the sum of all that was read. Nothing is lost:
-- addresses stay as they were recorded, and a count that is too large for a record goes
-- on in further records, which readers add up. The new file is made beside the old one
-- and takes its place when it is complete, so the file may be one of those that were
-- read, and is as it was if anything fails.
-- @function data:write
-- @tparam string|file path "-" is standard output; what is no regular file (a device, a
--   pipe) is written to directly, and so is an open file
-- @tparam[opt] string format "auto" or "magic" (default), "bsd" or "4.4bsd"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong: the file cannot be written, or the format cannot hold
--   the data (the BSD ones: several histograms, more than 65,535 samples in a bin, block
--   counts, shared libraries, other units than seconds, and "bsd" any rate but the
--   system's clock tick)

--- Adds the samples of a histogram. The ranges of several must be apart, or the same; all
-- have one unit, one rate and one size of bins. A file has 16 bits for the samples in a
-- bin, and further records of the whole histogram for what is beyond: counts of millions
-- are better written in a larger unit.
-- @function data:add_histogram
-- @tparam table histogram
--
--   - `low`, `high`: the range of addresses that it covers, without `high` itself;
--   - `bins`: how many samples were in each of so many parts of equal size, from 1; none
--     where nothing stands;
--   - `bin_count`: how many there are (`#bins`);
--   - `rate`: how many samples are one unit (100);
--   - `unit`: its name ("seconds"), of at most 15 bytes, and `abbreviation` ("s"),
--     of one or none
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why it cannot be added; the data is as it was

--- Adds calls.
-- @function data:add_arc
-- @tparam integer from an address in the caller, behind the call
-- @tparam integer callee its address
-- @tparam integer count of calls
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added: the sum would be beyond 63 bits

--- Adds executions of a basic block.
-- @function data:add_block
-- @tparam integer address anywhere in the block
-- @tparam integer executions
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added: the sum would be beyond 63 bits

--- Adds other data, which stay as they are.
-- @function data:merge
-- @tparam data other
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added up; the data is as it was

--- Takes an offset off all addresses: that by which a program was loaded higher than it
-- was linked.
-- @function data:slide
-- @tparam integer offset may be negative
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong: histograms, or all callees, would be outside the
--   address space; the data is as it was

--- Iterates over the histograms, one for each range.
-- @function data:histograms
-- @treturn function iterator over objects

--- Iterates over the arcs as they were recorded, in the order in which they were met.
-- Calls by nobody knows whom, as in System V's profiles, come from the highest address
-- (-1, or 0xffffffff where addresses have 4 bytes).
-- @function data:arcs
-- @treturn function iterator over the address of the call, that of the callee, and calls

--- Iterates over the basic blocks, in the order in which they were met.
-- @function data:blocks
-- @treturn function iterator over address and executions

--- Frees the memory. Profiles that were made of the data do not need it any more.
-- @function data:close

--- A histogram.
-- @type histogram

--- What is known of a histogram.
-- @table fields
-- @tfield integer low address that it covers first
-- @tfield integer high the address behind the last one
-- @tfield integer bin_count
-- @tfield number bin_size bytes of code
-- @tfield integer rate samples a unit
-- @tfield string unit "seconds"
-- @tfield string abbreviation "s"; may be empty
-- @tfield data data

--- Iterates over the bins with samples.
-- @function histogram:bins
-- @treturn function iterator over number, samples and address

--- The samples in a bin.
-- @function histogram:count
-- @tparam integer number from 1
-- @treturn integer

return setmetatable(data, { __call = read })
