--- A comparison as JSON. doc/export.md describes the layout, and
-- doc/gprof-comparison.schema.json is its JSON schema; the field names are the same as in
-- `gprof.compare`.
--
-- @module gprof.export.comparison
-- SPDX-License-Identifier: GPL-3.0-or-later

local gprof = require "gprof"
local json = require "gprof.format.json"
local policy = require "gprof.library.policy"
local row_labels = require "gprof.print.row_labels"

-- Increment VERSION with every incompatible change.
local FORMAT <const>, VERSION <const> = "gprof-comparison", 1

local side_of <const> = json.object { "runs", "period", "total", "coverage",
  "path_share", "mismatch" }
local time_of <const> = json.object {
  "old", "new", "change", "ratio", "error", "noise" }
local estimate_of <const> = json.object { "comparable", "least", "most" }
local count_of <const> = json.object { "old", "new", "change", "ratio" }
local function_of <const> = json.object {
  "name", "old_name", "old_file", "new_file", "status", "joined" }

local function side_text(side, options)
  return side_of(side.runs, side.period, side.total, side.coverage, side.path_share,
    policy.of(options).checks_profile and side.mismatch or nil)
end

local function time_text(time)
  return time and time_of(time.old, time.new, time.change, time.ratio, time.error,
    time.noise) or "null"
end

-- Formats a total time, which may be an estimate.
local function total_text(time)
  local text = time_text(time)
  return time and ("%s, %s"):format(text:sub(1, -2),
    estimate_of(time.comparable, time.least, time.most):sub(2)) or text
end

local function count_text(count)
  return count and count_of(count.old, count.new, count.change, count.ratio) or "null"
end

local function row_text(row, name)
  local start = function_of(name, row.old_name, row.old_file, row.new_file,
    row.status, row.joined)
  return ('%s, "self": %s, "total": %s, "calls": %s, "self_calls": %s, "blocks": %s}')
    :format(start:sub(1, -2), time_text(row.self), total_text(row.total),
      count_text(row.calls), count_text(row.self_calls), count_text(row.blocks))
end

local failure_of <const> = json.object { "name", "file", "line", "figure", "limit" }

-- Returns a function that formats what exceeds a limit. The whole program has no name.
local function failure_writer(comparison, profile, names)
  local place = require "gprof.print.failures".place
  return function(failure)
    local row, file, line = failure.row, nil, nil
    if row ~= comparison then file, line = place(row, profile) end
    return failure_of(names[row], file, line, failure.field, failure.percent)
  end
end

--- Writes a comparison as JSON.
-- @tparam profile profile the new profile
-- @tparam table options `comparison`: the result of `gprof.compare`; `failures`: that of
--   `gprof.compare.failures`, if there are limits; those of names, see
--   `gprof.print.row_labels`
-- @tparam stream write
return function(profile, options, write)
  local comparison = options.comparison
  if not comparison then error("needs an old profile (--compare)", 0) end
  local names = row_labels(comparison, profile, options)
  write "{\n"
  json.field(write, "format", json.string(FORMAT))
  json.field(write, "version", json.number(VERSION))
  json.field(write, "generator", json.string("gprof for Lua " .. gprof._VERSION))
  json.field(write, "unit", json.value(comparison.unit))
  json.field(write, "old", side_text(comparison.old, options))
  json.field(write, "new", side_text(comparison.new, options))
  for _, name in ipairs { "chance", "times", "factor", "common" } do
    json.field(write, name, json.number(comparison[name]))
  end
  json.field(write, "total", time_text(comparison.total))
  json.field(write, "calls", count_text(comparison.calls))
  json.field(write, "blocks", count_text(comparison.blocks))
  if options.failures then
    write '  "failures": '
    local text_of = failure_writer(comparison, profile, names)
    json.rows(write, "  ", json.texts(options.failures, text_of))
    write ",\n"
  end
  write '  "functions": '
  json.rows(write, "  ", json.texts(comparison, function(row)
    return row_text(row, names[row])
  end))
  write "\n}\n"
end
