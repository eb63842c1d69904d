--- Names of functions as reports show them: short forms, and labels.
--
-- @module gprof.names
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"

local names = {}

--- Shortens a C++ name.
-- @function names.short
-- @tparam string name demangled
-- @tparam[opt="without arguments"] string form "complete", "without parameters" (and
--   without the return type), or "without arguments" (also without template arguments)
-- @treturn string
names.short = core.short_name

--- Shortens many names so that different names remain different.
-- @function names.distinct
-- @tparam {string,...} list the names
-- @treturn function with the parameters `number` of a name in the list; `form`, as for
--   `names.short`, by default "complete"; `columns`, the width to fit (nil: any), which
--   is exceeded if the names would not remain different; and `mark`, which stands for
--   what is cut out (default: `…`). Returns the name
names.distinct = core.distinct_names

--- Makes labels for the functions and cycles of a profile. A label is the name, followed
-- by
--
-- - the source line: in a profile by line, and with `inline_file_names`;
-- - the suffix that the caller gives;
-- - the source file of a static function, with `static_files`;
-- - the cycle and the number in the call graph, with `references`: `<cycle 1> [7]`.
--
-- The rows of `stream:rows` show labels without creating strings.
-- @function names.labels
-- @tparam profile profile
-- @tparam[opt] table options
--
--   - `symbols`: names as in the symbol table, not demangled;
--   - `short_names`: names without parameters and template arguments;
--   - `bare`: without the source line;
--   - `inline_file_names`, `static_files`, `references`: see above;
--   - `last_entry`: the last number in the call graph whose entry is printed; later ones
--     are in parentheses, like those of entries that were not selected;
--   - `print_path`: source files with their directories;
--   - `suffixes`: a table from numbers of functions to suffixes;
--   - `width`: names at the end of a row are cut so that the row has at most this many
--     columns; `ascii`: what is cut out is replaced by `...` and not by `…`
-- @treturn labels `labels[id]` is the label of the function or cycle with that number,
--   `labels(id, columns)` the same with a name that is cut to fit
function names.labels(profile, options)
  arguments.check(profile, "gprof.profile", 1, "labels")
  return core.labels(profile, arguments.options(options, 2, "labels"))
end

return names
