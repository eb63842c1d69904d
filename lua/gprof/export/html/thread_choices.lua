--- The choices of threads in a page: each of the busiest threads, the others together,
-- and those without samples together.
--
-- @internal gprof.export.html.thread_choices
-- SPDX-License-Identifier: GPL-3.0-or-later

local busiest_first = require "gprof.analysis.thread_order"

local thread_choices = {}

-- The largest number of threads that are choices of their own. No more are added once the
-- data of those before takes ENOUGH bytes.
local MOST <const>, ENOUGH <const> = 32, 4000000

-- The keys of groups in links. ALL stands for no choice.
local OTHERS <const>, IDLE <const>, ALL <const> = "!others", "!idle", ""

-- Returns the threads with time, the busiest first, and those without. If no thread has
-- time, calls take its place.
local function sorted(threads)
  local busy, idle, ticks = {}, {}, 0
  for _, thread in ipairs(threads) do ticks = ticks + thread.ticks end
  for _, thread in ipairs(threads) do
    local is_busy = (ticks > 0 and thread.ticks or thread.calls) > 0
    table.insert(is_busy and busy or idle, thread)
  end
  return busiest_first(busy), idle
end

-- Returns a function that returns the key of a thread in links: its name or, if others
-- have that name, its number, as in --thread; if neither is unique, both. Quotes after it
-- make this differ from all other keys.
local function keys_of(threads)
  local uses = { [OTHERS] = 1, [IDLE] = 1, [ALL] = 1 }
  local function add(word) uses[word] = (uses[word] or 0) + 1 end
  for _, thread in ipairs(threads) do
    add(thread.name)
    add(tostring(thread.number))
  end
  return function(thread)
    local number = tostring(thread.number)
    if uses[thread.name] == 1 then return thread.name end
    if thread.number > 0 and uses[number] == 1 then return number end
    local key = thread.name .. " " .. number
    while uses[key] do key = key .. "'" end
    uses[key] = 1
    return key
  end
end

--- Makes the choices.
-- @tparam {table,...} threads from `profile:threads`
-- @tparam function add called with the threads of each choice, in order: writes their
--   data, and returns its size in bytes
-- @treturn {table,...} choices, each with `key`, which stands for it in links; `threads`;
--   and `group`: "others" or "idle", or nil for a single thread
function thread_choices.make(threads, add)
  local busy, idle = sorted(threads)
  local key_of, choices, size = keys_of(threads), {}, 0
  local function choose(chosen, group, key)
    if #chosen == 0 then return end
    if #chosen == 1 then group, key = nil, key_of(chosen[1]) end
    choices[#choices + 1] = { key = key, group = group, threads = chosen }
    size = size + add(chosen)
  end
  local count = 0
  while count < #busy and count < MOST and size < ENOUGH do
    count = count + 1
    choose { busy[count] }
  end
  choose(table.move(busy, count + 1, #busy, 1, {}), "others", OTHERS)
  choose(idle, "idle", IDLE)
  return choices
end

return thread_choices
