#!/bin/sh
# Runs spec files, several at a time. A failure stops nothing: spec/summary.sh lists all failures
# after the last run.
#
#   spec/run.sh RUN FILES COMMAND...     "COMMAND FILE" runs one of the FILES
#
# RUN names the run and the make target that repeats it. build/results/RUN gets a log for each
# file, and beside each log the lines that spec/support/closing.lua writes.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
results=build/results/$1 files=$2
shift 2
rm -rf "$results"
mkdir -p "$results"

# The user's environment changes neither what the program prints and reads, nor what Lua loads.
unset LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME LANGUAGE GMON_OUT_PREFIX \
  GPROF_MPI GPROF_PATH GPROF_RECORDER POSIXLY_CORRECT LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 \
  LUA_CPATH LUA_CPATH_5_4
export LANG=C.UTF-8

# The slow ones first, so that none of them runs alone at the end; then the largest. One more file
# runs than there are processors, since some specs wait.
slow="growth|line_parity|installation|html_browser|starved|parity|manual|checkout|time_bounds"
slow="/($slow|blocks|many_profiles|slurm|lua_programs)_spec"
# shellcheck disable=SC2086  # a list of files
ls -S $files >"$results/files"
{ grep -E "$slow" "$results/files" || :; grep -v -E "$slow" "$results/files" || :; } |
  xargs -P $(($(nproc) + 1)) -I '{}' sh -c '
  file=$2
  log=$1/$(echo "${file#spec/}" | tr / -)
  shift 2
  export GPROF_RESULT="$log.result" GPROF_SPEC="$file"
  if "$@" "$file" >"$log" 2>&1 </dev/null && [ -s "$log.result" ]; then
    echo "$file: $(tail -n 1 "$log")"
  else
    # A file that crashed has no result of its own.
    grep -q "^failed" "$log.result" 2>/dev/null ||
      printf "counts\t0\t1\t0\nfailed\t%s\tended early\n" "$file" >>"$log.result"
    echo "$file: FAILED"
    cat "$log"
  fi' sh "$results" '{}' "$@"
