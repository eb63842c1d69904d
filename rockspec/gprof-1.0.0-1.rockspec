rockspec_format = "3.0"
package = "gprof"
version = "1.0.0-1"
source = {
  url = "file://gprof-1.0.0.tar.gz",
}
description = {
  summary = "GNU gprof re-thought for Lua: a profile reporter and a library",
  detailed = [[
    gprof.lua reads an executable compiled with -pg and the gmon.out of its runs, and
    prints the flat profile and the call graph. It corrects errors of GNU gprof; on
    request, it reproduces GNU gprof's output byte for byte. It also records Lua scripts,
    and programs that were not compiled with -pg. Scripts can read everything in a report
    as Lua values.
  ]],
  license = "GPL-3.0-or-later",
  labels = { "profiling", "gprof", "debug" },
}
dependencies = {
  "lua ~> 5.4",
}
external_dependencies = {
  BFD = { header = "bfd.h", library = "bfd" },
  IBERTY = { header = "libiberty/libiberty.h" },
  OPCODES = { header = "dis-asm.h", library = "opcodes" },
}
-- The Makefile alone lists the files to install; "make install" uses the same list.
build = {
  type = "make",
  variables = {
    LUA = "$(LUA)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    CFLAGS = "$(CFLAGS)",
    CPPFLAGS = "-I$(BFD_INCDIR) -I$(IBERTY_INCDIR) -I$(OPCODES_INCDIR)",
    LDFLAGS = "-L$(BFD_LIBDIR) -L$(IBERTY_LIBDIR) -L$(OPCODES_LIBDIR)",
    WARNINGS = "",  -- newer compilers have more warnings
  },
  install_variables = {
    PREFIX = "$(PREFIX)",
    BINDIR = "$(BINDIR)",
    LUADIR = "$(LUADIR)",
    LIBDIR = "$(LIBDIR)",
    DOCDIR = "$(PREFIX)",
  },
}
-- LuaRocks' wrapper, a shell script, would triple the time of a small report. The program finds its
-- library without it, and `make install` writes the interpreter's path into its first line.
deploy = { wrap_bin_scripts = false }
