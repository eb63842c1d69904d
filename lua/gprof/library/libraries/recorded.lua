--- What the recorder recorded besides the program: its libraries, and its threads.
--
-- Context profiles have the samples and call paths of all modules, for each thread. The
-- functions of the libraries are found in the files that the profile names, if these are
-- still the same.
--
-- @internal gprof.library.libraries.recorded
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local base_name <const> = require "gprof.format.path".base
local context_files = require "gprof.library.files.context_files"
local core = require "gprof.core"
local image_options = require "gprof.library.options.image_options"
local object_list = require "gprof.library.libraries.object_list"
local symbol_tables = require "gprof.library.symbol_tables"

local recorded = {}

--- The reports that use the addresses, lines or symbols of a single object.
recorded.single_object = { executions = true, annotation = true, function_order = true,
  file_order = true, verify = true }

local NO_PATHS <const> = "the profile has no call paths: run the program with --record"

-- Returns the sum of the context profiles of data, by thread: `contexts`, `modules` and
-- `threads`; nil and the reason if there is none. It is kept until files are added.
local function sum_of(data)
  local state = core.state(data)
  local known = state.contexts_sum
  if known and known.count == #data.files then return known end
  local paths = {}
  for i, file in ipairs(data.files) do
    if file.path == "-" and file.format == "context" then
      return nil, "standard input cannot be read again: name the file"
    end
    paths[i] = file.path
  end
  local contexts, message = context_files.sum_contexts(data, paths, true)
  if not contexts then return nil, message or NO_PATHS end
  local modules, threads = contexts:parts()
  state.contexts_sum =
    { contexts = contexts, count = #paths, modules = modules, threads = threads }
  return state.contexts_sum
end

-- Libraries -----------------------------------------------------------------------------

-- With these options of `gprof.profile`, a profile has no recorded libraries: they need
-- the addresses, lines or symbols of a single object, or divide the time by calls.
local excluded <const> = { "line", "static_call_graph", "gnu_compat",
  "external_symbol_table", "file_ordering", "assume_proportional", "bounds", "with" }

local function may_have_libraries(data, options)
  for _, name in ipairs(excluded) do
    if options[name] then return false end
  end
  local selects_time = options.include and options.include.time or
    options.exclude and options.exclude.time  -- such times are divided by calls
  return data.call_paths == "complete" and not selects_time
end

-- Opens the file of a module, with the options of the program's image, which keeps the
-- images of its libraries for all profiles, by the identity of the files. Returns nil and
-- the reason if it cannot be used.
local function open(program, module)
  local path, state = module.path, core.state(program)
  local kind, message, file = core.file_status(path)
  state.libraries = state.libraries or {}
  if kind ~= "file" then
    return nil, kind and "not a regular file" or message:sub(#path + 3)
  end
  local image = state.libraries[file]
  local is_usable = image and  -- a script may have closed what `profile:objects` returned
    not arguments.wrong_object(image, "gprof.image") and not core.changed_file(image)
  if not is_usable then
    image, message = core.image(path)
    if not image then return nil, message:sub(#path + 3) end
    local given = image_options.of(program)
    image_options.set(image, { debug_dir = given.debug_dir, warn = given.warn })
    core.state(image).is_library = true
    state.libraries[file] = image
  end
  if image.build_id == module.build_id then return image end
  return nil, "is from another build"
end

-- Returns the symbols of a module, nil, and its image; nil and the reason if its file
-- cannot be used.
local function symbols_of(program, module, options, trace)
  local image, message = open(program, module)
  if not image then return nil, message end
  local own = image_options.complete(image, options)
  local symbols, problem = symbol_tables.of(image, own, trace, true)
  return symbols, problem and problem:sub(#module.path + 3), image
end

-- The recorder's own time and calls are not the program's.
local function is_recorder(module)
  return module.path ~= nil and base_name(module.path):find "^libgprof%-recorder" ~= nil
end

-- Returns the name of a module in reports: its file name, or its path if another module
-- has the same file name.
local function name_of(module, names)
  local name = base_name(module.path)
  if names[name] then name = module.path end
  names[name] = true
  return name
end

-- Returns the libraries with records as objects for `core.merge_objects`, after the
-- program; the positions of the modules among the objects; and an array of the libraries
-- that cannot be used.
local function objects_of(image, modules, symbols, options, trace)
  local objects, numbers = { { symbols, false, nil, image } }, { 1 }
  local names, problems = {}, {}
  for i = 2, #modules do
    local module = modules[i]
    if module.ticks + module.calls > 0 and not is_recorder(module) then
      local found, problem, file
      if module.path then
        found, problem, file = symbols_of(image, module, options, trace)
      end
      -- the kernel provides linux-vdso, so it has no file
      if problem and not module.path:find "^linux%-vdso" then
        problems[#problems + 1] = { path = module.path, problem = problem }
      end
      objects[#objects + 1] = { found or false, false,
        module.path and name_of(module, names) or "unknown code",
        found and file or module, module.low or 0, module.high or 1 }
      numbers[i] = #objects
    end
  end
  return objects, numbers, problems
end

local function list_files(records, data)
  table.move(data.files, 1, #data.files, 1, records.files)
end

-- Merges a program and the libraries that it used, in all threads or those of `tables`.
-- Returns all symbols, all records, and an array of the libraries that cannot be used; or
-- nil and a message. Returns nil if the image is not the program, but a library.
local function merge(image, symbols, data, options, tables, trace)
  local sum, message = sum_of(data)
  if not sum then return nil, message end
  local modules = sum.modules
  if image.build_id ~= modules[1].build_id then return nil end
  local objects, numbers, problems =
    objects_of(image, modules, symbols, options, trace)
  local records = core.data(image, nil, trace)
  local joined, places = core.merge_objects(records, objects)
  if not joined then return nil, places end
  local by_module = {}
  for i = 1, #modules do by_module[i] = numbers[i] and places[numbers[i]] or false end
  local done
  done, message = sum.contexts:get(records, by_module, tables)
  if not done then return nil, message end
  if not tables then
    for address, executions in data:blocks() do
      assert(records:add_block(address, executions))
    end
  end
  list_files(records, data)
  object_list.set(records, objects, places)
  return joined, records, problems
end

-- Threads -------------------------------------------------------------------------------

-- Returns a function that tells whether a table is of a thread that the user named.
local function matcher(word)
  local number = word:match "^[1-9]%d*$" and tonumber(word)
  local pattern = "^" .. word:gsub("[^%w*?]", "%%%0"):gsub("[*?]", { ["*"] = ".*",
    ["?"] = "." }) .. "$"
  return function(thread)
    return thread.number == number or thread.name:find(pattern) ~= nil
  end
end

-- Threads with the same name and number are one.
local function key_of(thread) return thread.number .. " " .. thread.name end

-- Returns the first number and name of `entries`, tables, that no thread has; nil if all
-- are known. Selects the threads that have them.
local function select_exactly(threads, entries, selected)
  local wanted, found = {}, {}
  for _, entry in ipairs(entries) do
    if type(entry) == "table" then wanted[key_of(entry)] = entry end
  end
  for i, thread in ipairs(threads) do
    local key = key_of(thread)
    if wanted[key] then selected[i], found[key] = true, true end
  end
  for key in pairs(wanted) do
    if not found[key] then return key end
  end
end

-- Selects the threads with a name or number. Returns whether there are any.
local function select_matching(threads, word, selected)
  local matches, any = matcher(word), false
  for i, thread in ipairs(threads) do
    if matches(thread) then selected[i], any = true, true end
  end
  return any
end

-- Returns for each table of the context profile whether it is of a thread that the option
-- `threads` selects; nil and a message if an entry of the option selects none.
local function select(data, entries)
  local sum, message = sum_of(data)
  if not sum then return nil, "threads are not known: " .. message end
  local threads, selected = sum.threads, {}
  for i = 1, #threads do selected[i] = false end
  local missed = select_exactly(threads, entries, selected)
  for _, word in ipairs(entries) do
    if type(word) == "string" and not select_matching(threads, word, selected) then
      missed = word
    end
  end
  if not missed then return selected end
  return nil, ("no thread has the name or number '%s': see --threads"):format(missed)
end

-- Returns the data of a program in the threads of `tables`; nil and a message on failure.
local function restrict(image, data, tables, trace)
  local sum, places = sum_of(data), {}
  for i, module in ipairs(sum.modules) do
    places[i] = module.path and image.build_id == module.build_id and
      (image.build_id or i == 1) and { slide = 0, size = core.image_size(image) }
  end
  local records = core.data(image, nil, trace)
  local done, message = sum.contexts:get(records, places, tables)
  if not done then return nil, message end
  list_files(records, data)
  return records
end

--- Returns the threads of data.
-- @tparam data data
-- @tparam number|nil rate samples per second
-- @tparam {string|table,...}|nil entries the option `threads` of `gprof.profile`
-- @treturn[1] {table,...} see `profile:threads`
-- @return[2] nil
-- @treturn[2] string why they are not known
function recorded.threads(data, rate, entries)
  local sum, message = sum_of(data)
  if not sum then return nil, message end
  local skipped = {}
  for i, module in ipairs(sum.modules) do skipped[i] = is_recorder(module) end
  local _, tables = sum.contexts:parts(skipped)
  local chosen = entries and select(data, entries)
  local threads, known = {}, {}
  for i, part in ipairs(tables) do
    local key = key_of(part)
    local thread = known[key]
    if not thread then
      thread = { name = part.name, number = part.number, count = 0, ticks = 0, calls = 0,
        selected = not chosen or chosen[i] }
      known[key], threads[#threads + 1] = thread, thread
    end
    thread.count = thread.count + part.threads
    thread.ticks, thread.calls = thread.ticks + part.ticks, thread.calls + part.calls
    thread.time = rate and thread.ticks / rate
  end
  return threads
end

--- Adds recorded libraries to the symbols and the data of a program, and restricts the
-- data to threads, if the options of the profile say so.
-- @tparam image image the program
-- @tparam symbols symbols of the program
-- @tparam data data of the program
-- @tparam table options of `gprof.profile`
-- @tparam[opt] trace trace
-- @treturn[1] symbols
-- @treturn[1] data
-- @treturn[1] {table,...}|nil see `profile:unusable_libraries`
-- @return[2] nil
-- @treturn[2] string what is wrong
function recorded.select_records(image, symbols, data, options, trace)
  local tables, message, problems
  if options.threads then
    tables, message = select(data, options.threads)
    if not tables then return nil, message end
  end
  if options.libraries and may_have_libraries(data, options) then
    local all, records, unusable = merge(image, symbols, data, options, tables, trace)
    if all then return all, records, unusable end
    problems = records and { { problem = records } }
  end
  if tables then data, message = restrict(image, data, tables, trace) end
  if not data then return nil, message end
  return symbols, data, problems
end

return recorded
