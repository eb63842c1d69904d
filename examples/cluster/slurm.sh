#!/bin/sh
# Sums the profiles in a list (one path per line) with an array job of Slurm, and a job that
# waits for it:
#
#     sh examples/cluster/slurm.sh submit TASKS IMAGE LIST SUM
#
# Each task sums a part of the list into SUM.parts; when all tasks have ended, the second job
# adds up the partial sums. Parts are consecutive and are added up in order, so SUM is
# byte-identical for any number of tasks. Slurm repeats the tasks of a node that fails. If tasks
# fail, the second job names them and writes nothing. Run them again by hand, and then the second
# job:
#
#     sbatch --array=3,7 examples/cluster/slurm.sh part TASKS IMAGE LIST SUM
#     sbatch examples/cluster/slurm.sh total TASKS IMAGE LIST SUM
#
# The environment variable GPROF is the command to run (default: gprof.lua).
#
#SBATCH --ntasks=1
#SBATCH --mem=1G
#SBATCH --requeue
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
gprof=${GPROF:-gprof.lua}

fail() {
  echo "slurm.sh: $1" >&2
  exit 1
}

[ $# -eq 5 ] || fail "usage: slurm.sh submit|part|total TASKS IMAGE LIST SUM"
[ "$2" -gt 0 ] 2>/dev/null || fail "TASKS must be a positive integer, not '$2'"
what=$1 tasks=$2 image=$3 list=$4 sum=$5
lines=$(awk 'END { print NR }' "$list")  # unlike wc -l, counts an unterminated last line
[ "$lines" -gt 0 ] || fail "$list: the list of profiles is empty"
[ "$lines" -ge "$tasks" ] || tasks=$lines  # at least one profile each

case $what in
  submit)
    rm -rf "$sum.parts"
    mkdir "$sum.parts"
    array=$(sbatch --parsable --array=0-$((tasks - 1)) "$0" part "$tasks" "$image" "$list" "$sum")
    sbatch --dependency="afterany:${array%%;*}" "$0" total "$tasks" "$image" "$list" "$sum"
    ;;
  part)
    task=$SLURM_ARRAY_TASK_ID
    sed -n "$((task * lines / tasks + 1)),$(((task + 1) * lines / tasks))p" "$list" |
      $gprof --profiles-from=- --sum-file="$sum.parts/$task" "$image"
    ;;
  total)
    missing=
    for task in $(seq 0 $((tasks - 1))); do
      [ -e "$sum.parts/$task" ] || missing=$missing,$task
    done
    [ -z "$missing" ] || fail "$sum.parts: the sums of tasks ${missing#,} are missing"
    seq 0 $((tasks - 1)) | while read -r task; do printf '%s\n' "$sum.parts/$task"; done |
      $gprof --profiles-from=- --sum-file="$sum" "$image"
    rm -rf "$sum.parts"
    ;;
  *)
    fail "unknown command '$what': use submit, part or total"
    ;;
esac
