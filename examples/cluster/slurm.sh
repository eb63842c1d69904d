#!/bin/sh
# Sums the profiles that a list names (one a line) by an array job of Slurm and a job that
# waits for it:
#
#     sh examples/cluster/slurm.sh submit TASKS IMAGE LIST SUM
#
# Each task sums its share of the list into SUM.parts; when all have succeeded, the second
# job adds their sums up. Shares are consecutive and their sums are added up in order: SUM is
# the same to the byte for any number of tasks. If a task fails, run it again and then the
# second job, by hand:
#
#     sbatch --array=7 examples/cluster/slurm.sh part TASKS IMAGE LIST SUM
#     sbatch examples/cluster/slurm.sh total TASKS IMAGE LIST SUM
#
# GPROF is how the program is called ("gprof.lua").
#
#SBATCH --ntasks=1
#SBATCH --mem=1G
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
gprof=${GPROF:-gprof.lua}

fail() {
  echo "slurm.sh: $1" >&2
  exit 1
}

[ $# -eq 5 ] || fail "usage: slurm.sh submit|part|total TASKS IMAGE LIST SUM"
[ "$2" -gt 0 ] 2>/dev/null || fail "TASKS has to be a number from 1 on, not '$2'"
what=$1 tasks=$2 image=$3 list=$4 sum=$5
lines=$(awk 'END { print NR }' "$list")  # the last one may lack its end
[ "$lines" -gt 0 ] || fail "$list: names no profiles"
[ "$lines" -ge "$tasks" ] || tasks=$lines  # nobody is idle

case $what in
  submit)
    rm -rf "$sum.parts"
    mkdir "$sum.parts"
    array=$(sbatch --parsable --array=0-$((tasks - 1)) "$0" part "$tasks" "$image" "$list" "$sum")
    sbatch --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
      "$0" total "$tasks" "$image" "$list" "$sum"
    ;;
  part)
    task=$SLURM_ARRAY_TASK_ID
    sed -n "$((task * lines / tasks + 1)),$(((task + 1) * lines / tasks))p" "$list" |
      $gprof --profiles-from=- --sum-file="$sum.parts/$(printf %06d "$task")" "$image"
    ;;
  total)
    found=$(ls "$sum.parts" | wc -l)
    [ "$found" -eq "$tasks" ] || fail "$sum.parts: $found of $tasks sums are there"
    $gprof --sum-file="$sum" "$image" "$sum.parts"
    rm -rf "$sum.parts"
    ;;
  *)
    fail "neither submit, part nor total: '$what'"
    ;;
esac
