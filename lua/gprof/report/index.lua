--- The index: where in the call graph each function's entry is, by name.
--
-- @module gprof.report.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local core = require "gprof.core"
local labels = require "gprof.print.labels"

local COLUMNS <const> = 3
local WIDTH <const>, WIDEST <const> = 80, 1000000  -- of lines, in characters

-- How the report looks. Others may come with another look (`gprof.report.bsd.index`):
-- cell: see csrc/lua/index.c; width: a function of the options; name: the field that has
-- a function's name.
local gnu = { cell = "%1$s", name = "name" }

function gnu.width(options)
  return (math.max(math.min(options.width or WIDTH, WIDEST), 1) - 1) // COLUMNS
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `width`: of the lines, in characters (default 80, at most
--   1,000,000); `top`: only what is in the first so many entries of the call graph;
--   `display_unused_functions`, `inline_file_names`, `print_path`, `color`
-- @tparam stream write
-- @tparam[opt] table look GNU gprof's, if absent
return function(profile, options, write, look)
  look = look or gnu
  write(common.heading(options, "Index by function name\n\n"))
  core.write_index(write, profile, {
    cell = look.cell,
    width = look.width and look.width(options),
    numbered = labels.numbered(profile, options),
    names = labels.bare(profile, look.name),
    paint = options.color and require "gprof.print.color".painter(profile.graph_ticks),
    unused = options.display_unused_functions,
    top = options.top,
  })
end
