#!/bin/sh
# Runs all specs, as many files at once as there are processors, and closes with the sum of
# what they say: "N passed, N failed, N skipped". What failed is printed in full.
#
#   spec/run.sh LOGS COMMAND...     COMMAND FILE runs a file of specs; LOGS is a directory
#
# GPROF_SPECS names the files, if it is not to be all.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
logs=$1
shift
rm -rf "$logs"
mkdir -p "$logs"

# The largest first: they take longest, mostly.
ls -S ${GPROF_SPECS:-spec/*/*_spec.lua} | xargs -P "$(nproc)" -I '{}' sh -c '
  logs=$1 file=$2
  shift 2
  log=$logs/$(echo "${file#spec/}" | tr / -)
  if "$@" "$file" >"$log" 2>&1 </dev/null; then
    echo "$file: $(grep " passed, .* skipped$" "$log" | tail -n 1)"
  else
    cat "$log"
    mv "$log" "$log.failed"
  fi' sh "$logs" '{}' "$@"

# A file that did not come to its end has no last line to go by.
cat "$logs"/* | awk '
  /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed += $1; failed += $3; skipped += $5 }
  END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }'
! ls "$logs"/*.failed >"$logs/failures" 2>/dev/null || { cat "$logs/failures"; exit 1; }
