--- The index: the number of each function's entry in the call graph, sorted by name.
--
-- @module gprof.report.index
-- SPDX-License-Identifier: GPL-3.0-or-later

local common = require "gprof.print.common"
local core = require "gprof.core"
local labels = require "gprof.print.labels"
local policy = require "gprof.library.policy"

local COLUMNS <const> = 3
local WIDTH <const>, WIDEST <const> = 80, 1000000  -- of lines, in characters

-- The least number of columns around a name in a cell.
local AROUND <const> = 7

-- Returns the length of names above which there is one name a line: names that do not fit
-- into a line make columns unreadable; on a terminal, names that do not fit into a cell.
-- Nil if the names do not matter.
local function longest_name(options)
  if policy.of(options).keeps_index_columns then return nil end
  local line = math.max(options.width or WIDTH, WIDTH)
  return options.terminal_width and line // COLUMNS - AROUND or line
end

-- The look of the report; `gprof.report.bsd.index` has another look. `cell` is a format
-- (see csrc/lua/index.c), `width` a function of the options, and `name` the field with a
-- function's name.
local gnu = { cell = "%1$s", name = "name" }

function gnu.width(options)
  return (math.max(math.min(options.width or WIDTH, WIDEST), 1) - 1) // COLUMNS
end

--- Prints the report.
-- @tparam profile profile
-- @tparam table options `width`: of the lines, in characters (default 80, at most
--   1,000,000; if a name does not fit, each name gets a line); `top`: list only functions
--   in the first `top` entries of the call graph; `display_unused_functions`,
--   `inline_file_names`, `print_path`, `color`; `gnu_compat`: always three columns
-- @tparam stream write
-- @tparam[opt] table look by default GNU gprof's
return function(profile, options, write, look)
  look = look or gnu
  write(common.heading(options, "Index by function name\n\n"))
  core.write_index(write, profile, {
    cell = look.cell,
    width = look.width and look.width(options),
    longest = look.width and longest_name(options),
    numbered = labels.numbered(profile, options),
    names = labels.bare(profile, options, look.name),
    paint = options.color and require "gprof.print.color".painter(profile.graph_ticks),
    unused = options.display_unused_functions,
    top = options.top,
  })
end
