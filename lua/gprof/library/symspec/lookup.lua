--- Parses and resolves symspecs by our own rules, the default.
--
-- A lookup is an object with the methods `parse`, `find`, `combine` and `combine_arcs`.
-- The lookup with GNU gprof's rules is gprof.library.symspec.gnu_lookup.
--
-- @internal gprof.library.symspec.lookup
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local patterns = require "gprof.library.symspec.patterns"
local source_text = require "gprof.library.files.source_text"

-- Parsing -------------------------------------------------------------------------------

local Lookup = {}
Lookup.__index = Lookup

-- The parts of C++ names that can contain a colon or a slash, or an unbalanced bracket.
local MASKED <const> = { "%f[%w_]operator[<>=%-]+", "%f[%w_]operator/=?%f[(<%[]", "%b()",
  "%b[]", "%b{}", "%b<>", "::" }

-- Replaces the parts of names that MASKED matches with zeros. Positions do not change.
local function mask(text)
  for _, pattern in ipairs(MASKED) do
    text = text:gsub(pattern, function(found) return ("\0"):rep(#found) end)
  end
  return text
end

-- Returns the position of the colon after the file name: the last colon that is not part
-- of a C++ name.
function Lookup.find_colon(text)
  return mask(text):match("^.*():")
end

-- Returns the position of the slash between caller and callee. A caller that is a regular
-- expression has slashes of its own.
function Lookup.find_slash(text)
  local last = patterns.regex_end(text)
  if last then return last < #text and last + 1 or nil end
  return not patterns.regex_of(text) and mask(text):find("/", 1, true) or nil
end

Lookup.regex_of = patterns.regex_of

-- Whether a text without a colon after a file name is itself a file name: it has a dot
-- outside of brackets. Dots inside brackets, as in "f [clone .isra.0]" and "f(int, ...)",
-- belong to functions.
function Lookup.is_file(text)
  return mask(text):find(".", 1, true) ~= nil
end

-- Returns the digits of a line number; nil if the text is not a number.
function Lookup.digits_of(text)
  return text:match "^%d+$"
end

-- A number that is too large becomes a line that no file has.
function Lookup.line_of(digits)
  return math.tointeger(tonumber(digits)) or math.maxinteger
end

-- Parses one side of a symspec into `file`, `line`, `name`, `regex`, each optional, and
-- `text`, the whole text.
function Lookup:parse_half(text)
  local half, rest = { text = text }, text
  half.regex, half.file = self.regex_of(text)
  if half.regex then return half end
  local colon = self.find_colon(text)
  if colon then
    half.file, rest = text:sub(1, colon - 1), text:sub(colon + 1)
  end
  local digits = self.digits_of(rest)
  if not colon and self.is_file(text) then
    half.file = text
  elseif digits then
    half.line = self.line_of(digits)
  else
    half.name = rest
  end
  if half.file == "" then half.file = nil end
  if half.name == "" then half.name = nil end
  return half
end

--- Parses a symspec.
-- @tparam string text
-- @tparam boolean arcs whether it names calls: FROM/TO
-- @treturn table the functions, or the callers: `text`; `file`, `line`, `name` and
--   `regex`, each optional
-- @treturn ?table the callees, with the same fields; nil without a slash
function Lookup:parse(text, arcs)
  local slash = arcs and self.find_slash(text)
  if not slash then return self:parse_half(text) end
  return self:parse_half(text:sub(1, slash - 1)), self:parse_half(text:sub(slash + 1))
end

--- Returns what is wrong with a symspec.
-- @tparam string text
-- @tparam boolean arcs whether it names calls: FROM/TO
-- @treturn string|nil a message about an invalid regular expression; nil if it is valid
function Lookup:problem(text, arcs)
  for _, half in ipairs { self:parse(text, arcs) } do
    local problem = half.regex and patterns.problem(half.regex)
    if problem then return problem end
  end
end

-- Lookup --------------------------------------------------------------------------------

-- Returns a table from the last component of a path to the numbers of the files whose
-- paths end with it.
function Lookup:files_by_base()
  if not self.by_base then
    self.by_base, self.files = {}, self.symbols:files()
    for number, name in ipairs(self.files) do
      local base = base_name(name)
      self.by_base[base] = self.by_base[base] or {}
      table.insert(self.by_base[base], number)
    end
  end
  return self.by_base
end

-- Returns the numbers of the files whose paths end with the components of `name`.
function Lookup:find_files(name)
  local matching = {}
  for _, number in ipairs(self:files_by_base()[base_name(name)] or {}) do
    if source_text.is_named(self.files[number], name) then
      matching[#matching + 1] = number
    end
  end
  return matching
end

-- Returns the elements of a list that satisfy a predicate; all elements if it is nil.
function Lookup.filter(list, predicate)
  if not predicate then return list end
  local result = {}
  for _, element in ipairs(list) do
    if predicate(element) then result[#result + 1] = element end
  end
  return result
end

-- Finds functions by their names in the symbol table; if there are none, by their names
-- in the source. All methods that find functions by name return only those that satisfy
-- `predicate`, if given.
function Lookup:find_exact(name, predicate)
  local found = self.filter(self.symbols:named(name), predicate)
  return found[1] and found or self.filter(self.symbols:named(name, true), predicate)
end

function Lookup:find_matching(kind, text, predicate)
  return self.filter(patterns.find(self.symbols, kind, text), predicate)
end

-- Finds clones by the mangled name of their function. Patterns see demangled names.
function Lookup:find_mangled_clones(name, predicate)
  local found, symbols = {}, self.symbols
  for id = 1, symbols.count do
    local symbol = symbols:name(id)
    if symbol:sub(1, #name) == name and core.clone_stem(symbol) == name and
      symbols:owner(id) == id
    then
      found[#found + 1] = id
    end
  end
  return self.filter(found, predicate)
end

-- Finds functions by name. A complete name wins over the last components of names, these
-- win over the names of clones without their suffixes, and these over globs: so every
-- name can be selected alone.
function Lookup:find_names(name, predicate)
  local found = self:find_exact(name, predicate)
  if found[1] then return found end
  found = self:find_matching("components", name, predicate)
  if found[1] then return found end
  found = self:find_matching("clones", name, predicate)
  if not found[1] and name:find "^_" then
    found = self:find_mangled_clones(name, predicate)
  end
  if not found[1] and patterns.is_glob(name) then
    found = self:find_matching("glob", name, predicate)
  end
  if not found[1] then found = self:find_placed(name, predicate) end
  return found[1] and found or self:find_in_language(name, predicate)
end

-- Finds functions by name and place, as reports write them: "step (work.lua:7)".
function Lookup:find_placed(text, predicate)
  local name, file, digits = text:match "^(.+) %(([^()]+):(%d+)%)$"
  if not name then return {} end
  local there = {}
  for _, number in ipairs(self:find_files(file)) do
    for _, id in ipairs(self.symbols:in_file(number, self.line_of(digits))) do
      there[id] = not predicate or predicate(id)
    end
  end
  return self:find_names(name, function(id) return there[id] end)
end

-- Returns the names that functions have in the source of other languages than C++: arrays
-- of numbers of functions, names, and whether the language ignores case.
function Lookup:names_in_languages()
  if not self.in_languages then
    local of = require "gprof.library.symspec.language_names".of
    local ids, names, folds = {}, {}, {}
    for id = 1, self.symbols.count do
      local name, ignores_case = of(self.symbols:name(id))
      if name and self.symbols:owner(id) == id then
        local i = #ids + 1
        ids[i], names[i], folds[i] = id, name, ignores_case
      end
    end
    self.in_languages = { ids, names, folds }
  end
  return table.unpack(self.in_languages)
end

-- Finds functions by these names.
function Lookup:find_in_language(name, predicate)
  local found, ids, names, folds = {}, self:names_in_languages()
  local is_match = require "gprof.library.symspec.language_names".matcher(name)
  for i, id in ipairs(ids) do
    if is_match(names[i], folds[i]) then found[#found + 1] = id end
  end
  return self.filter(found, predicate)
end

-- Finds functions by name or regular expression. Demanglers write the ">>" of nested C++
-- templates as "> >".
function Lookup:find_named(half, predicate)
  if half.regex then return self:find_matching("regex", half.regex, predicate) end
  local found = self:find_names(half.name, predicate)
  if found[1] or not half.name:find(">>", 1, true) then return found end
  local spaced = half.name:gsub(">>", "> >"):gsub(">>", "> >")
  return self:find_names(spaced, predicate)
end

-- Finds the functions in a file. If a line, a name or a regular expression is given,
-- finds only the functions that match it.
function Lookup:find_in_files(half)
  local ids, is_match, by_name = {}, {}, half.name or half.regex
  for _, file in ipairs(self:find_files(half.file)) do
    is_match[file] = true
    if not by_name then
      local more = self.symbols:in_file(file, half.line)
      table.move(more, 1, #more, #ids + 1, ids)
    end
  end
  if by_name and next(is_match) then
    ids = self:find_named(half, function(id)
      return is_match[self.symbols:source(id)]
    end)
  end
  table.sort(ids)
  return ids
end

-- Finds the functions that match the fields of one side of a symspec. If it has no
-- fields, returns true, which stands for all functions.
function Lookup:find_by_fields(half)
  if half.file then
    return self:find_in_files(half)
  elseif half.line then
    return self.symbols:at_line(half.line)
  elseif half.name or half.regex then
    return self:find_named(half)
  end
  return true
end

-- Finds functions whose name in the source is the whole text, such as "f(int, ...)". Such
-- a name has no colon other than in "::".
function Lookup:find_in_source(half)
  local text = half.text
  return text:find "[.(]" and not self.find_colon(text) and self:find_exact(text) or {}
end

--- Finds the functions that one side of a symspec names. The whole text may be a name in
-- the symbol table, such as "f.isra.0", or in the source. Since names in the source take
-- long to look up, a text that looks like a file is looked up as a file first.
-- @tparam table half as `parse` returns it
-- @treturn {integer,...}|boolean their numbers, ascending; true for all functions
function Lookup:find(half)
  local text = half.text
  if text == half.name or text == "" or half.regex then
    return self:find_by_fields(half)
  end
  local ids = self.symbols:named(text)
  if ids[1] then return ids end
  local first, second = self.find_by_fields, self.find_in_source
  if text:find "[( ]" then first, second = second, first end
  ids = first(self, half)
  if ids == true or ids[1] then return ids end
  ids = second(self, half)
  if ids == true or ids[1] then return ids end
  ids = self:find_placed(text)  -- of a name with a dot: "M.open (work.lua:7)"
  if not ids[1] and patterns.is_glob(text) then
    ids = self:find_matching("glob", text)  -- a glob with a dot: "work.isra.*"
  end
  if ids[1] or self.find_colon(text) or text:find "[/(]" then return ids end
  return self:find_in_language(text)
end

-- Tables --------------------------------------------------------------------------------

--- Returns the union of the functions that the symspecs of one table name.
-- @tparam {table|boolean,...} found results of `find`, in reverse order of the symspecs
-- @treturn {integer,...}|nil numbers of functions; nil if no symspec matched
function Lookup:combine(found)
  local union = {}
  for _, ids in ipairs(found) do
    if ids == true then
      ids = {}
      for id = 1, self.symbols.count do ids[id] = id end
    end
    table.move(ids, 1, #ids, #union + 1, union)
  end
  return union[1] and union
end

local function is_empty(ids) return ids ~= true and not ids[1] end

--- Combines the calls of all symspecs in one table.
-- @tparam table _ the lookup
-- @tparam {table,...} found pairs of results of `find`, callers and callees, in reverse
--   order of the symspecs; the field `spec` is the symspec
-- @treturn {table,...} pairs of callers and callees, both as `core.profile` takes them
function Lookup.combine_arcs(_, found)
  return Lookup.filter(found, function(pair)
    return not (is_empty(pair[1]) or is_empty(pair[2]))
  end)
end

--- The scopes (see gprof.symspec) where symspecs for the profiling functions
-- (`core.machinery`) are added to the excluding symspecs.
Lookup.machinery_scopes = {}

-- Profiles by line ----------------------------------------------------------------------

-- Finds lines: all lines of the functions found or, if the symspec has a line number,
-- only lines with that number. The lines of an inlined function are where it was inlined,
-- if inlined functions are among the functions, or if it has no code of its own.
local LineLookup = setmetatable({}, Lookup)
LineLookup.__index = LineLookup

-- Finds a line by what reports write: "work (work.c:7 @ 401126)".
function LineLookup:find_printed(text)
  local name, line, address = text:match "^(.+) %([^()]+:(%d+) @ (%x+)%)$"
  local row = name and self.symbols:lookup(tonumber(address, 16))
  if not row or row.address ~= tonumber(address, 16) or row.line ~= tonumber(line) then
    return {}
  end
  return self:find_names(name, function(id) return id == row.id end)
end

-- `is_of_source` leaves out what only lines have: annotated source is that of functions.
function LineLookup:find(half, is_of_source)
  if half.line then return Lookup.find(self, half) end
  local ids = self.functions:find(half)
  if ids == true then return true end
  local rows = self.symbols:expand(ids, self.functions.symbols)
  if is_of_source then return rows end
  if not rows[1] then rows = self:find_printed(half.text) end
  return rows[1] and rows or Lookup.find(self, half)
end

--- Makes a lookup.
-- @tparam symbols functions
-- @tparam[opt] symbols lines for a profile by line: then the lookup finds lines
-- @treturn Lookup
function Lookup.new(functions, lines)
  local lookup = setmetatable({ symbols = functions }, Lookup)
  if not lines then return lookup end
  return setmetatable({ symbols = lines, functions = lookup }, LineLookup)
end

return Lookup
