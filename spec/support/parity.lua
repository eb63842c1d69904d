-- Compares the output of our program and GNU gprof for the same arguments, byte by byte.
-- SPDX-License-Identifier: GPL-3.0-or-later

local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"

local parity = {}

--- Tells whether there is a GNU gprof to compare with; if not, marks the specs as pending.
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

-- Describes the first line that differs.
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

-- Returns whether GNU gprof stopped because its two passes found different numbers of lines. Our program continues.
local function miscounted(theirs)
  return theirs.stderr:find("somebody miscounted", 1, true) and theirs.status == 1
end

-- Describes the difference between two results; `command` is our command line.
local function compare(ours, theirs)
  if miscounted(theirs) then
    local is_refusal = ours.status == 1 and ours.stdout == "" and ours.stderr:find "^gprof%.lua: [^\n]+\n$"
    return ours.status ~= 0 and not is_refusal and
      ("%s\nours: %s\n%s%s"):format(ours.command, ending(ours), ours.stdout, ours.stderr) or nil
  elseif ending(ours) ~= ending(theirs) then
    return ("%s\nours: %s, GNU: %s\n%s%s"):format(ours.command, ending(ours), ending(theirs), ours.stderr,
      theirs.stderr)
  elseif ours.status ~= 0 then
    return ours.stdout ~= "" and ours.command .. "\nfails, but prints\n" .. ours.stdout or nil
  elseif ours.stdout ~= theirs.stdout then
    return ours.command .. "\n" .. first_difference(ours.stdout, theirs.stdout)
  end
end

--- Compares stdout and exit status of `gprof.lua --gnu-compat ...` and `gprof ...`. If GNU gprof stops at an internal
-- error, "somebody miscounted", our program must succeed, or refuse the files in one line. If both fail, our program
-- must print nothing. GNU gprof may have printed some lines by then, since it prints the output of -i while it reads
-- the files.
-- @tparam {string,...} arguments of both
-- @tparam[opt] table options as for `shell.run`
-- @treturn ?string the difference and the command; nil if they are equal
function parity.difference(arguments, options)
  local ours = program.run({ "--gnu-compat", table.unpack(arguments) }, options)
  local theirs = oracle.run(arguments, options)
  return compare(ours, theirs)
end

-- Only one in GPROF_SHARE comparisons is made. The Makefile sets this variable for runs that look for other faults
-- than wrong output, such as the one with sanitizers.
local share <const> = tonumber(os.getenv "GPROF_SHARE" or 1)
local asked = 0

-- Counts a comparison. Returns whether to make it.
local function is_due()
  asked = asked + 1
  return asked % share == 0
end

--- Raises an error if the two programs differ.
-- @tparam {string,...} arguments of both
-- @tparam[opt] table options as for `shell.run`
-- @tparam[opt] string note beginning of the message: how to reproduce the failure
function parity.check(arguments, options, note)
  if not is_due() then return end
  local difference = parity.difference(arguments, options)
  assert(not difference, (note or "") .. tostring(difference))
end

-- Runs one of the two programs in a new directory. Returns the result and the directory.
local function run_apart(run, arguments)
  local dir = shell.tmpdir "apart"
  return run(arguments, { cwd = dir }), dir
end

--- Compares as `check` does and, unless both programs fail, compares the files that they write to the working
-- directory. Of sums (gmon.sum) only the names are compared, since their contents differ.
-- @tparam {string,...} arguments of both, with absolute paths
-- @tparam[opt] string note
function parity.check_files(arguments, note)
  if not is_due() then return end
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
end

return parity
