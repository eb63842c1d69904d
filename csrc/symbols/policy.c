/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The decisions in which this program and GNU gprof (--gnu-compat) differ. */
#include "symbols/policy.h"

#include <stdint.h>

const gp_policy gp_policy_default = {
    .debug_files = true,
    .exact_lines = true,
    .typed_functions = true,
    .debugging_skipped = true,
    .bounded_names = true,
    .descriptor_names = true,
    .symfile_types = "TtWwi",
    .symfile_by_machine = true,
    .symfile_strict = true,
    .symfile_static = true,
    .map_symfiles = true,
    .map_strict = true,
    .map_first_line = true,
    .map_whole_objects = true,
    .functions_before_labels = true,
    .cold_parts_owned = true,
    .all_sections = true,
    .last_symbol_sampled = true,
    .selected_total = true,
    .callerless_calls = true,
    .measured_times = true,
    .block_counter_excluded = true,
    .max_blocks = SIZE_MAX,
    .decoded_calls = true,
    .unattributed_measured = true,
    .exact_inlining = true,
    .labels_before_lines = true,
    .recorded_lines_only = true,
    .last_line_kept = true,
    .whole_lines = true,
};

/* All other fields are false. */
const gp_policy gp_policy_gnu = {
    .symfile_types = "Tt",
    .max_blocks = 10,
};
