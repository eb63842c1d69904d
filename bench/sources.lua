--- Generates the source text of programs in several languages.
--
-- Each language is a function (dir, options), with the options of `bench.programs`. It writes source files into the
-- directory and returns their names.
--
-- @module bench.sources
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "bench.chance"

local random, pick = math.random, chance.pick

local verbs = {
  "add", "apply", "build", "check", "clear", "copy", "decode", "emit", "encode", "find", "flush",
  "free", "hash", "init", "insert", "lookup", "merge", "move", "open", "parse", "print", "push",
  "read", "remove", "resolve", "scan", "sort", "split", "update", "write",
}

local nouns = {
  "arc", "block", "buffer", "cache", "chain", "cursor", "edge", "entry", "field", "file", "frame",
  "graph", "group", "header", "index", "item", "key", "line", "list", "name", "node", "page",
  "path", "queue", "range", "record", "row", "section", "string", "symbol", "table", "token", "tree",
  "type", "value",
}

--- Returns a name for the i-th function. Its ending, "_" and a number, identifies generated functions in the output of
-- `nm`.
local function function_name(i)
  return pick(verbs) .. "_" .. pick(nouns) .. "_" .. i
end

--- Function bodies of different lengths. %s is the next function of the file.
local bodies = {
  [[
{
  int sum = x;
  if (x > 0)
    sum += %s(x - 1);
  return sum;
}
]], [[
{
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum ^= i * x;
  if (sum & 1)
    return %s(sum);
  return sum;
}
]], [[
{
  int high = x >> 8;
  int low = x & 255;
  while (high > low) {
    high -= low + 1;
    low++;
  }
  return %s(high) + low;
}
]], [[
{
  return %s(x) ^ x;
}
]],
}

local languages = {}

--- Distributes the functions evenly over the files, and calls `write_functions(file, number, first, last)` for each
-- file. Returns the names of the files.
local function write_files(dir, options, extension, write_functions)
  local sources, files = {}, options.files
  for number = 1, files do
    local path = ("file%03d.%s"):format(number, extension)
    local file <close> = assert(io.open(dir .. "/" .. path, "wb"))
    local first = options.functions * (number - 1) // files + 1
    local last = options.functions * number // files
    write_functions(file, number, first, last)
    assert(file:close())
    sources[number] = path
  end
  return sources
end

function languages.c(dir, options)
  return write_files(dir, options, "c", function(file, number, first, last)
    local names, keywords, text = {}, {}, {}
    for i = first, last do
      names[i] = function_name(i)
      keywords[i] = random() < options.statics and "static __attribute__((used)) int " or "int "
      text[#text + 1] = keywords[i] .. names[i] .. "(int x);\n"
    end
    for i = first, last do
      text[#text + 1] = "\n" .. keywords[i] .. names[i] .. "(int x)\n"
      text[#text + 1] = pick(bodies):format(names[i + 1] or names[first])
    end
    if number == 1 then text[#text + 1] = "\nint main(void)\n{\n  return 0;\n}\n" end
    assert(file:write(table.concat(text)))
  end)
end

local cxx_namespaces = { "compiler", "engine", "storage", "network", "runtime", "detail", "graphics",
                         "transport" }
local cxx_templates = { -- name and number of parameters
  { "vector", 2 }, { "map", 4 }, { "pair", 2 }, { "list", 1 }, { "optional", 1 }, { "allocator", 1 },
  { "compare", 1 }, { "function", 3 }, { "hash_table", 4 }, { "unique_ptr", 2 },
}
local cxx_types = { "int", "char", "unsigned long", "double", "bool", "const char *" }

--- Returns declarations of the class templates in all namespaces. They are incomplete types.
local function cxx_prelude()
  local text = {}
  for _, space in ipairs(cxx_namespaces) do
    text[#text + 1] = "namespace " .. space .. " {\n"
    for _, template in ipairs(cxx_templates) do
      text[#text + 1] = "template <" .. ("class, "):rep(template[2] - 1) .. "class> struct "
                        .. template[1] .. ";\n"
    end
    text[#text + 1] = "}\n"
  end
  return table.concat(text)
end

--- Returns a random type, made of templates with at most `depth` levels of nesting.
local function cxx_type(depth)
  if depth == 0 then return pick(cxx_types) end
  local template, arguments = pick(cxx_templates), {}
  for i = 1, template[2] do arguments[i] = cxx_type(random(0, depth - 1)) end
  return "::" .. pick(cxx_namespaces) .. "::" .. template[1] .. "<" .. table.concat(arguments, ", ") .. ">"
end

--- Returns random parameter types with a total length of about `length` characters.
local function cxx_parameters(length)
  local types, total = {}, 0
  while total < length do
    local one = cxx_type(random(3))
    if total == 0 and #one > 10 or total + #one <= length * 1.1 then
      types[#types + 1] = one .. (random() < 0.5 and " *" or " &")
      total = total + #one + 4
    elseif length - total < 40 then
      break
    end
  end
  return types
end

--- Returns a function template and its instantiation. The mangled name contains the types twice.
local function cxx_template(name, parameters, body)
  local variables, formals = {}, {}
  for k = 1, #parameters do
    variables[k] = "class T" .. k
    formals[k] = "T" .. k .. parameters[k]:sub(-2)
  end
  return ("template <%s>\nint %s(int x, %s)\n%stemplate int %s(int, %s);\n"):format(table.concat(variables, ", "), name,
    table.concat(formals, ", "), body, name, table.concat(parameters, ", "))
end

--- Returns a function of random kind: static, in an unnamed namespace, an instance of a template, or external.
local function cxx_function(name, options)
  local parameters = cxx_parameters(random(100, 330))
  local list = table.concat(parameters, ", ")
  local body = pick(bodies):format("int")  -- a conversion to int in place of the call
  local form = "int %s(int x, %s)\n%s"
  if random() < options.statics then
    form = random() < 0.5 and "__attribute__((used)) static " .. form
           or "namespace {\n__attribute__((used)) " .. form .. "}\n"
  elseif random() < 0.5 and #list < 160 then
    return cxx_template(name, parameters, body)
  end
  return form:format(name, list, body)
end

languages["c++"] = function(dir, options)
  local prelude = cxx_prelude()
  return write_files(dir, options, "cc", function(file, number, first, last)
    local text = { prelude }
    for i = first, last do
      text[#text + 1] = ("\nnamespace %s { namespace %s {\n"):format(pick(cxx_namespaces), pick(cxx_namespaces))
      text[#text + 1] = cxx_function(function_name(i), options)
      text[#text + 1] = "} }\n"
    end
    if number == 1 then text[#text + 1] = "\nint main()\n{\n  return 0;\n}\n" end
    assert(file:write(table.concat(text)))
  end)
end

--- Writes assembler: functions that consist of a label, a nop and a return, options.apart bytes apart. Such code
-- assembles fast.
function languages.labels(dir, options)
  local apart = options.apart > 0 and ("\t.skip %d\n"):format(options.apart) or ""
  return write_files(dir, options, "s", function(file, number, first, last)
    file:write('\t.section .note.GNU-stack,"",%progbits\n\t.text\n')
    if number == 1 then file:write("\t.globl main\n\t.type main, %function\nmain:\n\tnop\n\tret\n") end
    for i = first, last do
      local name = function_name(i)
      if random() >= options.statics then file:write("\t.globl ", name, "\n") end
      file:write("\t.type ", name, ", %function\n", name, ":\n\tnop\n\tret\n", apart)
    end
  end)
end

return languages
