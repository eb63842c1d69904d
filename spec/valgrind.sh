#!/bin/sh
# A Lua interpreter under valgrind: `spec/valgrind.sh SCRIPT [ARGUMENT...]`. What memcheck has to
# say of it goes into a file of its own in the directory GPROF_VALGRIND, so that nothing is lost
# of processes whose status or standard error nobody looks at; those that are in order leave an
# empty one there.
#
# Under GPROF_VALGRIND_SHARE=N that is one of N processes, by chance, of those that the first one
# starts; the others are plain. So are those that have few files or lack a standard stream: valgrind
# wants files of its own, and would take the descriptor that is missing; those whose PATH has no
# valgrind; and those in a sandbox, as valgrind knows no Landlock.
#
# Memory that is "possibly lost" is no error: the program ends without closing Lua's state, and
# then Lua holds some of its own objects by pointers into their middle alone.
#
# SPDX-License-Identifier: GPL-3.0-or-later
: "${GPROF_VALGRIND_LUA:=$(command -v lua5.4)}"  # specs may put another one in front of it
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
read -r now _ </proc/uptime  # numbers of processes are given again
exec valgrind -q --error-exitcode=99 --leak-check=full --keep-debuginfo=yes \
  --num-callers=30 \
  --errors-for-leak-kinds=definite,indirect --show-leak-kinds=definite,indirect \
  --suppressions="${0%/*}/valgrind.supp" --log-file="$GPROF_VALGRIND/%p-$now" \
  "$GPROF_VALGRIND_LUA" "$@"
