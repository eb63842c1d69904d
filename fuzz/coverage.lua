-- Prints, for each target, how many lines of the core its corpus reaches.
--
-- `lua5.4 fuzz/coverage.lua DIRECTORY BUILT TARGET...`: BUILT has targets built with coverage. BUILT/TARGET.txt shows
-- the lines that are never run.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = arg[0]:match "^(.*)/" or "."
package.path = home .. "/../spec/?.lua;" .. package.path

local shell = require "support.shell"

local directory, built = arg[1], arg[2]

-- The sources in C that each target is meant to test. Targets that test only Lua have none.
local subjects <const> = {
  gmon = "gmon/gmon gmon/gmon_read gmon/records gmon/ld_profile gmon/mon_out gmon/sum/add_file gmon/bins " ..
    "gmon/contexts/context_file gmon/contexts/context_profile base/crc32 " ..
    "base/reader",
  sums = "gmon/gmon gmon/gmon_read gmon/records gmon/gmon_write gmon/bins base/writer " ..
    "gmon/contexts/context_file gmon/contexts/contexts gmon/contexts/contexts_write",
  spread = "gmon/sum/spread gmon/sum/spread_file",
  archives = "base/tar base/reader",
  lines = "debug/line_program debug/line_files debug/units debug/dwarf debug/line_tables debug/line_sequences " ..
    "debug/line_map debug/line_map_build debug/source_paths object/section",
  frames = "debug/abbreviations debug/entries debug/range_lists debug/function_names debug/scopes " ..
    "debug/scope_ranges debug/inline_map debug/inline_map_build debug/units debug/dwarf",
  split = "debug/split_file debug/package_index debug/inline_map_build debug/function_names",
  pads = "profile/code/landing_pads debug/call_frames debug/dwarf object/section",
  images = "object/image object/symbol_size object/imports object/build_id object/debuglink object/debug_str " ..
    "object/elf_machine object/opd object/bfd_memory debug/mini_debug debug/same_build",
  unpack = "lua/xz",
  names = "object/demangle",
  symbols = "symbols/symfile symbols/objmap base/reader",
  reports = "profile/samples profile/callgraph profile/cycles profile/propagate profile/order profile/profile " ..
    "lua/flat lua/entries lua/index profile/annotation",
  symspecs = "lua/symbols lua/selection profile/selection symbols/symbol_source",
  code = "object/disasm profile/code/static_calls profile/code/counted_code profile/code/jump_tables " ..
    "profile/code/landing_pads profile/code/code_survey profile/bounds/time_bounds profile/fit/histogram_ends",
  options = "lua/command_line",
  blocks = "lua/records gmon/gmon_write",
}

local function run(target)
  local raw, data = built .. "/" .. target .. ".profraw", built .. "/" .. target .. ".profdata"
  local env = { LLVM_PROFILE_FILE = raw }
  shell.check({ built .. "/" .. target, "-runs=0", "-max_len=4096", directory .. "/corpus/" .. target }, { env = env })
  shell.check { "llvm-profdata", "merge", "-o", data, raw }
  return data
end

local function report(target, data)
  local words = { built .. "/" .. target, "-instr-profile=" .. data }
  for name in subjects[target]:gmatch "%S+" do
    words[#words + 1] = ("csrc/%s.c"):format(name)
  end
  local show = shell.check { "llvm-cov", "show", table.unpack(words) }.stdout
  shell.write(built .. "/" .. target .. ".txt", show)
  -- The columns are regions, missed, %, functions, missed, %, lines, missed, %.
  for line in shell.check { "llvm-cov", "report", table.unpack(words) }.stdout:gmatch "[^\n]+" do
    local name, lines, missed = line:match "^%S-([%w_.]+) +%d+ +%d+ +%S+ +%d+ +%d+ +%S+ +(%d+) +(%d+)"
    if name then
      local reached = lines - missed
      print(("%-9s %-16s %4d of %4d lines, %3d%%"):format(target, name, reached, lines, 100 * reached // lines))
    end
  end
end

for i = 3, #arg do
  if subjects[arg[i]] then report(arg[i], run(arg[i])) end
end
