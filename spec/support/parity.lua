-- Compares what our program and GNU gprof print for the same arguments, byte for byte.
-- SPDX-License-Identifier: GPL-3.0-or-later

local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local parity = {}

--- Tells whether there is a GNU gprof to compare with, and marks what follows as pending if there is not.
-- @tparam function pending busted's
-- @treturn boolean
function parity.possible(pending)
  local available, why = oracle.available()
  if not available then
    pending("parity with GNU gprof: " .. why)
  end
  return available
end

local function ending(result)
  return result.signal and "signal " .. result.signal or "exit status " .. result.status
end

-- The first line that differs, as a description.
local function first_difference(ours, theirs)
  local next_line = theirs:gmatch "([^\n]*)\n?"
  local number = 0
  for line in ours:gmatch "([^\n]*)\n?" do
    number = number + 1
    local other = next_line()
    if line ~= other then
      return ("line %d\n  ours: %q\n  GNU:  %q"):format(number, line, other or "nothing")
    end
  end
  return ("line %d: ours ends"):format(number)
end

-- What differs between two results; `command` is ours.
local function compare(ours, theirs)
  if ending(ours) ~= ending(theirs) then
    return ("%s\nours: %s, GNU: %s\n%s%s"):format(ours.command, ending(ours), ending(theirs), ours.stderr,
      theirs.stderr)
  elseif ours.status ~= 0 then
    return ours.stdout ~= "" and ours.command .. "\nfails, but prints\n" .. ours.stdout or nil
  elseif ours.stdout ~= theirs.stdout then
    return ours.command .. "\n" .. first_difference(ours.stdout, theirs.stdout)
  end
end

--- Compares standard output and exit status of `gprof.lua --gnu-compat ...` and `gprof ...`. If both fail, ours has to
-- print nothing: GNU gprof says what each file holds (-i) while it reads them, before it finds out what is wrong.
-- @tparam {string,...} arguments of both
-- @tparam[opt] table options as for `shell.run`
-- @treturn ?string what differs, with the command; nil if nothing does
function parity.difference(arguments, options)
  local ours = program.run({ "--gnu-compat", table.unpack(arguments) }, options)
  local theirs = oracle.run(arguments, options)
  return compare(ours, theirs)
end

-- Of so many comparisons one is made, in runs that are about something else than numbers.
local share <const> = tonumber(os.getenv "GPROF_SHARE" or 1)
local asked = 0

--- Fails with what differs.
-- @tparam {string,...} arguments of both
-- @tparam[opt] table options as for `shell.run`
-- @tparam[opt] string note what the message begins with: how to see it again
function parity.check(arguments, options, note)
  asked = asked + 1
  if asked % share ~= 0 then return end
  local difference = parity.difference(arguments, options)
  assert(not difference, (note or "") .. tostring(difference))
end

-- Runs one of the two in a directory of its own, that is empty. Returns the result and that directory.
local function run_apart(run, arguments)
  local dir = shell.tmpdir "apart"
  return run(arguments, { cwd = dir }), dir
end

--- Compares as `check` does, and then the files that both write into the working directory, unless they fail. Only the
-- names of sums (gmon.sum) are compared: how they are written differs.
-- @tparam {string,...} arguments of both, with absolute paths
-- @tparam[opt] string note
-- @treturn string names of the files, a line each
function parity.check_files(arguments, note)
  local ours, our_dir = run_apart(program.run, { "--gnu-compat", table.unpack(arguments) })
  local theirs, their_dir = run_apart(oracle.run, arguments)
  local difference, written = compare(ours, theirs), shell.listing(our_dir)
  assert(not difference, (note or "") .. tostring(difference))
  assert(ours.status ~= 0 or written == shell.listing(their_dir),
    (note or "") .. ours.command .. "\nother files are written")
  for name in (ours.status == 0 and written or ""):gmatch "[^\n]+" do
    local text, other = shell.read(our_dir .. "/" .. name), shell.read(their_dir .. "/" .. name)
    if name ~= "gmon.sum" and text ~= other then
      error(("%s%s\n%s, %s"):format(note or "", ours.command, name, first_difference(text, other)))
    end
  end
  shell.check { "rm", "-rf", our_dir, their_dir }
  return written
end

return parity
