--- What exceeds limits as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange
-- Format): a result at the file and line of each function. GitHub shows results in the
-- code.
--
-- @module gprof.export.sarif
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"
local failures = require "gprof.print.failures"
local gprof = require "gprof"
local json = require "gprof.format.json"
local row_labels = require "gprof.print.row_labels"
local without_detours <const> = require "gprof.format.path".without_detours
local sha256 = require "gprof.format.sha256"
local source_root = require "gprof.library.files.source_root"

local SCHEMA <const> = "https://json.schemastore.org/sarif-2.1.0.json"

-- The program has no page of its own. This one explains profiles and their terms.
local INFORMATION <const> = "https://sourceware.org/binutils/docs/gprof/"

-- The rules: a figure, the rule's id, and what it says.
local rules <const> = {
  { "calls", "more-calls", "A function is called more often than its limit allows." },
  { "self_calls", "more-recursive-calls",
    "A function calls itself more often than its limit allows." },
  { "blocks", "more-blocks",
    "A function executes more basic blocks than its limit allows." },
  { "total", "slower",
    "A function and its callees take longer than their limit allows." },
  { "self", "slower-itself",
    "A function's own code takes longer than its limit allows." },
}

local number_of <const> = {}
for i, rule in ipairs(rules) do number_of[rule[1]] = i end

local text_of <const> = json.object { "text" }

local function write_rules(write)
  local texts = {}
  for i, rule in ipairs(rules) do
    texts[i] = ('{"id": %s, "shortDescription": %s, "defaultConfiguration": ' ..
      '{"level": "error"}}'):format(json.string(rule[2]), text_of(rule[3]))
  end
  json.rows(write, "        ", json.texts(texts, tostring))
end

-- Returns the URI of a file: relative to the root of the repository, or absolute.
local function uri_of(file, root)
  local path = source_root.relative(without_detours(file), root)
  local encoded = path:gsub("[^%w/._~-]", function(byte)
    return ("%%%02X"):format(byte:byte())
  end)
  if path:find "^/" then return "file://" .. encoded end
  return encoded
end

-- Returns main, which may have no row in the comparison; nil if there is none.
local function main_of(profile)
  local main = profile:find "main"
  return main and main.name == "main" and main or nil
end

-- Returns where to show a row, or the whole program (nil): a file and a line. GitHub
-- refuses all results if one has no file. So the program, and a function whose file is
-- unknown, are shown at main; or, if that is unknown, too, at the program's file.
local function place_of(row, main, profile)
  local file, line
  if row then file, line = failures.place(row, profile) end
  if not file and main then file, line = main.file, main.line end
  return file or source_root.real(profile.image.path), math.max(line or 1, 1)
end

local function location_text(row, name, main, profile, root)
  local file, line = place_of(row, main, profile)
  local logical = name and (', "logicalLocations": [{"fullyQualifiedName": %s, ' ..
    '"kind": "function"}]'):format(json.string(name)) or ""
  return ('{"physicalLocation": {"artifactLocation": {"uri": %s}, "region": ' ..
    '{"startLine": %d}}%s}'):format(json.string(uri_of(file, root)), line, logical)
end

-- Returns what identifies a result in later runs, when its line may have changed.
local function fingerprint(failure, comparison, root)
  local row = failure.row
  local file = row ~= comparison and source_root.relative(row.new_file, root) or ""
  local digest = sha256.digest(table.concat({ failure.field,
    failures.name(failure, comparison), file }, "\0"))
  return escape.in_hexadecimal(digest:sub(1, 16))
end

local function result_text(failure, context)
  local comparison, main, root = context.comparison, context.main, context.root
  local rule = number_of[failure.field]
  local row = failure.row ~= comparison and failure.row or nil
  local name = row and context.short_names[row] or main and main.name
  local message = ("%s: %s: %s"):format(failures.heading(failure),
    failures.name(failure, comparison, context.names),
    failures.growth(failure, comparison))
  return ('{"ruleId": %s, "ruleIndex": %d, "level": "error", "message": %s, ' ..
    '"locations": [%s], "partialFingerprints": {"gprofFunction/v1": "%s"}}'):format(
    json.string(rules[rule][2]), rule - 1, text_of(message),
    location_text(row, name, main, context.profile, root),
    fingerprint(failure, comparison, root))
end

--- Writes what exceeds limits as SARIF.
-- @tparam profile profile the new profile
-- @tparam table options `comparison`: the result of `gprof.compare`; `failures`: that of
--   `gprof.compare.failures`; `source_root`: the directory to which source files are
--   named; those of names, see `gprof.print.row_labels`
-- @tparam stream write
return function(profile, options, write)
  if not options.failures then error("needs limits (--compare and --fail-on)", 0) end
  local comparison = options.comparison
  local bare = { short_names = options.short_names }
  local context = { comparison = comparison, profile = profile,
    root = options.source_root, main = main_of(profile),
    names = row_labels(comparison, profile, options),
    short_names = row_labels(comparison, profile, bare) }
  write('{\n  "$schema": ' .. json.string(SCHEMA) .. ',\n  "version": "2.1.0",\n')
  write('  "runs": [{\n    "tool": {"driver": {"name": "gprof for Lua", "version": ' ..
    json.string(gprof._VERSION) .. ',\n      "informationUri": ' ..
    json.string(INFORMATION) .. ',\n      "rules": ')
  write_rules(write)
  write '}},\n    "columnKind": "unicodeCodePoints",\n    "results": '
  json.rows(write, "    ", json.texts(options.failures, function(failure)
    return result_text(failure, context)
  end))
  write "\n  }]\n}\n"
end
