--- Finds the names that functions have in the source text of a Lua chunk.
--
-- A call shows only the name of a variable of the caller: the functions that are passed
-- as callbacks all have the name of a parameter. The definition tells them apart.
--
-- @internal gprof.scripts.definitions
-- SPDX-License-Identifier: GPL-3.0-or-later

local find <const>, sub <const>, match <const>, gsub <const> = string.find, string.sub,
  string.match, string.gsub

local definitions = {}

-- Keywords after which a new statement or expression list begins.
local ENDS_STATEMENT <const> = {}
local ENDS <const> = "break do else elseif end for goto if in local repeat " ..
  "return then until while"
for word in ENDS:gmatch "%a+" do ENDS_STATEMENT[word] = true end
local OPERATORS <const> = { ["and"] = true, ["or"] = true, ["not"] = true }
local VALUES <const> = { ["nil"] = true, ["true"] = true, ["false"] = true }

-- A context is what encloses a place of the text: the body of a function, the brackets of
-- a call, of a table, of an index, or of an expression. Fields:
--
-- - `kind`; `name`, of the function or table, or of the function that is called;
-- - `value`: whether an expression may end here, `expr`: its text, or nil;
-- - in bodies: `depth`, of blocks; `targets`, of an assignment, and `index` into them,
--   nil before its "="; `returns`, whether the text is in a return statement;
-- - in tables: `key`, of the field, and `count` of fields without one;
-- - in indices: where they begin, `first`; `is_field`, whether it is a key of a table.
local function enter(state, kind, name)
  local context = { kind = kind, name = name, outer = state.context, depth = 0,
    targets = {}, count = 1 }
  state.context = context
  return context
end

local function leave(state, expr)
  state.context = state.context.outer or state.context
  state.context.expr, state.context.value = expr, true
end

local function begin_statement(context)
  context.targets, context.index, context.returns = {}, nil, nil
end

-- Returns the name of the variable or field that gets the value that begins here.
local function target_of(context)
  local kind = context.kind
  if kind == "function" then return context.index and context.targets[context.index] end
  if kind ~= "table" then return nil end
  local prefix = context.name
  if not context.key then return prefix and ("%s[%d]"):format(prefix, context.count) end
  return prefix and prefix .. "." .. context.key or context.key
end

-- Returns the name of a function that is a value.
local function name_of_value(context)
  if context.kind == "call" then
    return context.name and "callback of " .. context.name
  end
  if context.returns then
    return context.name and "function returned by " .. context.name
  end
  return target_of(context)
end

-- Words ---------------------------------------------------------------------------------

-- Returns where the last line of a function has its `end`; nil if that is not certain.
local function end_of(text, starts, last, at)
  local first, next_line = starts[last], starts[last + 1] or #text + 2
  if not first or first <= at then return nil end
  local line = sub(text, first, next_line - 2)
  local found = find(line, "%f[%w_]end%f[^%w_]")
  if not found or find(line, "%f[%w_]end%f[^%w_]", found + 3) then return nil end
  return first + found - 1
end

