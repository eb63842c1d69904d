-- Compiles and runs programs that count basic blocks, reads their profiles, and computes the expected counts with
-- objdump, addr2line and gcov.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local blocks = {}

local fixtures <const> = program.root .. "/spec/fixtures/blocks/"
local HOOK <const> = "__sanitizer_cov_trace_pc"

-- By default clang omits blocks whose counts follow from the counts of other blocks.
local COVERAGE <const> = { gcc = "trace-pc", clang = "trace-pc,no-prune" }
COVERAGE["g++"], COVERAGE["clang++"] = COVERAGE.gcc, COVERAGE.clang

--- Tells whether a compiler is installed.
-- @tparam string compiler
-- @treturn boolean
function blocks.supported(compiler)
  return shell.installed(compiler)
end

local function append(list, more)
  return table.move(more or {}, 1, more and #more or 0, #list + 1, list)
end

-- The linker's arguments for the runtime.
--- The archive of the block counter.
blocks.library = program.root .. "/build/libgprof-blocks.a"

local LINK <const> = { "-L" .. program.root .. "/build", "-lgprof-blocks", "-pthread" }

-- Identifies the contents of the runtime.
local checksum
local function runtime()
  checksum = checksum or shell.check { "cksum", blocks.library }.stdout
  return checksum
end

--- Compiles a program with the runtime and without optimization. All processes share programs of fixtures, which must
-- therefore not be changed; others are in a directory of their own.
-- @tparam string source name of a fixture, without ".c"
-- @tparam[opt] table options `compiler` ("gcc"); `flags`, further flags; `coverage`, the flags that enable counting;
--   `link`: the linker's arguments in place of the library, or false for a shared object without it;
--   `together`: compile and link with one command (clang then also links its own runtime, which makes the image
--   large); `text` of the source, if it is not a fixture
-- @treturn table `source`, `dir`, `image` (path), `language` ("c", "c++")
function blocks.compile(source, options)
  options = options or {}
  local compiler, text = options.compiler or "gcc", options.text or shell.read(fixtures .. source .. ".c")
  local coverage = "-fsanitize-coverage=" .. (options.coverage or COVERAGE[compiler])
  local compile = append({ compiler, "-g", "-O0", coverage }, options.flags)
  local link = options.together and append(compile, { source .. ".c" }) or
    append(append({ compiler }, options.flags), { source .. ".o" })
  append(append(link, options.link == nil and LINK or options.link or {}), { "-o", source })
  local function make(dir)
    shell.write(dir .. "/" .. source .. ".c", text)
    if not options.together then shell.check(append(compile, { "-c", source .. ".c" }), { cwd = dir }) end
    shell.check(link, { cwd = dir })
    return dir
  end
  -- Flags with a path name a scratch directory.
  local words = shell.join(compile) .. shell.join(link)
  local private = options.text or options.link or table.concat(options.flags or {}):find "/"
  local dir = private and make(shell.tmpdir(source)) or
    build.shared("blocks-" .. source, compiler, { words, text, runtime() }, make)
  return { source = source, dir = dir, image = dir .. "/" .. source, language = compiler:find "%+%+$" and "c++" or "c" }
end

--- Runs a program in a fresh directory.
-- @tparam table built as returned by `compile`
-- @tparam[opt] {string,...} arguments
-- @tparam[opt] table options as for `shell.run` (GMON_OUT_PREFIX is unset unless `env` has it); `line`, a shell
--   command in which "$@" is the program with its arguments; `cwd`, to run it in another directory
-- @treturn table as returned by `shell.run`; `dir`, the working directory
function blocks.run(built, arguments, options)
  options = options or {}
  local argv = options.line and { "sh", "-c", options.line, "sh", built.image } or { built.image }
  append(argv, arguments)
  local env = { GMON_OUT_PREFIX = false }
  for name, value in pairs(options.env or {}) do
    env[name] = value
  end
  local dir = options.cwd or shell.tmpdir("run")
  local result = shell.run(argv, { cwd = dir, env = env, timeout = true })
  result.dir = dir
  return result
end

--- Reads the block counts of a profile, whose last record must be its only block record.
-- @tparam string path
-- @treturn table counts, keyed by address
function blocks.counts(path)
  local profile = gmon.parse(shell.read(path))
  local records = gmon.select(profile, "blocks")
  assert(#records == 1 and profile.records[#profile.records] == records[1], path .. ": block record expected last")
  local counts = {}
  for _, block in ipairs(records[1]) do
    assert(not counts[block[1]], "a block occurs twice")
    counts[block[1]] = block[2]
  end
  return counts
end

-- Sizes in bytes of the call instructions that objdump shows. A block's address is the return address of its counting
-- call minus this size.
local calls <const> = { call = 5, bl = 4 }

-- Returns the GOT slot through which an image calls the hook, as objdump prints it: the slot that most calls use.
local function hook_slot(text)
  local counts, slot = {}, nil
  for address in text:gmatch("call%s+%*0x%x+%(%%rip%)%s+# (%x+)") do
    counts[address] = (counts[address] or 0) + 1
    slot = counts[address] > (counts[slot] or 0) and address or slot
  end
  return slot
end

--- Reads the functions of an image, and the beginnings of their blocks, with objdump.
-- @tparam string image path
-- @treturn table array of functions that have blocks, and the same functions keyed by name. Each function is an array
--   of its instructions' addresses, with the fields `name`, `address`, `blocks` (the addresses of the counting calls)
--   and `jumps` (the set of the addresses of unconditional jumps and `nop`s)
function blocks.functions(image)
  local functions, current, pending_call = {}, nil, nil
  local text = shell.check({ "objdump", "-d", "--no-show-raw-insn", image }, { env = { LC_ALL = "C" } }).stdout
  local slot = not text:find("call%s+%x+ <" .. HOOK .. ">") and hook_slot(text)
  for line in text:gmatch("[^\n]+") do
    local address, name = line:match("^(%x+) <(.*)>:$")
    local place, instruction = line:match("^%s+(%x+):%s*(.*)$")
    place = place and tonumber(place, 16)
    if address then
      current = { name = name, address = tonumber(address, 16), blocks = {}, jumps = {} }
      functions[name], pending_call = current, nil
    elseif place then
      current[#current + 1] = place
      current.jumps[place] = instruction:find "^jmp " or instruction:find "^nop$"
      if pending_call then
        table.insert(current.blocks, place - pending_call)
        functions[#functions + 1] = functions[#functions] ~= current and current or nil
      end
      local word = instruction:match("(%l+)%s+%x+ <" .. HOOK .. ">") or
        slot and instruction:match("(call)%s+%*.*# " .. slot)
      pending_call = calls[word]
    end
  end
  return functions
end

--- Returns how often a function was entered: the count of its first block.
-- @tparam table built
-- @tparam string path of a profile
-- @tparam[opt="tick"] string name
-- @treturn integer
function blocks.entries(built, path, name)
  local functions = blocks.functions(built.image)
  return blocks.counts(path)[functions[name or "tick"].blocks[1]] or 0
end

-- Returns the line of each instruction in the program's own source, keyed by address. Runs addr2line once.
local function lines_of(built, functions)
  local words, addresses = {}, {}
  for _, code in ipairs(functions) do
    for _, address in ipairs(code) do
      addresses[#addresses + 1] = address
      words[#words + 1] = ("%x\n"):format(address)
    end
  end
  local file = shell.write(shell.tmpdir() .. "/addresses", table.concat(words))
  local found, i = {}, 0
  for line in shell.check({ "addr2line", "-e", built.image }, { stdin = file }).stdout:gmatch("[^\n]+") do
    local name, number = line:match("([^/]+):(%d+)")
    i = i + 1
    found[addresses[i]] = name == built.source .. ".c" and math.tointeger(number) or nil
  end
  return found
end

--- Assigns block counts to source lines.
-- @tparam table built
-- @tparam table counts, keyed by address
-- @treturn table keyed by line: `first`, the count of the block with the line's first instruction; the array part, the
--   counts of the blocks that begin on the line, ordered by address and including zeros; `address`, their addresses
function blocks.by_line(built, counts)
  local functions = blocks.functions(built.image)
  local lines, line_at = {}, lines_of(built, functions)
  for _, code in ipairs(functions) do
    local current, next_block = code.blocks[1], 1
    for i, address in ipairs(code) do
      local begins = code.blocks[next_block] and (code[i + 1] or 0) > code.blocks[next_block]
      if begins then
        current, next_block = code.blocks[next_block], next_block + 1
      end
      local line = line_at[address]
      if line then
        lines[line] = lines[line] or { first = counts[current] or 0, address = {} }
        if begins then
          table.insert(lines[line], counts[current] or 0)
          table.insert(lines[line].address, current)
        end
      end
    end
  end
  return lines
end

-- Returns the set of addresses at which rows of the line table begin.
local function rows_of(built)
  local rows = {}
  local text = shell.check({ "objdump", "--dwarf=decodedline", built.image }, { env = { LC_ALL = "C" } }).stdout
  for address in text:gmatch "%s0x(%x+)" do
    rows[tonumber(address, 16)] = true
  end
  return rows
end

-- Returns whether the code of a line from instruction `i` on consists of jumps and `nop`s. The code ends with the line,
-- or where a counted block begins.
local function is_empty(code, line_at, is_block, i)
  local line = line_at[code[i]]
  while code.jumps[code[i]] and line_at[code[i]] == line do
    i = i + 1
  end
  return line_at[code[i]] ~= line or is_block[code[i]]
end

-- Adds a function's lines to `lines`, the result of `code_lines`.
local function add_lines(lines, code, line_at, rows)
  local is_block = {}
  for _, address in ipairs(code.blocks) do
    is_block[address] = true
  end
  for i, address in ipairs(code) do
    local line = line_at[address]
    if line then
      local found = lines[line] or { unplaced = {} }
      lines[line] = found
      found.empty = found.empty or line ~= line_at[code[i - 1]] and is_empty(code, line_at, is_block, i)
      if is_block[address] and not rows[address] then table.insert(found.unplaced, address) end
    end
  end
end

--- Finds the lines of a program's source that have code.
-- @tparam table built
-- @treturn table keyed by line: `empty`, whether some of its code consists of jumps and `nop`s; `unplaced`, the
--   addresses of blocks that are on the line only because the line table has no row for them
function blocks.code_lines(built)
  local functions, rows = blocks.functions(built.image), rows_of(built)
  local lines, line_at = {}, lines_of(built, functions)
  for _, code in ipairs(functions) do
    add_lines(lines, code, line_at, rows)
  end
  return lines
end

--- Compiles a program's source with gcc or g++, runs it and counts the lines with gcov.
-- @tparam table built
-- @treturn table how often each line was executed, keyed by line number
function blocks.gcov(built)
  local dir = shell.tmpdir("gcov")
  local source = built.source .. ".c"
  shell.write(dir .. "/" .. source, shell.read(built.dir .. "/" .. source))
  local compiler = built.language == "c++" and "g++" or "gcc"
  shell.check({ compiler, "-O0", "--coverage", "-c", source }, { cwd = dir })
  shell.check({ compiler, "--coverage", built.source .. ".o", "-o", "program", "-pthread" }, { cwd = dir })
  shell.check({ "./program" }, { cwd = dir, timeout = true })
  local lines = {}
  for line in shell.check({ "gcov", "-t", source }, { cwd = dir }).stdout:gmatch("[^\n]+") do
    local count, number = line:match("^%s*([%d#=]+)%*?:%s*(%d+):")
    if count then
      lines[math.tointeger(number)] = math.tointeger(count) or 0
    end
  end
  return lines
end

return blocks
