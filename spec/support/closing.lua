-- An output handler for busted: plainTerminal with a last line that sums up the file. If GPROF_RESULT names a file, the
-- handler appends lines of fields for spec/summary.sh: counts, what was skipped and why, and what failed. GPROF_SPEC is
-- the spec file.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Specs may replace functions of the standard library.
local open <const>, result_path <const>, spec <const> = io.open, os.getenv "GPROF_RESULT", os.getenv "GPROF_SPEC"

-- Returns text as a field: one line without tabs.
local function field(text)
  return (tostring(text):gsub("%s+", " "))
end

return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.plainTerminal"(options)

  local function write_result(counts)
    local file <close> = assert(open(result_path, "a"))
    file:write("counts\t", table.concat(counts, "\t"), "\n")
    local function list(what, entries, describe)
      for _, entry in ipairs(entries) do
        file:write(what, "\t", spec, "\t", field(describe(entry)), "\n")
      end
    end
    -- The reason of a skip follows the last colon: "name: reason", "file:line: reason", or the reason alone.
    local function reason(entry)
      local text = field(entry.message or entry.name)
      return text:match ".*: (.+)$" or text
    end
    list("skipped", handler.pendings, reason)
    list("failed", handler.failures, function(entry) return entry.name end)
    list("failed", handler.errors, function(entry) return entry.name end)
  end

  busted.subscribe({ "exit" }, function()
    local counts = { handler.successesCount, handler.failuresCount + handler.errorsCount, handler.pendingsCount }
    if result_path then write_result(counts) end
    print(("%d passed, %d failed, %d skipped"):format(table.unpack(counts)))
    io.stdout:flush()
    return nil, true
  end)

  return handler
end
