--- Function names as in the source, for languages that do not mangle like C++: Fortran's
-- "__phys_MOD_step" is `phys::step`, Ada's "phys__step" is `Phys.Step`.
--
-- All names are written with "::" between components, so patterns for C++ fit them.
--
-- @internal gprof.library.symspec.language_names
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local language_names = {}

-- Each of the following functions returns the components of a name, or nil if a symbol is
-- not of its language; and whether the language ignores case.

-- gfortran: "__phys_MOD_step", also in submodules, "__phys.sub_MOD_step"; "step_". Flang:
-- "_QMphysPstep". Intel: "phys_mp_step_".
local function fortran(symbol)
  local module, name = symbol:match "^__(%w[%w_.]*)_MOD_(%w[%w_]*)"
  if not module then module, name = symbol:match "^(%l[%w_]*)_mp_(%w[%w_]-)_*$" end
  if module then
    local parts = {}
    for part in module:gmatch "[^.]+" do parts[#parts + 1] = part end
    parts[#parts + 1] = name
    return parts, true
  end
  local rest = symbol:match "^_Q([%u%l][%w_]*)$"
  if rest then
    local parts = {}
    for part in rest:gmatch "[MSFP](%l[%l%d_]*)" do parts[#parts + 1] = part end
    return parts, true
  end
  name = symbol:match "^(%l[%w_]-)__?$"
  return name and { name }, true
end

-- GNAT: "phys__step", "phys__step__2" (overloaded), "_ada_main" (a main program),
-- "main__step.0" (nested).
local function ada(symbol)
  local name = symbol:match "^_ada_(%l[%w_]*)$" or symbol:match "^%l[%w_]*"
  if not name or name ~= (core.clone_stem(symbol) or symbol):gsub("^_ada_", "")
    :gsub("[.$]%d+$", "")
  then
    return nil
  end
  name = name:gsub("__%d+$", ""):gsub("T?[KB]+__", "__")
  local parts = {}
  for part in (name .. "__"):gmatch "(.-)__" do
    if part == "" then return nil end
    parts[#parts + 1] = part
  end
  return (parts[2] or symbol:find "^_ada_") and parts, true
end

-- Free Pascal: "P$PROGRAM_$$_STEP$LONGINT", "UNIT$_$TCLASS_$__$$_RUN$LONGINT".
local function pascal(symbol)
  local unit, name = symbol:match "^(%u[%u%d_$]-)_%$%$_([%u%d_]+)"
  if not unit then return nil end
  local parts = {}
  unit = unit:gsub("^[PU]%$", ""):gsub("_%$_?$", "")
  for part in unit:gsub("%$_%$", "\0"):gmatch "[^%z]+" do
    parts[#parts + 1] = part:gsub("^_+", ""):gsub("_+$", "")
  end
  parts[#parts + 1] = name
  return parts, true
end

-- Go: "main.step", "example.com/net.(*Server).Run".
local function go(symbol)
  if not symbol:find "^[%w_./%-]+%.[%a_(]" or core.clone_stem(symbol) then return nil end
  local parts = {}
  for part in symbol:match("[^/]*$"):gsub("%b[]", ""):gsub("[(*)]", ""):gmatch "[^.]+" do
    parts[#parts + 1] = part
  end
  return parts[2] and parts, false
end

-- Returns the identifier at a position of a D name, and the position after it. "Q" and a
-- number in base 26 refer to an earlier identifier.
local function dlang_part(symbol, at)
  local high, low = symbol:match("^Q(%u*)(%l)", at)
  local digits = symbol:match("^%d+", at)
  if low then
    local distance = 0
    for letter in high:gmatch "." do distance = distance * 26 + letter:byte() - 65 end
    distance = distance * 26 + low:byte() - 97
    digits = distance < at and symbol:match("^%d+", at - distance)
    if not digits or distance == 0 then return nil end
    local from = at - distance + #digits
    return symbol:sub(from, from + tonumber(digits) - 1), at + 2 + #high
  elseif digits then
    local from, size = at + #digits, math.tointeger(tonumber(digits))
    return symbol:sub(from, from + size - 1), from + size
  end
end

-- D: "_D3app4stepFiZv". After the name of a template, its arguments are not parsed.
local function dlang(symbol)
  if not symbol:find "^_D[%dQ_]" then return nil end
  local parts, at = {}, 3
  while #parts < 64 do
    local template = symbol:match("^__[TU]()", at)
    local part, after = dlang_part(symbol, template or at)
    if not part then break end
    local inner = part:match "^__[TU](%d+.*)"  -- older compilers give the length of all
    part = inner and dlang_part(inner, 1) or part
    parts[#parts + 1], at = part, after
    if template then break end
  end
  return parts[1] and parts, false
end

-- Lua: "Account:take", "step (work.lua:7)"; see gprof.scripts.script_functions.
local function lua(symbol)
  local name = symbol:gsub(" %([^()]*:%d+%)$", ""):gsub(" %([^()]*:%d+%) %(%d+%)$", "")
  if name == symbol and not symbol:find "^[%a_][%w_.]*:[%a_][%w_]*$" then return nil end
  if name:find " " then return { name }, false end  -- "callback of table.sort"
  local parts = {}
  for part in name:gmatch "[^.:]+" do parts[#parts + 1] = part end
  return parts, false
end

local languages <const> = { lua, fortran, dlang, pascal, ada, go }

--- Returns a function's name as its source has it.
-- @tparam string symbol
-- @treturn string|nil with "::" between its components; nil if the symbol is not of these
--   languages
-- @treturn boolean whether the language ignores case; then the name is in lower case
function language_names.of(symbol)
  for _, parse in ipairs(languages) do
    local parts, folds = parse(symbol)
    if parts and parts[1] then
      local name = table.concat(parts, "::")
      return folds and name:lower() or name, folds
    end
  end
end

--- Returns a function that tells whether a name is a function's name in the source.
-- @tparam string text the name, its last components, or a glob
-- @treturn function takes the results of `of`; returns a boolean
function language_names.matcher(text)
  local kind = text:find "[*?]" and "glob" or "components"
  text = text:gsub("%.", "::")
  local exact = assert(core.pattern(kind, text))
  local folded = assert(core.pattern(kind, text:lower()))
  return function(name, folds) return (folds and folded or exact):matches(name) end
end

return language_names
