#!/bin/sh
# The jobs of bench/cluster.lua: array jobs of Slurm, in its directory. Each task records when it
# began and ended, and its processor time, in a file in log/.
#
#     cluster.sh run TASKS RUNS SLOW   runs the program with the ranks 0 to RUNS - 1; srun divides
#                                      the share of a task among the task's processors
#     cluster.sh part                  adds up the profiles of the task of `run` with this number
#     cluster.sh join STAGE FROM SIZE  adds up sums of the stage FROM, SIZE for each task
#
# GPROF is the command that adds up. SCRIPT is the path of this script, of which Slurm runs a copy.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
begin=$(date +%s.%N)
what=$1
shift

# Prints a number with at least four digits, so that names have the order of the numbers.
pad() { printf %04d "$1"; }

# Usage: record NAME. Records the times of this task.
record() {
  {
    echo "$begin $(date +%s.%N)"
    times
  } >"log/$1"
}

# Usage: add_up STAGE FILES...
add_up() {
  stage=$1
  shift
  $GPROF --spread --sum-file="$stage/$(pad "$SLURM_ARRAY_TASK_ID")" app "$@"
  record "$stage.$SLURM_ARRAY_TASK_ID"
}

case $what in
  run)
    srun sh "$SCRIPT" share "$@"
    ;;
  share) # of a process of srun
    shares=$(($1 * SLURM_NTASKS)) runs=$2 slow=$3
    share=$((SLURM_ARRAY_TASK_ID * SLURM_NTASKS + SLURM_PROCID))
    directory=profiles/$(pad "$SLURM_ARRAY_TASK_ID")
    mkdir -p "$directory"
    rank=$((share * runs / shares)) end=$(((share + 1) * runs / shares))
    while [ "$rank" -lt "$end" ]; do
      padded=00000$rank
      padded=${padded#"${padded%??????}"} # the last six digits, without another process
      GMON_OUT_PREFIX=$directory/rank.$padded ./app "$rank" "$slow"
      rank=$((rank + 1))
    done
    record "run.$SLURM_ARRAY_TASK_ID.$SLURM_PROCID"
    ;;
  part)
    add_up part "profiles/$(pad "$SLURM_ARRAY_TASK_ID")"
    ;;
  join)
    stage=$1 from=$2 size=$3
    number=$((SLURM_ARRAY_TASK_ID * size)) end=$(((SLURM_ARRAY_TASK_ID + 1) * size))
    set --
    while [ "$number" -lt "$end" ] && [ -e "$from/$(pad "$number")" ]; do
      set -- "$@" "$from/$(pad "$number")"
      number=$((number + 1))
    done
    add_up "$stage" "$@"
    ;;
esac
