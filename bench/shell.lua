--- Files and shell commands for the benchmarks.
--
-- @module bench.shell
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = {}

--- Quotes a word for the shell.
function shell.quote(word)
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- Runs a command. Raises an error if it fails.
function shell.run(command)
  if not os.execute(command) then error("failed: " .. command, 0) end
end

--- Returns the output of a command without trailing newlines; nil if it fails.
function shell.capture(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("a")
  if not pipe:close() then return nil end
  return (text:gsub("\n*$", ""))
end

--- Returns the contents of a file; nil if it cannot be opened.
function shell.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

--- Writes strings to a file.
function shell.write(path, ...)
  local file = assert(io.open(path, "wb"))
  assert(file:write(...))
  assert(file:close())
end

--- Returns a checksum of a string.
function shell.checksum(text)
  local sum = 0
  for i = 1, #text do sum = (sum * 31 + text:byte(i)) & 0xffffffffffff end
  return sum
end

--- Fills a directory and caches the result: if the directory was made from another recipe, empties it and calls
-- `make`.
-- @tparam string dir
-- @tparam string recipe a text that determines what `make` writes
-- @tparam function make
function shell.cached(dir, recipe, make)
  local stamp = dir .. "/recipe"
  if shell.read(stamp) == recipe then return end
  shell.run(("rm -rf %s && mkdir -p %s"):format(shell.quote(dir), shell.quote(dir)))
  make()
  shell.write(stamp, recipe)
end

return shell
