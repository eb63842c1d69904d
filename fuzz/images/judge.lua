-- Classifies how a run of the program ended: a report, an error line, or a fault. Decides whose fault it is.
-- SPDX-License-Identifier: GPL-3.0-or-later

local judge = {}

--- A run that uses more memory than this, in KiB, is a fault.
judge.MAX_MEMORY = 1 << 20

local SIGXCPU <const> = 24

-- Lines on standard error that may accompany a report.
local remarks = {
  "^gprof%.lua: warning: [^\n]+\n$", "^gprof%.lua: hint: [^\n]+\n$",
  "^gprof%.lua: [^\n]+: addresses corrected %(%-%-slide=0 disables this%): [^\n]+\n$",
}

local function is_remark(line)
  for _, pattern in ipairs(remarks) do
    if line:find(pattern) then return true end
  end
  return false
end

local function only_remarks(text)
  for line in text:gmatch "[^\n]+\n?" do
    if not is_remark(line) then return false end
  end
  return not text:find "^\n" and not text:find "\n\n"
end

local function one_line(text)
  local line = text:match "^([^\n]+)\n$"
  return line and line:find "^gprof%.lua: " ~= nil and not line:find "%f[%a]stack traceback"
    and not line:find "^gprof%.lua: internal error"
end

--- Classifies a run.
-- @tparam table result `status` or `signal` (`"wait"` if it was killed after waiting too long), `stderr`, `printed`
--   (bytes on standard output) and `memory` (peak, in KiB)
-- @tparam[opt] table how `chatty`: any lines on standard error are allowed; `spacious`: any use of memory is allowed;
--   `silent`: printing nothing is allowed
-- @treturn string "report" or "line"; or a fault: "crash", "hang", "memory", or "talk" for any other output
function judge.verdict(result, how)
  how = how or {}
  if result.signal == SIGXCPU or result.signal == "wait" then return "hang" end
  if result.signal or result.stderr:find("Sanitizer:", 1, true)
    or result.stderr:find("runtime error:", 1, true) then return "crash" end
  if not how.spacious and result.memory > judge.MAX_MEMORY then return "memory" end
  local stderr = result.stderr
  if how.chatty then
    stderr = result.status == 0 and "" or stderr:match "([^\n]*\n)$" or ""
  end
  if result.status == 0 and only_remarks(stderr) and (result.printed > 0 or stderr ~= "" or how.silent) then
    return "report"
  elseif result.status == 1 and (one_line(stderr) or one_line(stderr:match "([^\n]*\n)$" or "")
    and only_remarks(stderr:match "^(.*\n)[^\n]*\n$" or "")) then
    return "line"
  end
  return "talk"
end

-- Frames of the C library and of sanitizers are skipped: their caller is at fault.
local BELOW <const> = { "libc%.so", "libc%.", "ld%-linux", "libasan", "libubsan", "/libc_", "sysdeps/", "/malloc/",
  "^__asan", "^__interceptor", "^__sanitizer", "^__GI_", "^__libc", "^__ubsan", "^raise", "^abort", "^memcpy$",
  "^memmove$", "^malloc$", "^free$", "^realloc$", "^calloc$", "^_int_", "^malloc_", "^__mem", "^__str", "^strlen$" }

local function is_below(frame)
  for _, pattern in ipairs(BELOW) do
    if frame.name:find(pattern) or frame.place:find(pattern) then return true end
  end
  return false
end

--- Reads a stack as gdb or a sanitizer prints it.
-- @tparam string text
-- @treturn {table,...} innermost first: `name` of the function; `place`, its source or library
function judge.frames(text)
  local frames = {}
  for line in text:gmatch "[^\n]+" do
    local name, place = line:match "^%s*#%d+%s+0x%x+ in (%S+)(.*)$"
    if not name then name, place = line:match "^%s*#%d+%s+(%S+)(.*)$" end
    -- A second stack shows where a sanitizer saw the allocation.
    if line:find "^%s*#0 " and #frames > 0 then break end
    if name then frames[#frames + 1] = { name = name, place = place } end
  end
  return frames
end

--- Decides whose fault a crash or hang is: the fault of the code in the innermost frame outside the C library.
-- @tparam {table,...} frames
-- @treturn string "ours" or "libbfd's"
-- @treturn string the function of that frame
function judge.whose(frames)
  for _, frame in ipairs(frames) do
    if not is_below(frame) then
      local ours = frame.place:find("csrc/", 1, true) or frame.place:find("liblua", 1, true)
        or frame.name:find "^lua[LVHB_]?"
      return ours and "ours" or "libbfd's", frame.name
    end
  end
  return "ours", "?"
end

--- Returns the name of a fault of the kind "talk": the status and the first line of the output.
-- @tparam table result
-- @treturn string
function judge.talk(result)
  local words = result.stderr:match "^[^\n]*":gsub("/%S*/", ""):gsub("0x%x+", "N"):gsub("%d+", "N")
  return ("status %d, %s: %s"):format(result.status, result.printed > 0 and "a report" or "no report", words)
end

--- Returns the name of a fault of any kind except "talk": its owner, its kind and its function.
-- @tparam string verdict
-- @tparam {table,...} frames
-- @treturn string such as "libbfd's crash in bfd_getl32"
function judge.kind(verdict, frames)
  local owner, name = judge.whose(frames)
  return ("%s %s in %s"):format(owner, verdict, name)
end

return judge
