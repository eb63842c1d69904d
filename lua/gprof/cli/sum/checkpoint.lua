--- The checkpoint of a long sum: a file from which the sum goes on after the process was
-- killed.
--
-- A checkpoint is a tar archive with the sum of the first profiles of a list, the sum of
-- their context profiles, their spread, and the state of the work. It replaces the one
-- before when it is complete, so sum and state always belong together. The list itself is
-- not stored, only the number of profiles and a checksum of their names. So the list must
-- have the same names in the same order when the sum goes on; more may follow.
--
-- @internal gprof.cli.sum.checkpoint
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local escape = require "gprof.format.escape"
local failure = require "gprof.library.failure"
local profile_files = require "gprof.library.files.profile_files"

local raise <const>, need <const> = failure.raise, failure.need

local checkpoint = {}
checkpoint.__index = checkpoint

local INTERVAL <const> = 10  -- seconds between checkpoints
local VERSION <const> = "gprof-checkpoint 1"
local BLOCK <const> = 512

-- Settings that must not change.
local fixed <const> = { "spread", "skip_duplicates", "slide", "file_format" }

-- The archive ---------------------------------------------------------------------------

-- Returns the header of a member, in POSIX's format; a size of 8 GB and more is written
-- as GNU tar does.
local function header(name, size)
  local digits = size < 1 << 33 and ("%011o\0"):format(size) or
    "\128\0\0\0" .. (">I8"):pack(size)
  local function block(checksum)
    return ("c100c8c8c8c12c12c8c1c100c8c32c32c183"):pack(name, "0000600\0", "0000000\0",
      "0000000\0", digits, "00000000000\0", checksum, "0", "", "ustar\00000", "", "", "")
  end
  local text, sum = block "        ", 0
  for i = 1, BLOCK do sum = sum + text:byte(i) end
  return block(("%06o\0 "):format(sum))
end

-- Writes a member. `put` writes its content to a writer.
local function write_member(file, name, put)
  local counter = need(core.counter())
  need(put(counter))
  local size = need(counter:count())
  need(file:write(header(name, size)))
  need(put(file))
  need(file:write(("\0"):rep(-size % BLOCK)))
end

local function write_text(file, name, text)
  write_member(file, name, function(to) return to:write(text) end)
end

-- Reads the current member of an archive as text.
local function read_text(archive)
  return need(archive:hold()) and need(archive:text())
end

-- The state -----------------------------------------------------------------------------

