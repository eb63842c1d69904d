-- Runs a scenario (scenarios.lua) many times. Memory runs out at another allocation each time. Prints the failures and
-- the number of tries:
--
--     starving.lua ROOT MOST OFFSET relieved|unrelieved SCENARIO WORD...
--
-- MOST is "all", or about the number of allocations to try, spread evenly and shifted by OFFSET. Afterwards, each file
-- in the working directory must be either unchanged or as it is after a run with enough memory.
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local starve = require "starve"

local root, most, offset, kind = table.unpack(arg, 1, 4)
local words = table.move(arg, 5, #arg, 1, {})
local path = root .. "/spec/sanitizer/scenarios.lua"

local function starved(failing)
  return starve(failing, kind == "relieved", path, root, table.unpack(words))
end

-- Files --------------------------------------------------------------------------------------

local function read(name)
  local file <close> = assert(io.open(name, "rb"))
  return file:read "a"
end

local function snapshot()
  local files = {}
  for name in pairs(assert(core.list_directory ".")) do files[name] = read(name) end
  return files
end

local function restore(before)
  for name, text in pairs(snapshot()) do
    if not before[name] then os.remove(name) end
    if before[name] and before[name] ~= text then
      local file <close> = assert(io.open(name, "wb"))
      file:write(before[name])
    end
  end
end

-- Returns the name of a file that has neither its old nor its complete new contents, or nil.
local function half_done(before, full)
  local now = snapshot()
  for name, text in pairs(now) do
    if text ~= before[name] and text ~= full[name] then return name end
  end
  for name in pairs(before) do
    if not now[name] then return name end
  end
end

local function open_files()
  local count = 0
  for _ in pairs(core.list_directory "/proc/self/fd" or {}) do count = count + 1 end
  return count
end

-- Allocation by allocation ---------------------------------------------------------------------

starved(0)  -- makes the allocations that happen only once per process
local before = snapshot()
local said, requests, lost, bytes = starved(0)
local full, opened = snapshot(), open_files()
assert(said:find "^done" and lost == 0 and bytes == 0, said)
restore(before)

local function check(failing)
  local now, made, blocks, left, rest = starved(failing)
  local half, files = half_done(before, full), open_files()
  restore(before)
  local fine = (now == "" or now == said) and blocks == 0 and left == 0 and
    rest == "" and not half and files == opened
  if not fine then
    print(("without request %d of %d: %q"):format(failing, made, now))
    print(("  %d blocks and %d bytes lost, %s left, %s half done, %d more files open"):format(blocks, left,
      rest == "" and "nothing" or rest, half or "nothing", files - opened))
  end
end

local step = most == "all" and 1 or math.max(1, requests // tonumber(most))
local count = 0
for failing = 1 + (most == "all" and 0 or tonumber(offset) % step), requests, step do
  check(failing)
  count = count + 1
end
print(("%d of %d requests"):format(count, requests))
