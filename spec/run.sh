#!/bin/sh
# Runs all spec files, several at a time, and prints the sum of their results last:
# "N passed, N failed, N skipped". The output of each file that fails is printed in full before
# that line.
#
#   spec/run.sh LOGS COMMAND...     LOGS is a directory; "COMMAND FILE" runs one spec file
#
# GPROF_SPECS lists the files to run instead of all.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
logs=$1
shift
rm -rf "$logs"
mkdir -p "$logs"

# The slow ones first, so that none of them runs alone at the end; then the largest. One more file
# runs than there are processors, since some specs wait.
slow="/(growth|line_parity|installation|html_browser|starved|parity|time_bounds|blocks|many_profiles|slurm)_spec"
ls -S ${GPROF_SPECS:-spec/*/*_spec.lua} >"$logs/files"
{ grep -E "$slow" "$logs/files" || :; grep -v -E "$slow" "$logs/files" || :; } |
  xargs -P $(($(nproc) + 1)) -I '{}' sh -c '
  logs=$1 file=$2
  shift 2
  log=$logs/$(echo "${file#spec/}" | tr / -)
  if "$@" "$file" >"$log" 2>&1 </dev/null; then
    echo "$file: $(grep " passed, .* skipped$" "$log" | tail -n 1)"
  else
    mv "$log" "$log.failed"
    echo "$file: FAILED"
  fi' sh "$logs" '{}' "$@"

# A file that crashed has no result line; its log is named .failed all the same.
! ls "$logs"/*.failed >"$logs/failures" 2>/dev/null || xargs tail -n +1 <"$logs/failures"
cat "$logs"/* | awk '
  /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $1; failed += $3; skipped += $5 }
  END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }'
[ ! -s "$logs/failures" ]
