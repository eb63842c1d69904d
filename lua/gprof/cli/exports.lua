--- Exports: profiles in formats that other tools read.
--
-- An export is a function of (profile, options, write), as a report is. The module
-- gprof.export.KIND returns it.
--
-- @internal gprof.cli.exports
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local options = require "gprof.cli.options.option_table"
local output = require "gprof.output"
local raise <const> = require "gprof.library.failure".raise

local exports = {}

--- The names of all kinds of exports, as an array.
exports.kinds = options.values { long = "export" }

--- Maps each kind to facts about it: `needs`, what it cannot be written without, that is
-- "histogram", "comparison", or "limits" of a comparison; `binary`, whether its output
-- is.
exports.facts = {
  callgrind = { needs = "histogram" },
  cpuprofile = { needs = "histogram" },
  csv = {},
  ["csv-arcs"] = {},
  dot = { needs = "histogram" },
  folded = { needs = "histogram" },
  json = {},
  junit = { needs = "limits" },
  lcov = {},
  markdown = { needs = "comparison" },
  pprof = { needs = "histogram", binary = true },
  ["sample-profile"] = { needs = "histogram" },
  sarif = { needs = "limits" },
  speedscope = { needs = "histogram" },
  svg = { needs = "histogram" },
}

--- Parses the argument of --export: KIND or KIND:FILE.
-- @tparam string argument
-- @treturn[1] table `kind`; its facts `needs` and `binary`; `path`, nil for standard
--   output; `print`, the export
-- @return[2] nil
-- @treturn[2] string what is wrong: the text after the option's name in a message
function exports.find(argument)
  local kind, path = argument:match "^([^:]*):?(.*)$"
  local facts = exports.facts[kind]
  if kind == "html" then return nil, "HTML pages are written by --html=FILE" end
  if not facts then
    return nil, ("unknown kind '%s'; known kinds: %s"):format(kind,
      table.concat(exports.kinds, ", "))
  end
  if path == "" and argument ~= kind then return nil, "the file name is empty" end
  return { kind = kind, needs = facts.needs, binary = facts.binary,
    path = path ~= "" and path ~= "-" and path or nil,
    print = require("gprof.export." .. kind:gsub("-", "_")) }
end

--- Returns the export of --html, a page for browsers.
-- @tparam string path "-" for standard output
-- @treturn table as `exports.find` returns it
function exports.page(path)
  return { kind = "html", path = path ~= "-" and path or nil,
    print = require "gprof.export.html" }
end

--- Returns whether one of the exports goes to standard output.
-- @tparam {table,...} list as `exports.find` returns them
-- @treturn boolean
function exports.is_printed(list)
  for _, export in ipairs(list) do
    if not export.path then return true end
  end
  return false
end

--- Checks that the data has the records that the exports need. Returns a message if
-- records are missing, otherwise nil.
-- @tparam {table,...} list as `exports.find` returns them
-- @tparam data data
-- @treturn string|nil
function exports.lack(list, data)
  for _, export in ipairs(list) do
    if export.needs == "histogram" and not data.has_histogram then
      return ("has no histogram, which the export '%s' needs"):format(export.kind)
    end
  end
end

--- Returns whether a kind shows a comparison.
-- @tparam string kind
-- @treturn boolean
function exports.is_compared(kind)
  local facts = exports.facts[kind]  -- nil for pages and baselines
  local needs = facts and facts.needs
  return needs == "comparison" or needs == "limits"
end

--- Checks that the options request the comparison, and the limits, that exports need.
-- @tparam table settings
-- @raise a table with the field `message`
function exports.check_compared(settings)
  for _, export in ipairs(settings.exports) do
    if exports.is_compared(export.kind) and not settings.compare[1] then
      raise("option --export=%s needs --compare or --baseline", export.kind)
    elseif export.needs == "limits" and not settings.fail_on then
      raise("option --export=%s needs --fail-on: it shows what exceeds limits",
        export.kind)
    end
  end
end

-- Seconds after which a terminal shows what is being written, and how much of its name.
local DELAY <const>, MOST <const> = 2, 40

-- Returns the line that shows what is being written; nil if the export itself, or
-- nothing, is shown on a terminal.
local function status_line(export, is_shown)
  if not is_shown or not core.is_terminal(io.stderr) or
    not export.path and core.is_terminal(io.stdout)
  then
    return nil
  end
  local name = (export.path or export.kind):gsub("[^ -~]", "?")
  if #name > MOST then name = "..." .. name:sub(3 - MOST) end
  return core.status_line("gprof.lua: writing " .. name, DELAY)
end

-- Writes one export. A warning ends the status line.
local function write_one(export, profile, report_options, write, line)
  local warn = report_options.warn
  report_options.warn = warn and function(message)
    if line then line:finish() end
    warn(message)
  end
  local function fill(stream) export.print(profile, report_options, stream) end
  if export.path then output.new_file(export.path, fill) else fill(write) end
  report_options.warn = warn
end

--- Writes exports.
-- @tparam {table,...} list as `exports.find` returns them
-- @tparam profile profile
-- @tparam table report_options
-- @tparam stream write
-- @tparam boolean is_shown whether a terminal may show what is being written
-- @raise a table with the field `message`
function exports.write(list, profile, report_options, write, is_shown)
  for _, export in ipairs(list) do
    local line <close> = status_line(export, is_shown)
    write_one(export, profile, report_options, write, line)
  end
end

return exports
