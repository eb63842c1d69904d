-- Compiles programs with -pg, runs them under the recorder, and reads their profiles, independently of the core.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local contexts = require "support.contexts"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local recorder = {}

local fixtures <const> = program.root .. "/spec/fixtures/recorder/"

recorder.library = program.root .. "/build/libgprof-recorder.so"
recorder.archive = program.root .. "/build/libgprof-recorder.a"

--- The processor for which gcc compiles: "x86_64".
recorder.machine = shell.check({ "gcc", "-dumpmachine" }).stdout:match "^[^-]+"

--- Returns a message if the recorder does not support this processor; otherwise nil.
-- @treturn string|nil
function recorder.lack()
  local machine = recorder.machine
  if machine ~= "x86_64" and machine ~= "aarch64" then
    return "the recorder, which does not support " .. machine
  end
end

local function append(list, more)
  return table.move(more or {}, 1, more and #more or 0, #list + 1, list)
end

--- Compiles a fixture; later calls with the same arguments return the same result. All processes share programs that
-- are made from nothing but their source, which must therefore not be changed.
-- @tparam string source name of the fixture, such as "threads.c"
-- @tparam[opt] table options `compiler` ("gcc"); `flags`, in addition to -g -O2 -pg; `link`, further arguments, after
--   the source; `plain`: not -pg
-- @treturn table `image` (path)
function recorder.compile(source, options)
  options = options or {}
  local argv = append({ options.compiler or "gcc", "-g", "-O2", "-pthread" }, not options.plain and { "-pg" } or nil)
  append(argv, options.flags)
  append(argv, { "-o", "program", fixtures .. source })
  append(argv, options.link)
  local state = shell.state()
  state.recorded = state.recorded or {}
  local key = table.concat(argv, " ")
  if not state.recorded[key] then
    local text = shell.read(fixtures .. source)
    local function make(dir) shell.check(argv, { cwd = dir }) return dir end
    local alone = not options.link and not text:find '#include "'
    local dir = alone and build.shared("recorded", argv[1], { key, text }, make) or
      make(shell.tmpdir "recorded")
    state.recorded[key] = { image = dir .. "/program" }
  end
  return state.recorded[key]
end

--- Runs a program under the recorder, in a new directory.
-- @tparam table built as returned by `compile`
-- @tparam[opt] {string,...} arguments
-- @tparam[opt] table options `env`; `preload`: another value of LD_PRELOAD, or false for a program that contains the
--   recorder; `before`, words before the program
-- @treturn table as `shell.run` returns it; `dir`, the directory
function recorder.run(built, arguments, options)
  options = options or {}
  local env = { GMON_OUT_PREFIX = false, GPROF_RECORDER = false, LD_PRELOAD = false }
  for name, value in pairs(options.env or {}) do env[name] = value end
  local dir = shell.tmpdir "run"
  local argv = append({}, options.before)
  -- Set last: the recorder would leave the environment in a command before the program.
  if options.preload ~= false then append(argv, { "env", "LD_PRELOAD=" .. (options.preload or recorder.library) }) end
  table.insert(argv, built.image)
  local result = shell.run(append(argv, arguments), { cwd = dir, env = env, timeout = true })
  result.dir = dir
  return result
end

-- Returns a function that maps link-time addresses to function names.
local function namer(image)
  local symbols = build.symbols(image)
  local functions = {}
  for _, symbol in ipairs(symbols) do
    if symbol.type:find "[tTwW]" then functions[#functions + 1] = symbol end
  end
  return function(address)
    local low, high = 1, #functions + 1
    while low < high do
      local middle = (low + high) // 2
      if functions[middle].address <= address then low = middle + 1 else high = middle end
    end
    return low > 1 and functions[low - 1].name:gsub("%..*", "") or "?"
  end
end

--- Runs `gprof.lua --record` in a new directory.
-- @tparam string ... further words
-- @treturn table as `shell.run` returns it
-- @treturn string the directory
function recorder.record(...)
  local dir = shell.tmpdir "recorded"
  return program.run({ "--record", ... },
    { cwd = dir, env = { GMON_OUT_PREFIX = false, LD_PRELOAD = false }, timeout = true }), dir
end

--- Reads the arcs of a gmon.out.
-- @tparam table built
-- @tparam string path
-- @treturn table the sums of the counts by "CALLER CALLEE" and by "CALLEE"; callers outside the program are "?"
-- @treturn table the profile as `gmon.parse` returns it
function recorder.arcs(built, path)
  local profile, name, sums = gmon.parse(shell.read(path)), namer(built.image), {}
  for _, arc in ipairs(gmon.select(profile, "arc")) do
    local callee = name(arc.self)
    local key = (arc.from == -1 and "?" or name(arc.from)) .. " " .. callee
    sums[key] = (sums[key] or 0) + arc.count
    sums[callee] = (sums[callee] or 0) + arc.count
  end
  return sums, profile
end

--- Reads a context profile (doc/contexts.md).
-- @tparam string path
-- @treturn table `process`, `modules` and `threads`, with the field names of that page; `processes`, their number in a
--   sum
function recorder.read(path)
  local bytes = shell.read(path)
  local magic, mark, version, pointer, at = ("<c8I4I2I2"):unpack(bytes)
  assert(magic == "gprofctx" and mark == 0x01020304 and version == 1 and pointer == 8, "header")
  local file = { threads = {}, bytes = bytes }
  local function fields(format, names)
    local values, into = table.pack(("<" .. format):unpack(bytes, at)), {}
    at = values[values.n]
    for i, name in ipairs(names) do into[name] = values[i] end
    return into
  end
  while true do
    local kind, size, body = ("<I4I8"):unpack(bytes, at)
    at = body
    if kind == 0 then
      file.sum, file.summed = ("<I4"):unpack(bytes, at), at - 1
      assert(size == 4 and at + 4 == #bytes + 1, "end")
      return file
    elseif kind == 1 then
      file.process = fields("i8i8I8I8I8I8I8I8I8I4I4s4", { "id", "parent", "begin", "finish", "limit", "lost",
        "clock_error", "low", "high", "rate", "flags", "command" })
      file.process.joined, file.process.wall = file.process.flags & 1, file.process.flags & 2 ~= 0
    elseif kind == 2 then
      file.modules = {}
      for i = 1, fields("I4", { "count" }).count do
        file.modules[i] = fields("I8I8I8I8I8I4s4s4",
          { "bias", "low", "high", "code", "code_end", "closed", "build_id", "path" })
      end
    elseif kind == 4 then
      file.processes = fields("I8", { "count" }).count
    elseif kind == 3 then
      local thread = fields("I4I4I4I4I8I8I8s4I4", { "number", "id", "threads", "handlers", "cpu", "signals", "inside",
        "name", "rows" })
      for i = 0, thread.rows - 1 do
        thread[i] = fields("I4I4I8I8I8", { "context", "entered", "from", "self", "count" })
      end
      table.insert(file.threads, thread)
    end
    assert(at == body + size, "size of a section")
  end
end

local roots <const> = { [0] = "", "<unknown stack>", "<joined>" }

--- Names the call paths of a context profile.
-- @tparam table built
-- @tparam string path of the context profile
-- @treturn table the number of calls by path, such as "main/f/g", summed over the threads. A recursive call counts for
--   the path that it enters. Functions of other modules are "?"
-- @treturn table the ticks by path
-- @treturn table the profile as `recorder.read` returns it; threads also have `paths`, by the numbers of their records
function recorder.paths(built, path)
  local file, name = recorder.read(path), namer(built.image)
  local calls, ticks, main = {}, {}, file.modules[1]
  for _, thread in ipairs(file.threads) do
    local paths = {}
    thread.paths = paths
    for i = 0, thread.rows - 1 do
      local row = thread[i]
      if i < 3 then
        paths[i] = roots[i]
      elseif row.self == 0 then
        ticks[paths[row.context]] = (ticks[paths[row.context]] or 0) + row.count
      elseif row.entered ~= 0xffffffff then
        local inside = row.self >= main.code and row.self < main.code_end
        local callee = inside and name(row.self - main.bias) or "?"
        paths[i] = row.entered == i and (paths[row.context] .. "/" .. callee):gsub("^/", "") or nil
        local entered = row.entered == 2 and "<joined>/" .. callee or paths[row.entered]
        calls[entered] = (calls[entered] or 0) + row.count
      end
    end
  end
  for key, count in pairs(calls) do
    if count == 0 then calls[key] = nil end
  end
  return calls, ticks, file
end

-- Known samples --------------------------------------------------------------------------

-- Returns the address of a library's function, "NAME@FILE", in the process.
local function library_address(code, modules)
  local name, file = code:match "^(.*)@(.*)$"
  for _, module in ipairs(modules) do
    if module.path:match "[^/]*$" == file then return module.bias + build.address(module.path, name) end
  end
  error(("no library '%s'"):format(file))
end

-- Returns the records of a thread as `contexts.pack` takes them, with samples in addition.
local function add_samples(thread, steps, modules)
  local records = {}
  for name, value in pairs(thread) do
    if math.type(name) ~= "integer" then records[name] = value end
  end
  table.move(thread, 3, thread.rows - 1, 1, records)
  for i = 3, thread.rows - 1 do
    local path = "/" .. (thread.paths[i] or "")
    for ending, count in pairs(steps) do
      local caller, code = ending:match "^(.*)/([^/]+@[^/]+)$"
      if path:sub(-#(caller or ending) - 1) == "/" .. (caller or ending) then
        records[#records + 1] = { context = i, count = thread[i].count * count,
          from = code and library_address(code, modules) or thread[i].self }
      end
    end
  end
  return records
end

-- Adds the program's samples to the histogram of a gmon.out.
local function add_to_histogram(path, tables, main)
  local profile = gmon.parse(shell.read(path))
  local histogram = gmon.select(profile, "histogram")[1]
  local bins, width = histogram.bins, (histogram.high - histogram.low) // histogram.bins.n
  for _, records in ipairs(tables) do
    for _, record in ipairs(records) do
      if not record.self and record.from >= main.low and record.from < main.high then
        local bin = (record.from - main.bias - histogram.low) // width + 1
        bins[bin] = bins[bin] + record.count
      end
    end
  end
  gmon.write(path, gmon.magic(profile))
end

--- Records a program without samples, and adds known ones to both files of its profile: they do not depend on chance.
-- @tparam table built
-- @tparam {[string]=integer} steps samples of each call, by the end of its call path, such as "f/g". They are in the
--   function called, or in a function of a library that it calls, "f/g/NAME@FILE". A function of the program can have
--   65,535 of them
-- @tparam[opt] {string,...} arguments
-- @tparam[opt] table options as for `run`
-- @treturn string path of the gmon.out
-- @treturn table the number of calls by path
function recorder.known(built, steps, arguments, options)
  options = options or {}
  options.env = { GPROF_RECORDER = "rate=0" }
  local result = recorder.run(built, arguments, options)
  assert(result.status == 0 and result.stderr == "", result.stderr)
  local path = result.dir .. "/gmon.out"
  local calls, _, file = recorder.paths(built, path .. ".ctx")
  local tables = {}
  for i, thread in ipairs(file.threads) do tables[i] = add_samples(thread, steps, file.modules) end
  file.process.rate = 1000
  shell.write(path .. ".ctx", contexts.pack { process = file.process, modules = file.modules, tables = tables })
  add_to_histogram(path, tables, file.modules[1])
  return path, calls
end

return recorder
