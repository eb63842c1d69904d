-- Mangled names that grow when they are demangled: each function takes a number n, and returns a name. Demangling
-- doubles the size of the name, or the cost, n times.
-- SPDX-License-Identifier: GPL-3.0-or-later

local bombs = {}

-- Writes a number with the characters of `alphabet` as digits.
local function digits(number, alphabet)
  local text = ""
  repeat
    local digit = number % #alphabet + 1
    text, number = alphabet:sub(digit, digit) .. text, number // #alphabet
  until number == 0
  return text
end

-- Returns a sequence number as in "S_", "S0_", "S1_" and so on.
local function sequence(number, alphabet)
  return (number == 0 and "" or digits(number - 1, alphabet)) .. "_"
end

local UPPER <const> = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
local ALL <const> = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

-- Returns `n` types, each a template with the previous one as both of its arguments. `template` and `first` are the
-- numbers of substitutions.
local function doubled(n, template, first)
  local types = {}
  for i = 1, n do
    local last = "S" .. sequence(first + i - 1, UPPER)
    types[i] = "S" .. sequence(template, UPPER) .. "I" .. last .. last .. "E"
  end
  return table.concat(types)
end

-- f(A<int, int>, A<A<int, int>, A<int, int>>, ...)
function bombs.substitutions(n)
  return "_Z1f1AIiiE" .. doubled(n, 0, 1)
end

-- The same types as template arguments of f. The return type, which is printed first, expands the last of them.
function bombs.packs(n)
  return "_Z1fI1AIiiE" .. doubled(n, 1, 2) .. "EDpS" .. sequence(n + 2, UPPER) .. "v"
end

-- f::operator T<T<T<...>>>()
function bombs.conversions(n)
  return "_ZN1fcv" .. ("T_I"):rep(n) .. "i" .. ("E"):rep(n) .. "Ev"
end

-- a::b<(..), ((..), (..)), ...>
function bombs.rust(n)
  local name, last = "INvC1a1bTllE", 8
  for _ = 1, n do
    local reference = "B" .. sequence(last, ALL)
    name, last = name .. "T" .. reference .. reference .. "E", #name
  end
  return "_R" .. name .. "E"
end

-- a::b<for<'a, 'b, ...> fn()>
function bombs.lifetimes(n)
  return "_RINvC1a1bFG" .. sequence(2 ^ n // 1 | 0, ALL) .. "EuE"
end

-- a.f(int[int], int[int][int[int]], ...)
function bombs.dlang(n)
  local name, last = "_D1a1fFHii", 7
  for _ = 1, n do
    local here = #name
    name = name .. "H"
    for _ = 1, 2 do
      local distance = #name - last
      local high = distance // 26
      name = name .. "Q" .. (high > 0 and string.char(65 + high) or "") .. string.char(97 + distance % 26)
    end
    last = here
  end
  return name .. "Zv"
end

return bombs
