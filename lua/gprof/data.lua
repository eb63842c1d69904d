--- Profile data: reads, creates, adds up and writes the raw records of profile files.
--
-- @module gprof.data
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"

local data = {}

-- Adds up the context profiles of profiles, for data:write.
local function add_contexts(records, paths)
  local sum_contexts = require "gprof.library.files.context_files".sum_contexts
  local contexts, message = sum_contexts(records, paths)
  if not contexts then return nil, message or paths[1] .. ": has no context profile" end
  core.keep_contexts(records, contexts)
  return records
end

local function read_all(records, image, paths, options)
  if options.spread then
    return require "gprof.library.files.spread_files".read(records, image, paths, options)
  end
  if options.slide then
    return require "gprof.library.slide".read(records, image, paths, options)
  end
  for _, path in ipairs(paths) do
    local context_files = not options.assume_proportional and
      profile_files.existing_contexts(path) and
      require "gprof.library.files.context_files"
    local source = context_files and
      context_files.path_for(image, path, options.file_format) or path
    local done, message = records:read(source, options.file_format)
    if done and context_files then
      done, message = context_files.add_call_paths(records, source)
    end
    if not done then return nil, message end
  end
  return records
end

--- Reads profile files and adds them up: `gprof.data(image, path... [, options])`.
-- A context profile of the recorder is read as the same samples and calls as the
-- `gmon.out` beside it, and its call paths are added. If both are given, only `gmon.out`
-- is read. The call paths of a context profile beside a `gmon.out` are added in any case.
-- If the image is a library of the recorded program, the context profile is read instead.
-- @function gprof.data
-- @tparam image image the profiled program or shared library: the files have its byte
--   order and pointer size
-- @tparam string ... paths, at least one; "-" is standard input
-- @tparam[opt] table options
--
--   - `file_format`: "auto" (default), "magic", "bsd", "4.4bsd" or "prof" (System V's
--     `mon.out`);
--   - `mixed_rates`: accept histograms of different sampling rates;
--   - `contexts`: also add up the context profiles. Each file must be a context profile,
--     or have one beside it. `data:write` then writes their sum beside the sum of the
--     records;
--   - `assume_proportional`: do not read context profiles beside the files;
--   - `spread`: also find out how the time and the calls of each function differ between
--     the files. A file is a run of the program; or a sum with the file beside it that
--     has its spread (PATH.spread). A sum without such a file is left out of the spread.
--     See `profile.spread`; `data:write` writes the spread beside the sum. Not with
--     `slide`;
--   - `warn`: function called with a message about each file that is left out;
--   - `slide`: how much higher the addresses in the files are than the addresses of the
--     image, or "auto" to determine this offset for each file;
--   - `external_symbol_table`: file with the symbols for `slide = "auto"`, if they are
--     not in the image;
--   - `debug`: trace the work on standard error. The value is a sum of the numbers listed
--     for `gprof.profile`
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it
local function read(_, image, ...)
  arguments.check(image, "gprof.image", 1, "data")
  local paths = table.pack(...)
  local options = {}
  if paths.n > 1 and paths[paths.n] == nil then
    paths.n = paths.n - 1  -- a caller's optional argument
  elseif type(paths[paths.n]) == "table" then
    options = arguments.options(paths[paths.n], paths.n + 1, "data")
    paths[paths.n], paths.n = nil, paths.n - 1
  end
  for i = 1, paths.n do arguments.check(paths[i], "string", i + 1, "data") end
  if paths.n == 0 then
    arguments.bad(2, "data", 2, "path of a profile expected, got none: "
      .. "gprof.data.new makes data without records")
  end
  if options.spread and options.slide then
    arguments.bad(paths.n + 2, "data", 2, "'spread' cannot be combined with 'slide'")
  end
  if paths[2] then  -- without the context profiles whose gmon.out is also in the list
    local names = core.names()
    for _, path in ipairs(paths) do names:add(path) end
    names:remove(profile_files.accompanying(names))
    paths = table.move(names, 1, #names, 1, {})
  end
  local records = core.data(image, options.mixed_rates, arguments.trace(options))
  local done, message = read_all(records, image, paths, options)
  if done and options.contexts then return add_contexts(records, paths) end
  return done, message
end

--- Creates data without records.
-- @function gprof.data.new
-- @tparam[opt] table options
--
--   - `image`: take byte order and pointer size from this image; or
--   - `pointer_size`: 8 (default) or 4 bytes, and `big_endian`: a boolean;
--   - `mixed_rates`, `debug`: as for `gprof.data`
-- @treturn data
function data.new(options)
  options = arguments.options(options, 1, "new")
  local like = options.image
  if like and (options.pointer_size or options.big_endian ~= nil) then
    arguments.bad(1, "new", 2,
      "'pointer_size' and 'big_endian' are given by 'image': leave them out")
  end
  local size = options.pointer_size
  if size and size ~= 4 and size ~= 8 then
    arguments.bad(1, "new", 2, "option 'pointer_size': 4 or 8 expected, got %d", size)
  end
  return core.data(like or size or 8, options.mixed_rates,
    arguments.trace(options), options.big_endian)
end

--- Profile data.
-- @type data

--- Fields of data.
-- @table fields
-- @tfield integer histogram_records number of histogram records read or added
-- @tfield integer arc_records number of arc records
-- @tfield integer block_records number of records of basic blocks
-- @tfield integer bytes total size of the files read
-- @tfield boolean has_histogram whether a flat profile can be made from the data
-- @tfield boolean has_arcs whether calls were counted
-- @tfield boolean has_call_graph whether a call graph can be made: from calls, or from
--   call paths of samples
-- @tfield boolean shared whether the data is from a shared library (LD_PROFILE): a
--   caller at the address 0 then stands for all callers outside the library
-- @tfield string|nil call_paths "complete" if the call paths of all samples and calls are
--   known, "partial" if only some are; nil if none is. A slide removes call paths
-- @tfield integer uncounted number of calls of functions in a shared library that the
--   dynamic linker did not count because its table was full
-- @tfield integer full_bins number of bins in the files whose counter reached its
--   maximum, mostly 65535 samples, so that samples may be missing
-- @tfield integer|nil full_address the address of the first of these bins
-- @tfield {table,...} files what each file contained: `path`; `format`, "context" for a
--   context profile, otherwise as for `data:read`; `version`, for the magic format and
--   context profiles; `histogram_records`, `arc_records` and `block_records`; for a
--   context profile, the fields of `contexts` below; and `slide`, if an offset was
--   subtracted from its addresses: a table with the `offset`. If the offset was
--   determined from the data, the table also has `arcs`, the number of arcs; `fitting`,
--   how many of them lead to function entries once the offset is subtracted; `unmoved`,
--   how many do so without the subtraction; and `covers`, whether the histogram covers
--   all of the code once the offset is subtracted; and `problem`, why the context profile
--   beside the file could not be used
-- @tfield integer|nil low the lowest address of all histograms and callees
-- @tfield integer|nil high the highest address of all histograms and callees
-- @tfield integer pointer_size size of an address in files read and written, in bytes
-- @tfield boolean big_endian byte order of files read and written

--- Additional fields of context profiles in `files`. Counts are sums over all modules and
-- threads.
-- @table contexts
-- @tfield integer process process number; 0 in a sum
-- @tfield integer processes number of processes
-- @tfield integer written when the file was written; in a sum, when the last of its parts
--   was written: nanoseconds since 1970
-- @tfield integer id number in the header of the `gmon.out` that belongs to the file
-- @tfield integer threads number of threads
-- @tfield integer modules number of modules: the program and its libraries
-- @tfield integer contexts number of call paths; the same path in several threads is
--   usually counted once for each thread
-- @tfield integer calls number of calls
-- @tfield integer ticks number of samples
-- @tfield integer lost number of calls that were not counted, for lack of memory
-- @tfield integer rate requested samples per second
-- @tfield boolean joined whether call paths were joined, because there were too many
-- @tfield boolean wall whether samples are of wall-clock time

--- Adds the contents of a file. A failure closes the data, because part of the file may
-- have been added.
-- @function data:read
-- @tparam string|file path "-" is standard input; or an open file of Lua's `io` library
--   from which nothing has been read yet, such as `io.popen "zstd -dc gmon.zst"`
-- @tparam[opt="auto"] string format "auto", "magic", "bsd", "4.4bsd" or "prof"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it

--- Adds the contents of a file as a whole: a failure leaves the data unchanged. Takes
-- slightly longer than `data:read`, and needs memory for the contents of one more file.
-- @function data:add_file
-- @tparam string path "-" is standard input
-- @tparam[opt="auto"] string format "auto", "magic", "bsd", "4.4bsd" or "prof"
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong; if the file is at fault, with its name and the place
--   in it

--- Writes the sum of all records to a file. Nothing is lost: addresses stay as recorded,
-- and a count too large for one record continues in further records, which readers add
-- up. A temporary file in the same directory replaces the old file once it is complete.
-- So the path may be one of the files that were read, and a failure leaves the old file
-- unchanged. If context profiles were added up (see `gprof.data`), their sum is written
-- to PATH.ctx, unless other records were added to the data, too, or the format is not
-- "magic". Both files are replaced once both are complete; if only PATH.ctx cannot be
-- replaced, the old one no longer belongs to the new file, and is ignored. If no context
-- profile is written, that of the old file is removed. The same is true of the spread,
-- PATH.spread.
-- @function data:write
-- @tparam string|file path "-" is standard output; a device, a pipe or an open file is
--   written to directly
-- @tparam[opt] string format "auto" or "magic" (default), "bsd" or "4.4bsd"
-- @tparam[opt] symbols lines the field `symbols` of a profile by line of the same image.
--   With it, records are written in GNU gprof's order; without it, in the order in which
--   they were first read or added
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong: the file cannot be written, or the format cannot hold
--   the data. The BSD formats cannot hold several histograms, more than 65,535 samples in
--   a bin, block counts, data of shared libraries or units other than seconds; "bsd" also
--   requires the rate of the system's clock tick

--- Adds the samples of a histogram. Ranges of histograms must be disjoint or equal; all
-- histograms have the same bin size; those with samples have the same unit and rate, and
-- one without samples is left out if its unit or rate differs. In a file, a bin has 16
-- bits. Larger counts need further records of the whole histogram, so choose a unit for
-- which the counts are small.
-- @function data:add_histogram
-- @tparam table histogram
--
--   - `low`, `high`: the range of addresses covered, `high` exclusive;
--   - `bins`: array of the samples in each bin, where nil is 0; bins divide the range
--     into equal parts;
--   - `bin_count`: number of bins (default: `#bins`);
--   - `rate`: samples per unit (default: 100);
--   - `unit`: the name of the unit, at most 15 bytes (default: "seconds"), and
--     `abbreviation`, at most one byte (default: "s")
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why it cannot be added; the data is unchanged

--- Adds calls from one address to another.
-- @function data:add_arc
-- @tparam integer from address in the caller, usually the return address of the call
-- @tparam integer callee address of the callee
-- @tparam integer count number of calls
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added: the sum would exceed 63 bits

--- Adds executions of a basic block.
-- @function data:add_block
-- @tparam integer address anywhere in the block
-- @tparam integer executions
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added: the sum would exceed 63 bits

--- Adds the records of other data.
-- @function data:merge
-- @tparam data other unchanged
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string why they cannot be added up; the data is unchanged

--- Subtracts an offset from all addresses. If a program was not loaded at the address it
-- was linked for, the offset is the difference: load address minus link address.
-- @function data:slide
-- @tparam integer offset may be negative
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong: histograms, or all callees, would be outside the
--   address space; the data is unchanged

--- Iterates over the histograms, one for each range.
-- @function data:histograms
-- @treturn function iterator over histogram objects

--- Iterates over the arcs as recorded, in the order in which they were read or added.
-- Calls from unknown callers, as in System V's profiles, have the highest address as
-- caller (-1, or 0xffffffff where addresses are 4 bytes long).
-- @function data:arcs
-- @treturn function iterator over caller address, callee address and number of calls

--- Iterates over the basic blocks, in the order in which they were read or added.
-- @function data:blocks
-- @treturn function iterator over address and executions

--- Iterates over the places that created coroutines of a Lua program, if its calls were
-- counted: up to four for each function that coroutines began with, or more in sums.
-- @function data:creations
-- @treturn function iterator over the address of the function, and that of the line

--- Iterates over the contexts of call paths, callers before callees; they are numbered
-- from 1.
-- @function data:contexts
-- @treturn function iterator over the number of the caller's context (0 if there is none)
--   and the address of the call

--- Iterates over the samples of contexts.
-- @function data:context_samples
-- @treturn function iterator over the number of a context and the samples at one of its
--   addresses; several times for the same context

--- Frees the memory. Of profiles made from the data, fields, functions, cycles and arcs
-- stay usable, and so do reports of these, such as `"flat"` and `"graph"`. The data must
-- be open for the methods `by_function` (of a profile by line), `by_lines`,
-- `find_limits`, `mismatch`, `threads` and `verify`; for reports that use these or the
-- data, such as `"call_tree"` and `"info"`; for exports, and for gprof.compare.
-- @function data:close

--- A histogram.
-- @type histogram

--- Fields of a histogram.
-- @table fields
-- @tfield integer low first address covered
-- @tfield integer high one past the last address covered
-- @tfield integer bin_count number of bins
-- @tfield number bin_size bytes of code per bin
-- @tfield integer rate samples per unit
-- @tfield string unit "seconds"
-- @tfield string abbreviation "s"; may be empty
-- @tfield data data

--- Iterates over the bins with samples.
-- @function histogram:bins
-- @treturn function iterator over bin number, samples and address

--- Returns the number of samples in a bin.
-- @function histogram:count
-- @tparam integer number from 1
-- @treturn integer

return setmetatable(data, { __call = read })
