--- An HTML report in one self-contained file. Its style sheet and scripts are in
-- gprof/export/html; all its data comes from the public library.
--
-- Names in the data are untrusted: all are escaped, and a Content-Security-Policy with
-- hashes allows only our own script and style.
--
-- @module gprof.export.html
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local assets = require "gprof.export.html.assets"
local data = require "gprof.export.html.page_data"
local extract = require "gprof.analysis.extract"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local hot_instructions = require "gprof.analysis.hot_instructions"
local hot_lines = require "gprof.analysis.hot_lines"
local inlined_lines = require "gprof.library.inlined_lines"
local labels = require "gprof.print.labels"
local line_data = require "gprof.export.html.line_data"
local object_list = require "gprof.library.libraries.object_list"
local old_lines = require "gprof.export.html.old_lines"
local sha256 = require "gprof.format.sha256"
local sources = require "gprof.export.html.sources"
local summary = require "gprof.export.html.summary"
local tables = require "gprof.export.html.tables"
local text = require "gprof.export.html.page_text"
local tree_list = require "gprof.export.html.tree_list"
local warnings = require "gprof.export.html.warnings"

local POLICY <const> = "default-src 'none'; script-src 'sha256-%s'; " ..
  "style-src 'sha256-%s'; base-uri 'none'; form-action 'none'"

local HEAD <const> = [[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="gprof for Lua %s">
<title>%s – profile</title>
]]

-- Returns the functions, calls and tree of a profile.
local function view_of(profile, options)
  local cycles, arcs = {}, extract.arc_columns(profile)
  for cycle in profile:cycles() do cycles[#cycles + 1] = cycle end
  local ids = extract.functions(profile, options, arcs)
  return {
    profile = profile, arcs = arcs, cycles = cycles, ids = ids,
    names = profile:columns(ids, "name"),
    tree = profile.rate and tree_list.of(profile) or nil,
    labels = labels.exported(profile, options),
    are_names = labels.are_names(profile, options),
  }
end

-- Whether no inlined function can have samples. Profiles by line lack libraries, and
-- lines that are not selected have no callers.
local function lacks_inlines(profile, lines, options)
  local is_whole = not (profile.has_libraries or options.include or options.exclude)
  return is_whole and not next(inlined_lines.of(lines))
end

-- Returns the view in which inlined functions are functions or, if `profile` is that, the
-- one in which they are not. Nil if nothing was inlined, or if a symspec names only
-- functions that this view does not have; then also returns the symspec.
local function other_view(profile, options)
  local picked, missed = arguments.pick(options, "profile"), nil
  picked.inlines, picked.line = not profile.has_inlines, nil
  picked.missed = function(spec) missed = spec end
  local other =
    failure.need(gprof.profile(profile.image, object_list.program_data(profile), picked))
  if other.symbols.count == profile.symbols.count or missed then return nil, missed end
  return view_of(other, options)
end

-- Returns the profile by line that the page needs.
local function by_lines(profile, options)
  return profile:by_lines(setmetatable({ frames = true }, { __index = options }))
end

-- Returns the threads, and those of them that are shown, if there are several; each is
-- nil otherwise, or if the threads are not known. Without call paths of this build, no
-- thread can be shown alone.
local function threads_of(profile)
  local threads, shown = profile:threads(), {}
  if not (threads and threads[2]) then return nil end
  for _, thread in ipairs(threads) do
    if thread.selected then shown[#shown + 1] = thread end
  end
  return threads, profile.exact and shown[2] and shown or nil
end

-- Returns the content for some of the threads.
local function part_of(content, threads, options)
  local own = setmetatable({ threads = threads, display_unused_functions = false },
    { __index = options })
  local picked = arguments.pick(own, "profile")
  picked.line, picked.missed, picked.inlines = nil, nil, content.profile.has_inlines
  local whole = content.profile
  local profile =
    failure.need(gprof.profile(whole.image, object_list.program_data(whole), picked))
  local lines <close> = by_lines(profile, own)
  local part = view_of(profile, own)
  part.other = content.other and not lacks_inlines(profile, lines, own) and
    other_view(profile, own) or nil
  part.lines = hot_lines.of(profile, lines, line_data.MOST_LINES)
  part.figures = sources.figures(lines, content.sources.files, options)
  sources.add_callees(profile, lines, content.sources.files, part.figures)
  part.summary, part.few =
    { summary.figures(profile) }, warnings.few_samples(profile)
  return part
end

-- Returns the lines and the sources of the page, and whether no inlined function can have
-- samples. Closes the profile by line, which takes much memory.
local function lines_of(profile, options)
  local lines <close> = by_lines(profile, options)
  local hot = profile.rate and hot_lines.of(profile, lines, line_data.MOST_LINES) or {}
  local found = sources.of(lines, options, profile.symbols)
  sources.add_callees(profile, lines, found.files, found.files)
  old_lines.add(options.comparison, found.files, options)
  return hot, found, lacks_inlines(profile, lines, options)
end

-- Returns what the page shows, in the form that gprof.export.html.page_data describes.
local function contents(profile, options)
  local by_function = profile:by_function(true)
  local lines, files, lacks = lines_of(by_function, options)
  local content = view_of(by_function, options)
  if not lacks then
    content.other, content.only_inlined = other_view(by_function, options)
  end
  for _, view in ipairs { content, content.other } do
    view.code = hot_instructions.of_functions(view.profile, view.ids)
  end
  content.lines, content.sources = lines, files
  content.comparison, content.options = options.comparison, options.selecting or {}
  content.threads, content.choosable = threads_of(profile)
  function content.part_of(threads) return part_of(content, threads, options) end
  return content
end

local function hash(content)
  return sha256.base64(sha256.digest(content))
end

--- Writes a profile as an HTML page.
-- @tparam profile profile by function or by line, with the same result
-- @tparam table options the options of the profile; `display_unused_functions`: also show
--   functions without time and calls; `directory_path`: array of directories to search
--   for source files; `comparison`: the result of `gprof.compare`, with this profile as
--   the new one; `selecting`: options of the program, as words, that select the same
-- @tparam stream write
-- @raise a table with the field `message` if a style sheet or script is not installed
return function(profile, options, write)
  local style, script = "\n" .. assets.style(), "\n" .. assets.script()
  local content = contents(profile, options)
  local title = text.html(profile.image.path:match "[^/]*$")
  write(HEAD:format(POLICY:format(hash(script), hash(style)), gprof._VERSION, title))
  write "<style>"
  write(style)
  write "</style>\n</head>\n"
  write(('<body>\n<header>\n<h1>%s</h1>\n'):format(title))
  summary.write(content, options, write)
  write '</header>\n<main id="page"></main>\n<noscript>\n'
  tables.write(content, write)
  write "</noscript>\n"
  data.write(content, write)
  write "<script>"
  write(script)
  write "</script>\n</body>\n</html>\n"
end
