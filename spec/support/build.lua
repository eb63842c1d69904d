-- Compiles the fixture programs and runs them for their profiles. All spec processes share them, in build/fixtures.
-- SPDX-License-Identifier: GPL-3.0-or-later

local place_samples = require "support.known_samples"
local shell = require "support.shell"
local programs = require "fixtures.programs"

local build = {}

-- The directory of the sources, relative to this file; and the directory in which programs are made.
local fixtures <const> = debug.getinfo(1, "S").source:match("^@(.-)support/build%.lua$") .. "fixtures/"
local shared <const> = assert(io.popen("pwd")):read("l") .. "/build/fixtures"

--- Returns the path of a fixture that is not a program's source.
-- @tparam string name
-- @treturn string
function build.fixture(name)
  return (fixtures:find "^/" and "" or assert(io.popen("pwd")):read("l") .. "/") .. fixtures .. name
end

local function find(name)
  for _, program in ipairs(programs) do
    if program.name == name then
      return program
    end
  end
  error(("no fixture program '%s'"):format(name), 3)
end

local function append(list, more)
  return table.move(more or {}, 1, more and #more or 0, #list + 1, list)
end

-- Returns the compiler and the flags of a program's variant.
local function recipe(program, variant)
  local made = { compiler = program.compiler or "gcc", compile = {}, link = {} }
  for part in variant:gmatch("[^+]+") do
    local entry = programs.variants[part] or error(("no variant '%s'"):format(part), 3)
    append(made.compile, entry.compile)
    append(made.link, entry.link)
    made.compiler = entry.family and entry.family[made.compiler] or made.compiler
  end
  return made
end

-- Copies a source to the same path below `dir` as below the fixtures, because reports show the path that the compiler
-- was given.
local function copy(source, dir)
  local folder = source:match("^(.*)/[^/]*$")
  if folder then
    shell.check { "mkdir", "-p", dir .. "/" .. folder }
  end
  shell.write(dir .. "/" .. source, shell.read(fixtures .. source))
end

-- Returns the names of the object files.
local function compile(program, variant, dir)
  local made = recipe(program, variant)
  local objects = {}
  for _, header in ipairs(program.headers or {}) do
    copy(header, dir)
  end
  for _, source in ipairs(program.sources) do
    copy(source, dir)
    local object = source:gsub("%.%w+$", ""):gsub("/", "_") .. ".o"
    local argv = { made.compiler }
    append(argv, program.per_source and program.per_source[source] or program.flags)
    append(argv, made.compile)
    shell.check(append(argv, { "-c", source, "-o", object }), { cwd = dir })
    objects[#objects + 1] = object
  end
  local argv = { made.compiler }
  append(argv, program.link)
  append(argv, made.link)
  append(argv, { "-o", program.name })
  shell.check(append(argv, objects), { cwd = dir })
  return objects
end

-- Returns the target machine of a compiler, or false if the compiler is not installed. Caches the answers.
local machines = {}
local function machine(compiler)
  if machines[compiler] == nil then
    local answer = shell.run { compiler, "-dumpmachine" }
    machines[compiler] = answer.status == 0 and answer.stdout:match("^[^-]+") or false
  end
  return machines[compiler]
end

--- Tells whether a program can be built here: some need a certain machine or an optional compiler.
-- @tparam string name
-- @tparam[opt] string variant
-- @treturn boolean
-- @treturn ?string the reason if not
function build.supported(name, variant)
  local program = find(name)
  local compiler = recipe(program, variant or "").compiler
  -- All specs need gcc and g++, so without them the specs fail rather than being skipped.
  if not machine(compiler) and compiler ~= "gcc" and compiler ~= "g++" then
    return false, ("'%s' needs %s"):format(name, compiler)
  elseif program.only and machine(compiler) ~= program.only then
    return false, ("'%s' is for %s only"):format(name, program.only)
  end
  return true
end

local versions = {}
local function version(compiler)
  versions[compiler] = versions[compiler] or shell.check { compiler, "--version" }.stdout
  return versions[compiler]
end

-- Returns a checksum (FNV-1a) of strings.
local function fingerprint(parts)
  local sum = 0xcbf29ce484222325
  for byte in table.concat(parts, "\0"):gmatch "." do
    sum = (sum ~ byte:byte()) * 0x100000001b3
  end
  return ("%016x"):format(sum)
end

--- Makes files that all processes share, so they must not be changed. The first process that needs them makes them; its
-- file "made" says that they are complete. A process that needs them earlier makes them for itself.
-- @tparam string label beginning of the directory's name
-- @tparam string compiler one of the compilers used
-- @tparam {string,...} parts everything that the files are made from, besides the compiler's version
-- @tparam function make makes the files in the directory that it is given
-- @treturn string the directory
function build.shared(label, compiler, parts, make)
  -- Debugging information names the directory: files in a copy of this one are made again.
  local dir = ("%s/%s-%s"):format(shared, label, fingerprint { shared, version(compiler), table.unpack(parts) })
  if shell.exists(dir .. "/made") then return dir end
  local is_first = os.execute(("mkdir -p %s && mkdir %s 2>/dev/null"):format(shell.quote(shared), shell.quote(dir)))
  if not is_first then dir = shell.tmpdir(label) end
  make(dir)
  shell.write(dir .. "/made", "")
  return dir
end

--- Compiles sources with one command. All processes share the result, as with `shared`.
-- @tparam string label beginning of the directory's name
-- @tparam {string,...} argv the command, which runs in the directory of the sources
-- @tparam {[string]=string,...} texts contents of the sources, keyed by name
-- @treturn string the directory
function build.compiled(label, argv, texts)
  local names, parts = {}, { shell.join(argv) }
  for name in pairs(texts) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do append(parts, { name, texts[name] }) end
  return build.shared(label, argv[1], parts, function(dir)
    for _, name in ipairs(names) do shell.write(dir .. "/" .. name, texts[name]) end
    shell.check(argv, { cwd = dir })
  end)
end

-- Returns everything that a program is made from.
local function parts_of(program, variant)
  local made = recipe(program, variant)
  local parts = { shell.join(made.compile), shell.join(made.link), shell.join(program.flags),
    shell.join(program.link or {}), shell.read(fixtures .. "../support/known_samples.lua") }
  for _, source in ipairs(append(append({}, program.sources), program.headers)) do
    parts[#parts + 1] = shell.join((program.per_source or {})[source] or {})
    parts[#parts + 1] = shell.read(fixtures .. source)
  end
  return parts, made.compiler
end

-- Compiles a program and runs it. Its profile gets known samples.
local function make(program, variant, dir)
  local objects, image, gmon = compile(program, variant, dir), dir .. "/" .. program.name, dir .. "/gmon.out"
  shell.check({ image }, { cwd = dir, env = { GMON_OUT_PREFIX = false }, timeout = true })
  if shell.exists(gmon) then place_samples(gmon, image, program.is_brief and {} or objects, dir) end
end

--- Builds and runs a program; later calls return the same result. Raises an error with the output if building or
-- running fails. The samples of its profile do not depend on the run (see support.known_samples).
-- @tparam string name as in the table of programs
-- @tparam[opt] string variant as in the table of variants; several joined with "+" (`"O2+static"`)
-- @treturn table `image` (path), `gmon` (path; nil if the program leaves no profile), `dir` (holds these,
--   the sources and the objects), `name`, `variant`, `program` (its entry in the table). All processes share these
--   files, so they must not be changed.
function build.program(name, variant)
  variant = variant or ""
  local program = find(name)
  assert(build.supported(name, variant))
  local state = shell.state()
  state.built = state.built or {}
  local key = name .. "+" .. variant
  local built = state.built[key]
  if not built then
    local parts, compiler = parts_of(program, variant)
    local dir = build.shared(key:gsub("%+$", ""), compiler, parts, function(dir) make(program, variant, dir) end)
    local gmon = dir .. "/gmon.out"
    built = { name = name, variant = variant, dir = dir, program = program, image = dir .. "/" .. name,
      gmon = shell.exists(gmon) and gmon or nil }
    state.built[key] = built
  end
  return built
end

--- Iterates over the programs that can be built here: each without a variant, and with each variant in its list.
-- @tparam[opt] function pending busted's; called for programs that cannot be built
-- @treturn function iterator over (name, variant), the arguments of `build.program`
function build.each(pending)
  return coroutine.wrap(function()
    for _, program in ipairs(programs) do
      for _, variant in ipairs(append({ "" }, program.variants)) do
        local supported, lack = build.supported(program.name, variant)
        if supported then
          coroutine.yield(program.name, variant)
        elseif pending then
          pending(("%s %s: %s"):format(program.name, variant, lack))
        end
      end
    end
  end)
end

-- Iterates over the defined symbols of nm's output: address, letter, name.
local function nm(...)
  local output = shell.check({ "nm", ... }, { env = { LC_ALL = "C" } }).stdout
  local lines = output:gmatch("[^\n]+")
  return function()
    for line in lines do
      local address, type, name = line:match("^(%x+) (%S) (.*)$")
      if address then
        return tonumber(address, 16), type, name
      end
    end
  end
end

--- Reads an image's defined symbols with nm.
-- @tparam string image path
-- @treturn table the symbols `{ address =, type =, name = }` (nm's letter) in ascending order;
--   `by_name`: array of addresses by name, in the same order
function build.symbols(image)
  local symbols = { by_name = {} }
  for address, type, name in nm("-n", image) do
    symbols[#symbols + 1] = { address = address, type = type, name = name }
    local same = symbols.by_name[name] or {}
    same[#same + 1] = address
    symbols.by_name[name] = same
  end
  return symbols
end

-- Matches the symbol of a function's code. Returns "whole" for the function or a clone, "part" for a split part such as
-- f.part.0, and nil for other symbols, including f.cold.
local function code_of(symbol, name)
  if symbol:sub(1, #name) ~= name then
    return nil
  end
  local suffix = symbol:sub(#name + 1)
  local part = suffix:find("%.part%.%d+")
  suffix = suffix:gsub("%.part%.%d+", ""):gsub("%.isra%.%d+", ""):gsub("%.constprop%.%d+", "")
  return suffix == "" and (part and "part" or "whole") or nil
end

--- Returns how often functions must be called according to a program's sources. A function is identified by the symbol
-- that the compiler made for it. Leaves out inlined functions, and functions with several copies, among which the calls
-- are divided.
-- @tparam table built as returned by `program`
-- @treturn {table,...} array of `{ symbol =, address =, calls =, file = }` (`file` for static functions only)
function build.expected(built)
  local symbols, file = {}, nil
  for address, type, name in nm("-a", "-p", built.image) do
    -- In symbol table order, a file symbol precedes the local symbols of the file.
    if type == "a" then
      file = name
    elseif type == "t" or type == "T" or type == "W" then
      symbols[#symbols + 1] = { name = name, file = type == "t" and file, address = address }
    end
  end
  local found = {}
  for _, entry in ipairs(built.program.expected or {}) do
    local whole, part = {}, {}
    for _, symbol in ipairs(symbols) do
      local kind = symbol.file == entry[1] and code_of(symbol.name, entry[2])
      if kind then
        table.insert(kind == "part" and part or whole, symbol)
      end
    end
    -- After a split, the remaining body may be missing or receive an unknown number of calls.
    local list, calls = whole, entry[3]
    if #part > 0 then
      list, calls = part, #whole == 0 and entry.part or nil
    end
    if #list == 1 and calls then
      found[#found + 1] = { symbol = list[1].name, address = list[1].address, calls = calls, file = entry[1] or nil }
    end
  end
  return found
end

--- Finds the address of a symbol that occurs once.
-- @tparam string image path
-- @tparam string name
-- @treturn integer
function build.address(image, name)
  local addresses = build.symbols(image).by_name[name] or {}
  if #addresses ~= 1 then
    error(("%s has %d symbols '%s'"):format(image, #addresses, name), 2)
  end
  return addresses[1]
end

--- Finds a section.
-- @tparam string image path
-- @tparam string name such as ".text"
-- @treturn integer its address
-- @treturn integer its size in bytes
function build.section(image, name)
  local headers = shell.check({ "objdump", "-h", "-w", image }, { env = { LC_ALL = "C" } }).stdout
  for found, size, address in headers:gmatch("\n%s*%d+ (%S+)%s+(%x+)%s+(%x+)") do
    if found == name then
      return tonumber(address, 16), tonumber(size, 16)
    end
  end
  error(("%s has no section '%s'"):format(image, name), 2)
end

--- Makes an image with a `.text` section and symbols, for any machine that objcopy supports.
-- @tparam table plan `target` (an object format such as "elf32-big"; default "elf64-x86-64"); `address` of the text
--   (default 0x1000); `text`, its bytes, or their number if all are zero; `symbols`, an array of
--   `{ name, offset, flags }` (flags of objcopy --add-symbol, default "function,global"; names without "," and "=");
--   `import`, the name of an undefined symbol
-- @treturn string path of the image
function build.craft(plan)
  local dir = shell.tmpdir("craft")
  local text = plan.text
  shell.write(dir .. "/text", type(text) == "number" and ("\0"):rep(text) or text)
  local words = {}
  for i, symbol in ipairs(plan.symbols) do
    local word = ("--add-symbol=%s=.text:%#x,%s"):format(symbol[1], symbol[2], symbol[3] or "function,global")
    words[i] = word:gsub("[%s\\'\"]", "\\%0")
  end
  local input = { "-I", "binary", "text" }
  if plan.import then
    shell.write(dir .. "/text.s", (".globl \"%s\"\n.data\n.incbin \"text\"\n"):format(plan.import))
    shell.check({ "as", "-o", "text.o", "text.s" }, { cwd = dir })
    input = { "--remove-section=.text", "--keep-symbol=" .. plan.import, "text.o" }
  end
  shell.write(dir .. "/symbols", table.concat(words, "\n"))
  shell.check({ "objcopy", "-O", plan.target or "elf64-x86-64",
    "--rename-section", ".data=.text,alloc,load,readonly,code,contents",
    "--change-section-address", (".data=%#x"):format(plan.address or 0x1000),
    "--strip-all", "@symbols", input[1], input[2], input[3], "image" }, { cwd = dir })
  return dir .. "/image"
end

return build
