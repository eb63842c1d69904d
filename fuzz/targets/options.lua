-- Fuzzes the parser of command lines. The target parses them but does not execute them.
--
-- Parts: choices (unused); the words, separated by newlines; the contents of an option file, to which every word that
-- begins with "@" refers.
--
-- Properties: a command line is accepted, or refused with a message of one line. The library accepts the resulting
-- options. Words in an option file, with special characters escaped, mean the same as on the command line. After
-- --record, which must come first on the command line itself, words are left as they are.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local checks = require "checks"
local command_line = require "gprof.cli.options.command_line"

-- Returns the words of a part. A word that begins with "@" becomes "@" and `path`, an option file.
local function words_of(text, path)
  local words = {}
  for word in (text:gsub("%z", "") .. "\n"):gmatch "([^\n]*)\n" do
    words[#words + 1] = word:find "^@" and "@" .. path or word
  end
  return words
end

-- Returns the text of an option file: blanks, quotes and backslashes are escaped, an empty word is ''.
local function quote(words)
  local quoted = {}
  for i, word in ipairs(words) do
    quoted[i] = word == "" and "''" or word:gsub("[%s\\'\"]", "\\%0")
  end
  return table.concat(quoted, "\n")
end

-- Checks that the library accepts settings. The libraries of --with are names until the program opens them.
local function check_settings(settings)
  for _, name in ipairs { "image", "data", "profile" } do
    local options = arguments.pick(settings, name)
    options.with = nil
    arguments.options(options, 1, name)
  end
end

-- Parses words. Returns settings, or an error table.
local function read(words)
  local done, result = pcall(command_line.read, words)
  if done then
    check_settings(result)
    return result
  end
  assert(type(result) == "table" and not result.quiet, result)
  checks.message((result.message:gsub("%c", "?"))) -- words may have control characters
  return result
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

local function check_file(words)
  assert(same(read(words), read { "@" .. fuzz.file(quote(words)) }), "an option file gives different settings")
end

return function(_, text, file)
  local path = fuzz.file(file:gsub("[@%z]", ""), 0)
  local words = words_of(text, path)
  local settings = read(words)
  local plain = words_of(text:gsub("@", ""), path)
  if words[1] == "--record" then
    assert(not settings.words or same(settings.words, words), "words after --record are replaced")
  elseif plain[1] ~= "--record" then
    check_file(plain)
  end
end
