-- The command lines for damaged images.
-- SPDX-License-Identifier: GPL-3.0-or-later

local commands = {}

-- "ask" stands for ask.lua, DIR for the fixture's directory. `-d` prints any number of lines on standard error.
local lines <const> = {
  "ask", "ask", "ask", "ask", "ask", "ask",
  "", "-l", "-A -IDIR", "-x -l -A -IDIR", "-c", "-l -A -IDIR", "-b -z", "-c -z", "-l -z -p", "-l -C", "-C",
  "-qmain", "-plines.c:branches", "-plines.c:16", "-l -plines.c:16", "-emain -Efirst", "-i",
  "-nmain -kfirst/second", "-D -c", "-a", "--gnu-compat", "--gnu-compat -b -l", "--gnu-compat -A -IDIR",
  "--gnu-compat -l -A -x -IDIR", "--gnu-compat -c", "--gnu-compat -z -D", "--no-demangle", "--demangle=gnu-v3",
  "--demangle=rust", "--demangle=java -l", "--demangle=gnat", "--demangle=dlang", "-SDIR/symbols", "-SDIR/symbols -l",
  "-r", "-RDIR/map", "--inline-file-names -L", "--annotate-time -A -IDIR", "-T -b", "-J -l", "-d -p", "-d -l -p",
  "-s", "-l -A -t3 -L -IDIR", "-m5 -l -A -IDIR", "-y -A -l -IDIR", "--color=always -w20", "-c -l",
}

--- Picks a random command line.
-- @tparam table fixture
-- @tparam string image
-- @treturn {string,...} words
-- @treturn boolean whether it may print any number of lines on standard error
function commands.pick(fixture, image)
  local words, line = {}, lines[math.random(#lines)]
  for word in line:gmatch "%S+" do
    words[#words + 1] = word:gsub("DIR", (fixture.dir:gsub("%%", "%%%%")))
  end
  words[#words + 1] = image
  words[#words + 1] = fixture.profile
  return words, line:find("-d ", 1, true) ~= nil
end

--- Returns the words of a command.
-- @tparam {string,...} arguments as `pick` returns them
-- @tparam string interpreter path
-- @tparam string root of the checkout
-- @tparam[opt] boolean sandbox adds the option --sandbox, except to "ask"
-- @treturn {string,...}
function commands.words(arguments, interpreter, root, sandbox)
  if arguments[1] == "ask" then
    return { interpreter, root .. "/fuzz/images/ask.lua", table.unpack(arguments, 2) }
  end
  local words = { interpreter, root .. "/gprof.lua", sandbox and "--sandbox" or nil }
  return table.move(arguments, 1, #arguments, #words + 1, words)
end

--- Returns whether a command line may print nothing: it writes to files; or it prints only data of source lines, which
-- an image without debugging information lacks.
-- @tparam {string,...} words
-- @treturn boolean
function commands.may_be_silent(words)
  local line = " " .. table.concat(words, " ") .. " "
  return line:find " %-[syAC] " ~= nil
end

return commands
