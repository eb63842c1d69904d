-- Encodes and decodes JSON.
local encode
local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function encode_list(list)
  local parts = {}
  for i = 1, #list do parts[i] = encode(list[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

local function encode_object(object)
  local keys, parts = {}, {}
  for key in pairs(object) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = quote(key) .. ":" .. encode(object[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

function encode(value)
  if type(value) == "string" then return quote(value) end
  if type(value) ~= "table" then return tostring(value) end
  return #value > 0 and encode_list(value) or encode_object(value)
end

local decode_value
local function skip(text, at) return text:find("[^ \n]", at) end

local function decode_string(text, at)
  local last = text:find('"', at + 1, true)
  return text:sub(at + 1, last - 1), last + 1
end

local function decode_list(text, at)
  local list = {}
  at = skip(text, at + 1)
  while text:byte(at) ~= 93 do
    list[#list + 1], at = decode_value(text, at)
    at = skip(text, at)
    if text:byte(at) == 44 then at = skip(text, at + 1) end
  end
  return list, at + 1
end

local function decode_object(text, at)
  local object = {}
  at = skip(text, at + 1)
  while text:byte(at) ~= 125 do
    local key
    key, at = decode_string(text, at)
    object[key], at = decode_value(text, skip(text, at + 1))
    at = skip(text, at)
    if text:byte(at) == 44 then at = skip(text, at + 1) end
  end
  return object, at + 1
end

local function decode_other(text, at)
  local word, last = text:match("^([%w.+-]+)()", at)
  if word == "true" then return true, last end
  return word ~= "false" and tonumber(word) or false, last
end

function decode_value(text, at)
  local byte = text:byte(at)
  if byte == 34 then return decode_string(text, at) end
  if byte == 91 then return decode_list(text, at) end
  if byte == 123 then return decode_object(text, at) end
  return decode_other(text, at)
end

local data = {}
for i = 1, 100 do
  data[i] = { id = i, name = "item " .. i, tags = { "a", "b", "c" }, size = { w = i * 1.5, h = i / 3 },
    on = i % 2 == 0 }
end
local text = encode(data)

local function encoding() for _ = 1, 100 do encode(data) end end
local function decoding() for _ = 1, 100 do decode_value(text, 1) end end
return { encoding, decoding }
