--- Reads profiles in several processes.
--
-- Each reads a share of consecutive files, tells what there is to be told through a pipe
-- that all have in common, one message a line, and then writes its sum into a pipe of its
-- own. The sums are added up in the order of the shares: so the result is that of one
-- process, to the byte. Where that is in doubt - a process failed, or its sum does not go
-- with those before - the share is read again in this process, which then says what one
-- process would have said.
--
-- @internal gprof.cli.jobs
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local reading = require "gprof.cli.reading"

local jobs = {}

local INTERVAL <const> = 0.1  -- seconds between messages about how far a process is

local raise <const>, need <const> = failure.raise, failure.need

-- In a process of its own ---------------------------------------------------------------

-- Messages are "NUMBER WHAT FILE DETAIL". The path in front of a detail is known to the
-- reader: without it a message is short enough to never mix with that of another process.
local function teller(number, output, list)
  local next = 0
  return function(what, file, detail, all)
    if what == "done" then
      if core.clock() < next and not all then return end
      next = core.clock() + INTERVAL
    elseif what == "bad" or file > 0 and what == "failed" then
      detail = detail:sub(#list[file] + 3)
    end
    -- what the core says may have lines in it, but no zeros
    detail = tostring(detail or ""):gsub("\n", "\0")
    output:write(("%d %s %d %s\n"):format(number, what, file, detail))
    output:flush()
  end
end

-- Whether the file of a sum can hold all that is known: it cannot say that calls could
-- have been counted, but were not.
local function is_told_by_sum(data)
  return not data.has_arcs or data.arc_records > 0
end

-- A new process has what is open here: whatever reads, so that who writes learns that
-- nobody reads any more.
local function close_pipes(crew, sum)
  crew.messages:close()
  sum:close()
  for _, job in ipairs(crew) do job.sum:close() end
end

-- Reads a share, writes the sum, and ends the process.
local function work(crew, sum, job, data, list, how)
  close_pipes(crew, sum)
  local output = crew.output
  local tell = teller(job.number, output, list)
  local ran, done, message, file =
    pcall(reading.some, data, list, job.first, job.last, how, tell)
  if not ran or not done then
    tell("failed", file or 0, ran and message or done)
    os.exit(1)
  end
  tell("done", job.last, data.bytes, true)
  output:close()
  os.exit(is_told_by_sum(data) and data:write "-" and 0 or 1)
end

-- In the process that has asked ---------------------------------------------------------

local crew_meta = { __close = function(crew)
  for _, job in ipairs(crew) do job.process:close() end
end }

local function start(crew, data, list, how)
  local number = #crew + 1
  local job = { number = number, first = (number - 1) * #list // crew.count + 1,
    last = number * #list // crew.count, files = 0, bytes = 0, told = {} }
  local sum, output = need(core.pipe())
  local process = need(core.fork(output))
  if not process then
    pcall(work, crew, sum, job, data, list, how)
    os.exit(1)  -- this process has no business in what follows, even without memory
  end
  output:close()
  job.process, job.sum = process, sum
  crew[number] = job
end

-- There is no use for what comes behind a failure.
local function stop_after(crew, number)
  for i = number + 1, #crew do
    crew[i].stopped = true
    crew[i].process:terminate()
  end
end

local function hear(crew, job, what, file, detail)
  if what == "done" then
    local files, bytes = file - job.first + 1, math.tointeger(detail)
    crew.files, crew.bytes =
      crew.files + files - job.files, crew.bytes + bytes - job.bytes
    job.files, job.bytes = files, bytes
  elseif what == "failed" then
    job.failed, job.problem = file, detail
    stop_after(crew, job.number)
  else
    table.insert(job.told, { what, file, detail })
  end
end

-- Listens until all have read their shares, or have failed.
local function listen(crew, list, progress)
  for line in crew.messages:lines() do
    local number, what, digits, detail = line:match "^(%d+) (%a+) (%d+) (.*)$"
    local file, text = math.tointeger(digits), detail:gsub("%z", "\n")
    if what == "bad" or file > 0 and what == "failed" then
      text = list[file] .. ": " .. text
    end
    hear(crew, crew[math.tointeger(number)], what, file, text)
    if crew.files > 0 then progress:update(crew.files, crew.bytes) end
  end
end

local function like(data, how)
  return require "gprof.data".new { pointer_size = data.pointer_size,
    big_endian = data.big_endian, mixed_rates = how.mixed_rates }
end

-- Adds the sum of a process. False if that share has to be read again.
local function add_sum(job, data, how)
  local sum = like(data, how)
  local done = sum:read(job.sum, "magic")
  local ended, code = job.process:wait()
  job.sum:close()
  if ended == "signal" and not job.stopped then
    raise("one of the processes of --jobs was ended by signal %d", code)
  end
  return done and code == 0 and data:merge(sum)
end

local function collect(job, data, list, how, tell)
  if add_sum(job, data, how) then
    for _, told in ipairs(job.told) do tell(table.unpack(told)) end
    return
  end
  if job.failed == 0 then raise("%s", job.problem) end  -- no file's fault
  local done, message = reading.some(data, list, job.first, job.last, how, tell)
  if not done then raise("%s", message) end
end

--- Reads the profiles of a list into a sum.
-- @tparam data data still without records
-- @tparam table list as `profiles.find` gives it
-- @tparam table how as for `reading.some`; `mixed_rates`, as the data has it; `jobs`: how
--   many processes
-- @tparam function tell as for `reading.some`
-- @tparam table progress
-- @raise a table with the field `message`
function jobs.read(data, list, how, tell, progress)
  local messages, output = need(core.pipe())
  local crew <close> = setmetatable({ count = math.min(how.jobs, #list), files = 0,
    bytes = 0, messages = messages, output = output }, crew_meta)
  for _ = 1, crew.count do start(crew, data, list, how) end
  output:close()
  listen(crew, list, progress)
  for _, job in ipairs(crew) do collect(job, data, list, how, tell) end
end

return jobs
