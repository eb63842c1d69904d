-- Fuzzes what reads the names that recorded processes write: their answers to requests, in a list of mappings, and the
-- origin of context profiles. A process can write anything there.
--
-- Parts: the list of mappings; a context profile; three numbers of 8 bytes, which are answered; a path.
--
-- Properties: an answer has numbers of the range that the recorder uses, and a path that begins with "/". An answer at
-- the beginning of the list is found, unchanged, whatever follows. An origin has two numbers and a path of at most the
-- file's size.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local answers = require "gprof.library.answers"
local context_files = require "gprof.library.files.context_files"

local LARGEST <const> = 0x7fffffff
local MAPPINGS <const> = "00010000-00020000 r--s 00000000 00:01 7   /memfd:gprof-recorder:%d:%d:%d (deleted)\n" ..
  "00020000-00021000 r--s 00000000 08:01 9   /%s\n"

local function check_read(text)
  local found = answers.read(text)
  if not found then return end
  for _, name in ipairs { "signal", "count", "error" } do
    local number = found[name]
    assert(math.type(number) == "integer" and number >= 0 and number <= LARGEST, name)
  end
  assert(not found.path or found.path:find "^/" and #found.path <= #text, "not a path")
end

local function check_found(numbers, path, text)
  local signal, count, code = ("<i8i8i8"):unpack(numbers .. ("\0"):rep(24))
  signal, count, code = signal & LARGEST, count & LARGEST, code & LARGEST
  path = path:gsub("[\n\0\\]", "") .. ".ctx"
  local found = answers.read(MAPPINGS:format(signal, count, code, path) .. text)
  assert(found.signal == signal and found.count == count and found.error == code, "other numbers")
  assert(found.path == "/" .. path, "another path")
end

local function check_origin(file)
  local origin = context_files.origin(fuzz.file(file))
  if not origin then return end
  assert(math.type(origin.process) == "integer" and math.type(origin.begin) == "integer")
  assert(#origin.image < #file)
end

return function(text, file, numbers, path)
  check_read(text)
  check_found(numbers, path, text)
  check_origin(file)
end
