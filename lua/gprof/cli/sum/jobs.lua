--- Reads profiles in several processes.
--
-- Each worker reads a range of consecutive files. It sends its events as lines through a
-- pipe that all workers share. Then it writes the spread, if there is one, and its sum
-- into pipes of its own. The parent adds the sums in the order of the ranges, so the
-- result is byte-identical to the result of one process. If a worker fails, or its sum
-- cannot be added to the sums before it, the parent reads the range again, and reports
-- what a single process would report.
--
-- @internal gprof.cli.sum.jobs
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local profile_files = require "gprof.library.files.profile_files"

local jobs = {}

local INTERVAL <const> = 0.1  -- seconds between a worker's progress messages

-- Bytes of other messages, so that they are short enough for an atomic write.
local MOST_TEXT <const> = 2000

local raise <const>, need <const> = failure.raise, failure.need

-- In a worker --------------------------------------------------------------------------

-- Sends what identifies profiles, several in a message.
local function identity_sender(send)
  local first, pieces, length = nil, {}, 0
  local function flush()
    if first then send("seen", first, table.concat(pieces, "\2")) end
    first, pieces, length = nil, {}, 0
  end
  return function(file, identity)
    if length + #identity > MOST_TEXT then flush() end
    first = first or file
    pieces[#pieces + 1], length = file .. " " .. identity, length + #identity + 12
  end, flush
end

-- Messages are "WORKER EVENT FILE DETAIL". The path at the start of a detail is removed
-- (the parent knows it), so that a message is short enough for an atomic write.
local function sender(number, output, list)
  local next = 0
  local function send(event, file, detail)
    -- messages from the core may contain newlines, but no zero bytes
    detail = tostring(detail or ""):gsub("\n", "\0")
    output:write(("%d %s %d %s\n"):format(number, event, file, detail))
    output:flush()
  end
  local identify, flush = identity_sender(send)
  return function(event, file, detail, all)
    if event == "seen" then
      return identify(file, detail)
    elseif event == "done" then
      if core.clock() < next and not all then return end
      next = core.clock() + INTERVAL
      if all then flush() end
    elseif event == "bad" or file > 0 and event == "failed" then
      flush()  -- a profile is seen before it is bad
      detail = detail:sub(#list[file] + 3)
    elseif event == "whole" then
      detail = detail:sub(1, MOST_TEXT)
    end
    send(event, file, detail)
  end
end

-- Closes the read ends of pipes that a worker inherits, so that writes fail once the
-- parent has exited.
local function close_pipes(pool, sum)
  pool.messages:close()
  sum:close()
  for _, worker in ipairs(pool) do
    worker.sum:close()
    if worker.spread then worker.spread:close() end
  end
end

-- Writes the spread to its pipe, then the sum to standard output, which is a pipe, too.
local function write_sums(into, spread)
  if spread then
    if not into.spread:send(spread) then return false end
    spread:close()
  end
  return into.data:write "-"
end

local function work(pool, pipes, worker, into)
  close_pipes(pool, pipes.sum)
  if pipes.spread then pipes.spread:close() end
  local output, list = pool.output, pool.list
  local notify = sender(worker.number, output, list)
  local ran, done, message, file = pcall(pool.read_range, into, list, worker.first,
    worker.last, pool.mode, notify)
  if not ran or not done then
    notify("failed", file or 0, ran and message or done)
    os.exit(1)
  end
  notify("done", worker.last, into.data.bytes, true)
  if into.data.full_bins > 0 then
    notify("full", worker.last, ("%d %d"):format(into.data.full_bins,
      into.data.full_address))
  end
  output:close()
  local sent = profile_files.can_hold(into.data) and
    write_sums(into, pipes.spread_output)
  os.exit(sent and 0 or 1)
end

-- In the parent ------------------------------------------------------------------------

local pool_meta = { __close = function(pool)
  for _, worker in ipairs(pool) do worker.process:close() end
end }

-- Opens a pipe, and remembers it, to close it if not all workers can be started.
local function open_pipe(pool)
  local reading, writing = need(core.pipe())
  table.insert(pool.pipes, reading)
  table.insert(pool.pipes, writing)
  return reading, writing
end

local function start_worker(pool, into)
  local number, files = #pool + 1, #pool.list
  local worker = { number = number, first = (number - 1) * files // pool.count + 1,
    last = number * files // pool.count, files = 0, bytes = 0, events = {},
    full = { 0, 0 } }
  local pipes = {}
  pipes.sum, pipes.output = open_pipe(pool)
  if into.spread then pipes.spread, pipes.spread_output = open_pipe(pool) end
  local process = need(core.fork(pipes.output))
  if not process then
    pcall(work, pool, pipes, worker, into)
    os.exit(1)  -- the worker must never return from here, even without memory
  end
  pipes.output:close()
  if pipes.spread then pipes.spread_output:close() end
  worker.process, worker.sum, worker.spread = process, pipes.sum, pipes.spread
  pool[number] = worker
end

local function handle(pool, worker, event, file, detail)
  if event == "done" then
    local files, bytes = file - worker.first + 1, math.tointeger(detail)
    pool.files, pool.bytes =
      pool.files + files - worker.files, pool.bytes + bytes - worker.bytes
    worker.files, worker.bytes = files, bytes
  elseif event == "full" then
    local count, address = detail:match "^(%d+) (%-?%d+)$"
    worker.full = { math.tointeger(count), math.tointeger(address) }
  elseif event == "failed" then
    worker.failed, worker.problem = file, detail
    -- the sums of the workers after the failed one are not needed
    for i = worker.number + 1, #pool do
      pool[i].stopped = true
      pool[i].process:terminate()
    end
  else
    table.insert(worker.events, { event, file, detail })
  end
end

-- Handles messages until all workers have read their ranges or failed.
local function receive(pool, progress)
  local list = pool.list
  for line in pool.messages:lines() do
    local number, event, digits, detail = line:match "^(%d+) (%a+) (%d+) (.*)$"
    local file, text = math.tointeger(digits), detail:gsub("%z", "\n")
    if event == "bad" or file > 0 and event == "failed" then
      text = list[file] .. ": " .. text
    end
    handle(pool, pool[math.tointeger(number)], event, file, text)
    if pool.files > 0 then progress:update(pool.files, pool.bytes) end
  end
end

-- Reads the spread of a worker's range. Returns nil if it cannot be added.
local function read_spread(worker, spread, new_spread)
  local part = new_spread()
  local done = part:receive(worker.spread)
  worker.spread:close()
  return done and spread:fits(part) and part or nil
end

-- Adds a worker's sum. Returns false if the range must be read again.
local function add_sum(worker, into)
  local data, spread = into.data, into.spread
  local sum = require "gprof.data".new {
    pointer_size = data.pointer_size, big_endian = data.big_endian }
  local part = spread and read_spread(worker, spread, into.new_spread)
  local done = sum:read(worker.sum, "magic")
  if done then sum:set_full(table.unpack(worker.full)) end
  local ended, code = worker.process:wait()
  worker.sum:close()
  if ended == "signal" and not worker.stopped then
    raise("a process of --jobs was killed by signal %d", code)
  end
  if not (done and code == 0 and (part or not spread) and data:merge(sum)) then
    return false
  end
  if part then need(spread:merge(part)) end
  return true
end

-- Passes on an event of a worker.
local function pass_on(notify, event, file, detail)
  if event ~= "seen" then return notify(event, file, detail) end
  for piece in detail:gmatch "[^\2]+" do
    local number, identity = piece:match "^(%d+) (.*)$"
    notify("seen", math.tointeger(number), identity)
  end
end

local function collect(pool, worker, into, notify)
  if add_sum(worker, into) then
    for _, event in ipairs(worker.events) do pass_on(notify, table.unpack(event)) end
    return
  end
  if worker.failed == 0 then raise("%s", worker.problem) end  -- no file is at fault
  local done, message =
    pool.read_range(into, pool.list, worker.first, worker.last, pool.mode, notify)
  if not done then raise("%s", message) end
end

--- Reads the profiles of a list into a sum.
-- @tparam function read_range reads a range of files, as in gprof.cli.sum.inputs
-- @tparam table into as for `read_range`, without records yet
-- @tparam table list from `profiles.find`
-- @tparam table mode as for `read_range`
-- @tparam function notify as for `read_range`
-- @tparam table progress from `progress.new`
-- @treturn boolean false if the processes cannot be started and `mode` does not need them
-- @raise a table with the field `message`
function jobs.read(read_range, into, list, mode, notify, progress)
  local pool <close> = setmetatable({ count = math.min(mode.jobs, #list), files = 0,
    bytes = 0, list = list, mode = mode, read_range = read_range, pipes = {} }, pool_meta)
  local started, problem = pcall(function()
    pool.messages, pool.output = open_pipe(pool)
    for _ = 1, pool.count do start_worker(pool, into) end
    pool.output:close()
  end)
  if not started and mode.needs_jobs then error(problem, 0) end
  if not started then
    for _, file in ipairs(pool.pipes) do
      if io.type(file) == "file" then file:close() end
    end
    return false
  end
  receive(pool, progress)
  for _, worker in ipairs(pool) do collect(pool, worker, into, notify) end
  return true
end

return jobs
