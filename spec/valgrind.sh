#!/bin/sh
# Runs `spec/valgrind.sh SCRIPT [ARGUMENT...]` in a Lua interpreter under memcheck. Each process
# writes its report to a file in the directory GPROF_VALGRIND; a clean process leaves an empty
# file. So no error is lost, even if a spec ignores the status and stderr of a process.
#
# With GPROF_VALGRIND_SHARE=N, one in N of the processes that the first one starts runs under
# valgrind, chosen by process id; the others run plain. These always run plain:
# - processes with a low limit on open files, or without one of the standard streams: valgrind
#   opens files of its own and would take the missing descriptor;
# - processes without valgrind in PATH;
# - processes in a sandbox: valgrind does not support Landlock.
#
# "Possibly lost" memory is not reported: the program exits without closing the Lua state, which
# points to some of its objects by interior pointers only.
#
# SPDX-License-Identifier: GPL-3.0-or-later
: "${GPROF_VALGRIND_LUA:=$(command -v lua5.4)}"  # a spec may put another one first in PATH
export GPROF_VALGRIND_LUA
is_one() { [ -z "${GPROF_VALGRIND_FIRST:-}" ] || [ $(($$ % ${GPROF_VALGRIND_SHARE:-1})) = 0 ]; }
can_be() {
  case " $*" in *" --sandbox"*) return 1 ;; esac
  files=$(ulimit -n)
  for stream in 0 1 2; do [ -e /proc/$$/fd/$stream ] || return 1; done
  { [ "$files" = unlimited ] || [ "$files" -ge 64 ]; } && command -v valgrind >/dev/null
}
if ! is_one || ! can_be "$@"; then
  exec "$GPROF_VALGRIND_LUA" "$@"
fi
export GPROF_VALGRIND_FIRST=$$
read -r now _ </proc/uptime  # process ids are reused
exec valgrind -q --error-exitcode=99 --leak-check=full --keep-debuginfo=yes \
  --num-callers=30 \
  --errors-for-leak-kinds=definite,indirect --show-leak-kinds=definite,indirect \
  --suppressions="${0%/*}/valgrind.supp" --log-file="$GPROF_VALGRIND/%p-$now" \
  "$GPROF_VALGRIND_LUA" "$@"
