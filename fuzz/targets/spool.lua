-- Fuzzes the parent of a sandboxed process, which extracts files from an archive that the process has written. An
-- attacker may have taken over that process.
--
-- Parts: choices (the name that is allowed, or any), the archive; a name and contents, which are added to it.
--
-- Properties: only allowed names are written; any other is an error of one line. Contents have at most the size of the
-- archive. What is added to an empty archive is extracted unchanged.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local spool_archive = require "gprof.library.files.spool_archive"

-- Extracts an archive. Returns the contents by name, and the error.
local function extract(archive, allowed)
  local files = {}
  local function write_file(name, fill)
    local parts = {}
    fill(function(text) parts[#parts + 1] = text end)
    files[name] = table.concat(parts)
  end
  local done, problem = pcall(spool_archive.extract, archive, function(name)
    return (not allowed or name == allowed) and write_file or nil
  end)
  return files, not done and problem or nil
end

local function check_extracted(archive, size, allowed)
  local files, problem = extract(archive, allowed)
  for name, contents in pairs(files) do
    assert(not allowed or name == allowed, "another file is written")
    assert(#name + #contents <= size, "a file is larger than the archive")
  end
  if problem then
    assert(allowed and type(problem) == "table", problem)
    checks.message((problem.message:gsub("[\x80-\xff]", "?")))
  end
end

local function check_added(name, contents)
  local archive <close> = assert(io.open(fuzz.file("", 1), "w+b"))
  spool_archive.add(archive, name, function(file) file:write(contents) end)
  local files, problem = extract(archive)
  assert(not problem and files[name] == contents, "an added file is not extracted")
end

return function(choices, bytes, name, contents)
  local archive <close> = assert(io.open(fuzz.file(bytes, 0), "rb"))
  check_extracted(archive, #bytes, checks.chooser(choices)(2) == 0 and name or nil)
  check_added(name, contents)
end
