--- The options of reports and exports and their kinds, apart from those of profiles. Like
-- the tables in `gprof.library.options.arguments`.
--
-- @internal gprof.library.options.report_options
-- SPDX-License-Identifier: GPL-3.0-or-later

return {
  brief = "boolean", width = "integer", print_path = "boolean",
  inline_file_names = "boolean", color = "boolean", all_lines = "boolean",
  annotate_time = "boolean", errors = "boolean", min_count = "integer",
  table_length = "integer", directory_path = "strings", separate_files = "boolean",
  warn = "function", continued = "boolean", comparison = "gprof.comparison",
  node_threshold = "percentage", edge_threshold = "percentage", top = "count",
  tree_roots = "strings", tree_depth = "count", tree_threshold = "percentage",
  terminal_width = "integer", full_names = "boolean", short_names = "boolean",
  sort = "sorting", lines = "integer", order_format = "order format",
  heuristic = "function", traditional = "boolean",

  -- What the program has found out for them.
  verdict = "table", fail_on = "table", failures = "table", source_root = "string",
  selecting = "strings", sandbox = "boolean",
  -- How the data of other runs is read.
  file_format = "format", slide = "integer or 'auto'",
}