-- Formats a table of strings, numbers and booleans, a line for each.
local function format_state(state)
  local lines = { VERSION }
  for _, key in ipairs(require "gprof.format.sorted".keys(state)) do
    local value = tostring(state[key]):gsub("[%c%%]", function(c)
      return ("%%%02x"):format(c:byte())
    end)
    lines[#lines + 1] = ("%s %s"):format(key, value)
  end
  return table.concat(lines, "\n") .. "\n"
end

-- Reads what format_state wrote. Returns nil if the text has another format.
local function parse_state(text)
  local state = {}
  if text:sub(1, #VERSION + 1) ~= VERSION .. "\n" then return nil end
  for key, value in text:sub(#VERSION + 2):gmatch "([^ \n]+) ([^\n]*)\n" do
    state[key] = value:gsub("%%(%x%x)", function(hex)
      return string.char(tonumber(hex, 16))
    end)
  end
  return state
end

local function number(state, key)
  return math.tointeger(tonumber(state[key])) or 0
end

-- Returns what the settings must have in common.
local function signature(settings, image)
  local parts = { image.build_id or image.path }
  for _, name in ipairs(fixed) do parts[#parts + 1] = tostring(settings[name]) end
  return table.concat(parts, " ")
end

-- Adds the state of the work to the table that is written. A sum does not tell which bins
-- were full in its parts.
local function save_outcome(state, list, data, outcome)
  state.full_bins, state.full_address = data.full_bins, data.full_address
  state.bad, state.lost, state.whole = outcome.bad, outcome.lost, outcome.whole
  state.first_whole = outcome.first_whole
  for i, directory in ipairs(list.directories) do
    state["others" .. i], state["other" .. i] = directory.others, directory.other
  end
end

local function restore_outcome(state, list, data, outcome)
  data:set_full(number(state, "full_bins"), number(state, "full_address"))
  outcome.bad, outcome.lost = number(state, "bad"), number(state, "lost")
  outcome.whole, outcome.first_whole = number(state, "whole"), state.first_whole
  for i, directory in ipairs(list.directories) do
    directory.others, directory.other = number(state, "others" .. i), state["other" .. i]
  end
end

-- Checkpoints ---------------------------------------------------------------------------

--- Prepares the checkpoint that the settings request.
-- @tparam table settings
-- @tparam image image
-- @treturn checkpoint
-- @raise a table with the field `message`
function checkpoint.new(settings, image)
  if core.script_list(image) then raise "option --checkpoint: not for Lua programs" end
  return setmetatable({ path = settings.checkpoint, every = settings.checkpoint_every,
    signature = signature(settings, image), digest = "", count = 0,
    next = core.clock() + INTERVAL }, checkpoint)
end

-- Refuses a checkpoint that is a file of the sum: the one would replace the other.
local function check_path(settings)
  local path, place_of = settings.checkpoint, require "gprof.library.files.file_set".place
  local place = place_of(path)
  for _, other in ipairs(profile_files.sum_paths(defaults.sum_path(settings))) do
    if place == place_of(other) then
      raise("option --checkpoint: '%s' is a file of the sum", path)
    end
  end
end

--- Refuses output for which a checkpoint keeps too little.
-- @tparam table settings
-- @raise a table with the field `message`
function checkpoint.check(settings)
  if require "gprof.cli.sum.profile_list".are_reported(settings) then
    raise "option --checkpoint: writes a sum, and no reports"
  elseif settings.slide == "auto" then
    raise "options --checkpoint and --slide=auto are mutually exclusive"
  end
  check_path(settings)
end

-- Notes that a row of the list was processed.
local function advance(self, list, i)
  self.count = i
  self.digest = core.digest(self.digest .. (list[i] or "") .. "\0" .. (list.head or ""))
end

-- Readers of the parts of a checkpoint after its state: functions (self, archive, into,
-- outcome).
local readers <const> = {
  sum = function(_, archive, into)
    need(into.data:read(archive, "magic"))
    into.data.files[1] = nil
  end,
  ["sum.ctx"] = function(_, archive, into) need(into.contexts:restore(archive)) end,
  ["sum.spread"] = function(_, archive, into)
    if into.spread then need(into.spread:read(archive)) end
  end,
  profiles = function(_, archive, _, outcome)
    outcome.duplicates:unpack(read_text(archive))
  end,
  members = function(self, archive) self.members = core.recent(read_text(archive)) end,
}

-- Reads the parts of a checkpoint after its state. Each part occurs once.
local function read_parts(self, archive, into, outcome, state)
  local missing = { sum = true, profiles = true, ["sum.spread"] = into.spread and true,
    ["sum.ctx"] = state.has_contexts, members = state.has_members }
  local seen = { state = true }
  local name, size, message = archive:next()
  while name do
    if seen[name] then raise("%s: is damaged: it has two parts '%s'", self.path, name) end
    seen[name], missing[name] = true, nil
    if readers[name] then readers[name](self, archive, into, outcome) end
    name, size, message = archive:next()
  end
  if size then raise("%s", size) end
  if message then raise("%s", message) end
  if next(missing) then
    raise("%s: is damaged: the part '%s' is missing", self.path, next(missing))
  end
end

-- Goes to the last row that the checkpoint has, and checks that it is of the same list.
local function skip_rows(self, list, state)
  local count = number(state, "count")
  for i = 1, count do
    if not list.fetch(i) then break end
    advance(self, list, i)
  end
  if self.count ~= count or escape.in_hexadecimal(self.digest) ~= state.digest then
    raise("%s: is of another list of profiles: the first %d names differ", self.path,
      count)
  end
end

--- Goes on where a checkpoint was written, if there is one.
-- @tparam table list stream
-- @tparam table into see `gprof.cli.sum.inputs`; empty
-- @tparam table outcome see `gprof.cli.sum.inputs`
-- @raise a table with the field `message`
function checkpoint:resume(list, into, outcome)
  if not core.file_status(self.path) then return end
  local archive <close> = need(core.archive(self.path))
  local name, size = archive:next()
  local state = name == "state" and size and parse_state(read_text(archive))
  if not state then raise("%s: is not a checkpoint", self.path) end
  if state.options ~= self.signature then
    raise("%s: is of another program, or was made with other options", self.path)
  end
  read_parts(self, archive, into, outcome, state)
  skip_rows(self, list, state)
  self.is_used = true
  list.members = self.members
  restore_outcome(state, list, into.data, outcome)
  outcome.duplicates:restore(state)
  if into.contexts then into.contexts:restore_state(state) end
  local message = "gprof.lua: %s: the sum goes on after %d profiles"
  require "gprof.format.terminal".tell(message:format(self.path, self.count))
end

--- Writes the checkpoint.
-- @tparam table list stream
-- @tparam table into see `gprof.cli.sum.inputs`
-- @tparam table outcome see `gprof.cli.sum.inputs`
-- @raise a table with the field `message`
function checkpoint:write(list, into, outcome)
  if not profile_files.can_hold(into.data) then return end
  local state = { count = self.count, options = self.signature,
    digest = escape.in_hexadecimal(self.digest) }
  save_outcome(state, list, into.data, outcome)
  outcome.duplicates:save(state)
  local contexts = into.contexts and into.contexts.contexts
  if into.contexts then into.contexts:save_state(state) end
  state.has_contexts, state.has_members = contexts and true, list.members and true
  local file <close> = need(core.writer(self.path, "chosen"))
  write_text(file, "state", format_state(state))
  write_member(file, "sum", function(to) return into.data:write(to, "magic") end)
  if contexts then
    write_member(file, "sum.ctx", function(to) return contexts:write(to) end)
  end
  if into.spread then
    write_member(file, "sum.spread", function(to) return into.spread:write(to) end)
  end
  write_text(file, "profiles", outcome.duplicates:pack())
  if list.members then write_text(file, "members", list.members:pack()) end
  need(file:write(("\0"):rep(2 * BLOCK)))
  need(file:finish())
  self.is_used = true
end

--- Notes that a row was processed, and writes the checkpoint if it is due.
-- @tparam table list stream
-- @tparam integer i number of the row
-- @tparam table into see `gprof.cli.sum.inputs`
-- @tparam table outcome see `gprof.cli.sum.inputs`
function checkpoint:after(list, i, into, outcome)
  advance(self, list, i)
  local is_due = self.every and i % self.every == 0 or
    not self.every and core.clock() >= self.next
  if not is_due then return end
  self:write(list, into, outcome)
  self.next = core.clock() + INTERVAL
end

--- Returns the file to be removed after the old sum: the checkpoint, if it was used. A
-- link stays.
-- @treturn string|nil
function checkpoint:outdated()
  local path = self.is_used and core.real_path(self.path)
  return path and core.file_status(path) == "file" and path or nil
end

return checkpoint