-- Skips the body of the last function, and the functions in it, if it is one to skip.
-- Returns where its `end` is; otherwise nil.
local function skip_body(state, text, at)
  local f = state.skipped[#state.names]
  local found = f and end_of(text, state.starts, f.last, at)
  for _ = 1, found and f.inner or 0 do state.names[#state.names + 1] = false end
  return found
end

-- Takes `function`, a name, and parameters. Returns where they end, or the body.
local function take_function(state, text, at)
  local _, last, given = find(text, "^%s*([%a_][%w_%.:%s]*)%(", at)
  local name = given and given:gsub("%s", "") or name_of_value(state.context)
  state.names[#state.names + 1] = name or false
  if given then begin_statement(state.context) end
  enter(state, "function", name)
  local _, parameters = find(text, "^%b()", last or find(text, "(", at, true) or at)
  at = (parameters or at - 1) + 1
  return skip_body(state, text, at) or at
end

local function close_block(state)
  local context = state.context
  if context.kind ~= "function" then return end
  if context.depth > 0 then
    context.depth = context.depth - 1
  elseif context.outer then
    leave(state)
  end
end

local function take_keyword(context, word)
  if word == "if" or word == "do" or word == "repeat" then
    context.depth = context.depth + 1
  end
  if ENDS_STATEMENT[word] then begin_statement(context) end
  context.returns = word == "return" or context.returns and not ENDS_STATEMENT[word]
  context.expr, context.value = nil, VALUES[word] or false
end

-- Takes a name after `before`: ".", ":" or another token.
local function take_name(context, word, before)
  local is_member = before == "." or before == ":"
  if is_member then
    context.expr = context.expr and context.expr .. before .. word
  else
    if context.value and context.kind == "function" then begin_statement(context) end
    context.expr = word
  end
  context.value = true
end

local function take_word(state, text, word, at)
  local context = state.context
  if word == "function" then return take_function(state, text, at) end
  if word == "end" or word == "until" then
    close_block(state)
    if word == "until" then begin_statement(state.context) end
    if word == "until" then state.context.value = false end
  elseif ENDS_STATEMENT[word] or OPERATORS[word] or VALUES[word] then
    take_keyword(context, word)
  else
    take_name(context, word, state.before)
  end
  return at
end

-- Other tokens --------------------------------------------------------------------------

local take = {}

take["("] = function(state, context)
  local is_call = context.value
  enter(state, is_call and "call" or "group", is_call and context.expr)
end

take[")"] = function(state, context)
  leave(state, context.kind == "call" and context.name and context.name .. "()" or nil)
end

take["{"] = function(state, context)
  enter(state, "table", context.value and context.expr or target_of(context))
end

take["}"] = function(state) leave(state) end

take["["] = function(state, context, _, at)
  local index = enter(state, "index")
  index.is_field, index.first = context.kind == "table" and not context.value, at + 1
end

take["]"] = function(state, context, text, at)
  local index, outer = sub(text, context.first or at, at - 1), context.outer or context
  local key = match(index, [[^%s*["']([^"'\]*)["']%s*$]]) or
    match(index, "^%s*(%d+)%s*$")
  local is_name = key and find(key, "^[%a_][%w_]*$")
  local shown = is_name and key or ("[%s]"):format(key or "...")
  if context.is_field then return leave(state, shown) end
  leave(state, outer.expr and outer.expr .. (is_name and "." or "") .. shown)
end

take["="] = function(_, context)
  if context.kind == "table" then
    context.key = context.expr
  elseif not context.index then
    context.targets[#context.targets + 1] = context.expr or false
    context.index = 1
  end
  context.expr, context.value = nil, false
end

take[","] = function(_, context)
  if context.kind == "table" then
    if not context.key then context.count = context.count + 1 end
    context.key = nil
  elseif context.index then
    context.index = context.index + 1
  else
    context.targets[#context.targets + 1] = context.expr or false
  end
  context.expr, context.value = nil, false
end

take[";"] = function(state, context)
  if context.kind == "table" then return take[","](state, context) end
  begin_statement(context)
  context.expr, context.value = nil, false
end

-- Takes a sign. Returns the position after it.
local function take_sign(state, text, at)
  local context = state.context
  local sign = match(text, "^%.%.%.?", at) or match(text, "^[=~<>]=", at) or
    match(text, "^::", at) or sub(text, at, at)
  local attribute = sign == "<" and match(text, "^<%s*%a+%s*>()%s*[=,]", at)
  if attribute then return attribute end
  if take[sign] then
    take[sign](state, context, text, at)
  elseif sign == "..." then
    context.expr, context.value = nil, true
  elseif sign ~= "." and sign ~= ":" then
    context.expr, context.value = nil, false
  end
  state.before = sign
  return at + #sign
end

-- Returns the position after a string in quotes.
local function skip_quoted(text, at)
  local quote, place = sub(text, at, at), at + 1
  local stop <const> = "[\\" .. quote .. "]"
  while true do
    place = find(text, stop, place)
    if not place then return #text + 1 end
    if sub(text, place, place) == quote then return place + 1 end
    place = place + 2
  end
end

-- Returns the position after a bracket of level `equals`.
local function skip_long(text, equals, at)
  local _, last = find(text, "]" .. equals .. "]", at, true)
  return (last or #text) + 1
end

local function take_token(state, text, at)
  local word = match(text, "^[%a_][%w_]*", at)
  if word then
    local next_at = take_word(state, text, word, at + #word)
    state.before = word
    return next_at
  end
  local equals = match(text, "^%-%-%[(=*)%[", at)
  if equals then return skip_long(text, equals, at) end
  if find(text, "^%-%-", at) then return find(text, "\n", at, true) or #text + 1 end
  local first = sub(text, at, at)
  equals = match(text, "^%[(=*)%[", at)
  if equals or first == "'" or first == '"' then
    local next_at = equals and skip_long(text, equals, at) or skip_quoted(text, at)
    local context = state.context
    context.expr = context.value and context.expr and context.expr .. "()" or nil
    context.value, state.before = true, "string"
    return next_at
  end
  local number = match(text, "^%.?%d[%w_]*", at)
  if not number then return take_sign(state, text, at) end
  state.context.expr, state.context.value = nil, true
  state.before = "number"
  return at + #number
end

-- Returns where each line of a text begins. Lua ends lines also at carriage returns: then
-- they are not known.
local function line_starts(text)
  local starts, count = { 1 }, 1
  if find(text, "\r", 1, true) then return starts end
  local at = find(text, "\n", 1, true)
  while at do
    count = count + 1
    starts[count], at = at + 1, find(text, "\n", at + 1, true)
  end
  return starts
end

-- The beginning of statements that define functions. After it come name and parameters.
local STATEMENTS <const> = { "function", "local%s+function" }

-- Returns the name, parameters and rest of a statement that begins a line and defines a
-- function.
local function statement_in(line)
  for _, statement in ipairs(STATEMENTS) do
    local name, parameters, rest =
      match(line, "^%s*" .. statement .. "%s+([%a_][%w_.:]*)%s*(%b())(.*)")
    if name then return name, parameters, rest end
  end
end

-- Returns the name of the function that a line defines by a statement; nil if it has
-- other parameters than `signature` says, or the line defines another one, too.
local function name_in(line, signature)
  local name, parameters, rest = statement_in(line)
  if not name or find(rest, "%f[%w_]function%f[^%w_]") then return nil end
  local _, count = gsub(parameters, "[%a_][%w_]*", "")
  if find(name, ":", 1, true) then count = count + 1 end
  local is_vararg = find(parameters, "...", 1, true) and 1 or 0
  return signature & 0x1ff == count << 1 | is_vararg and name or nil
end

--- Returns the names of functions that statements at the beginning of a line define, as
-- `local function work(...)` and `function Account:deposit(...)` do. These are known
-- without reading the rest of the text.
-- @tparam string text of a chunk that Lua compiles
-- @tparam {table,...} functions of the chunk: `first`, a line, and `signature`, as in
--   gprof.scripts.script_functions
-- @treturn ?{string,...} the name of each; nil if some are defined in other ways
function definitions.of_statements(text, functions)
  local starts, names, seen = line_starts(text), {}, {}
  for i, f in ipairs(functions) do
    local first, after = starts[f.first], starts[f.first + 1] or #text + 2
    names[i] = first and not seen[f.first] and
      name_in(sub(text, first, after - 2), f.signature)
    if not names[i] then return nil end
    seen[f.first] = true
  end
  return names
end

--- Returns the names of the functions that a text defines, in the order of the keywords
-- `function`.
-- @tparam string text of a chunk that Lua compiles
-- @tparam[opt] table skipped the functions, by number, whose bodies need not be read:
--   `last`, the line, and `inner`, the number of functions in it. Their names are false
-- @treturn {string|false,...} such as "work", "Account:deposit", "callback of each";
--   false for a function that the definition gives no name
function definitions.names(text, skipped)
  local state, at = { names = {}, skipped = skipped or {},
    starts = skipped and line_starts(text) }, 1
  enter(state, "function")
  while true do
    at = find(text, "[^%s]", at)
    if not at then return state.names end
    at = take_token(state, text, at)
  end
end

return definitions
