#!/bin/sh
# Summarizes runs of specs: what was skipped and why, what failed with the command that repeats it,
# and last the sum: "N passed, N failed, N skipped". Fails if a spec failed.
#
#   spec/summary.sh [RUN...]     as given to spec/run.sh; without arguments, all runs
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
cd build/results
[ $# -gt 0 ] || set -- *
for run; do
  for result in "$run"/*.result; do
    [ -f "$result" ] && sed "s/^/$run	/" "$result"
  done
done | sort -t '	' -k 1,2 -k 4,4 | awk -F '\t' '
  function short(file) { sub(/^spec\//, "", file); sub(/_spec\.lua$/, "", file); return file }
  function selection(file) { return file ~ /_spec\.lua$/ ? " SPEC=" short(file) : "" }
  $2 == "counts" { passed += $3; failed += $4; skipped += $5 }
  $2 == "skipped" {
    if (!count[$4]++) reasons[++kinds] = $4
    if (!seen[$4, $3]++) where[$4] = where[$4] " " short($3)
  }
  $2 == "failed" { failures[++many] = "  " $3 ": " $4 "\n    make " $1 selection($3) }
  END {
    if (kinds) print "Skipped:"
    for (i = 1; i <= kinds; i++) printf "%5d  %s:%s\n", count[reasons[i]], reasons[i], where[reasons[i]]
    if (many) print "Failed:"
    for (i = 1; i <= many; i++) print failures[i]
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0
  }'
