--- The options of reports and their kinds, apart from those of profiles. Like the tables
-- in `gprof.library.options.arguments`.
--
-- @internal gprof.library.options.report_options
-- SPDX-License-Identifier: GPL-3.0-or-later

return {
  brief = "boolean", width = "integer", print_path = "boolean",
  inline_file_names = "boolean", color = "boolean", all_lines = "boolean",
  annotate_time = "boolean", errors = "boolean", min_count = "integer",
  table_length = "integer", directory_path = "strings", separate_files = "boolean",
  warn = "function", continued = "boolean", comparison = "table",
  node_threshold = "number", edge_threshold = "number", top = "integer",
  tree_roots = "strings", tree_depth = "integer", tree_threshold = "number",
  terminal_width = "integer", full_names = "boolean", short_names = "boolean",
  sort = "sorting", lines = "integer", order_format = "order format",
  heuristic = "function",

  -- Settings of the program that our reports ignore. They are accepted because a user's
  -- report gets all settings, and may pass them on to one of ours.
  file_format = "format", sum_file = "string", traditional = "boolean", styles = "table",
  reports = "table", exports = "table", operands = "table", profiles_from = "table",
  sum_target = "table", jobs = "integer", keep_going = "boolean",
  skip_duplicates = "boolean", checkpoint = "string", checkpoint_every = "integer",
  by_build = "boolean",
  no_progress = "boolean", profiles = "table",
  record = "boolean", record_reports = "boolean", dump_signal = "string",
  dump = "integer", anew = "boolean", pause = "integer", resume = "integer",
  follow = "boolean", rate = "integer", memory = "integer", output = "string",
  dump_file = "string", wall = "boolean", count = "string", with_c = "boolean",
  sandbox = "boolean", sandbox_memory = "integer", sandbox_time = "integer",
  compare = "table", fail_on = "table", failures = "table", force = "boolean",
  verdict = "table", baseline = "string", source_root = "string",
  update_baseline = "boolean",
  slide = "integer or 'auto'",
  debug_dir = "strings", given_to = "table", words = "strings", pager = "boolean",
  has_options = "boolean", no_libraries = "boolean", spread = "boolean",
}
