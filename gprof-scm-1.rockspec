rockspec_format = "3.0"
package = "gprof"
version = "scm-1"
source = {
  url = "git+file://.",
}
description = {
  summary = "GNU gprof re-thought for Lua: profile reports as a program and as a library",
  detailed = [[
    Reads an executable and the gmon.out that a program compiled with -pg leaves, and
    prints the flat profile and the call graph: GNU gprof's to the byte if asked to, and
    right where GNU gprof is wrong. Everything in a report is a Lua value for scripts.
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
-- What is installed is told by the Makefile: "make install" puts the same into any other place.
build = {
  type = "make",
  variables = {
    LUA = "$(LUA)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    CFLAGS = "$(CFLAGS)",
    CPPFLAGS = "-I$(BFD_INCDIR) -I$(IBERTY_INCDIR) -I$(OPCODES_INCDIR)",
    LDFLAGS = "-L$(BFD_LIBDIR) -L$(IBERTY_LIBDIR) -L$(OPCODES_LIBDIR)",
    WARNINGS = "",  -- compilers to come know more of them
  },
  install_variables = {
    PREFIX = "$(PREFIX)",
    BINDIR = "$(BINDIR)",
    LUADIR = "$(LUADIR)",
    LIBDIR = "$(LIBDIR)",
    DOCDIR = "$(PREFIX)",
  },
}
