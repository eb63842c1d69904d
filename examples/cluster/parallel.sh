#!/bin/sh
# Sums the profiles in a list (one path per line) with GNU parallel:
#
#     sh examples/cluster/parallel.sh PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]
#
# Each process sums a part of the list; then this script adds up the partial sums. Parts are
# consecutive and are added up in order, so SUM is byte-identical for any number of parts.
# With options such as "--sshlogin nodes" processes run on other machines, where the list,
# the profiles and the directory of SUM must be visible. If anything fails, neither SUM nor a
# part of it is written.
#
# The environment variable GPROF is the command to run (default: gprof.lua).
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu

fail() {
  echo "parallel.sh: $1" >&2
  exit 1
}

[ $# -ge 4 ] || fail "usage: parallel.sh PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]"
[ "$1" -gt 0 ] 2>/dev/null || fail "PARTS must be a positive integer, not '$1'"
gprof=${GPROF:-gprof.lua} shares=$1 image=$2 list=$3 sum=$4
shift 4

lines=$(awk 'END { print NR }' "$list")  # unlike wc -l, counts an unterminated last line
[ "$lines" -gt 0 ] || fail "$list: the list of profiles is empty"
[ "$lines" -ge "$shares" ] || shares=$lines  # at least one profile each
parts=$(mktemp -d "$sum.XXXXXX")
trap 'rm -rf "$parts"' EXIT
trap 'exit 1' HUP INT TERM

# The command of each process; parallel replaces {} with the number of the part, from 0.
work='sed -n "$(({} * lines / shares + 1)),$((({} + 1) * lines / shares))p" "$list" |
  $gprof --profiles-from=- --sum-file="$parts/{}" "$image"'

export gprof shares image list lines parts
seq 0 $((shares - 1)) |
  parallel --will-cite --halt now,fail=1 --env gprof,shares,image,list,lines,parts "$@" "$work"
seq 0 $((shares - 1)) | while read -r part; do printf '%s\n' "$parts/$part"; done |
  $gprof --profiles-from=- --sum-file="$sum" "$image"
