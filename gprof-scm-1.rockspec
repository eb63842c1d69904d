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
}
build = {
  type = "builtin",
  modules = {
    ["gprof.core"] = {
      sources = {
        "csrc/candidates.c",
        "csrc/clones.c",
        "csrc/cycles.c",
        "csrc/error.c",
        "csrc/gmon.c",
        "csrc/graph.c",
        "csrc/histogram.c",
        "csrc/image.c",
        "csrc/index.c",
        "csrc/lua_core.c",
        "csrc/lua_data.c",
        "csrc/lua_image.c",
        "csrc/lua_memory.c",
        "csrc/lua_options.c",
        "csrc/lua_parts.c",
        "csrc/lua_profile.c",
        "csrc/lua_selection.c",
        "csrc/lua_stream.c",
        "csrc/lua_symbols.c",
        "csrc/lua_trace.c",
        "csrc/names.c",
        "csrc/order.c",
        "csrc/profile.c",
        "csrc/propagate.c",
        "csrc/reader.c",
        "csrc/selection.c",
        "csrc/sort.c",
        "csrc/sources.c",
        "csrc/symfile.c",
        "csrc/symtab.c",
        "csrc/text.c",
        "csrc/trace.c",
      },
      defines = { "_GNU_SOURCE" },
      libraries = { "bfd", "iberty" },
      incdirs = { "$(BFD_INCDIR)", "$(IBERTY_INCDIR)" },
      libdirs = { "$(BFD_LIBDIR)", "$(IBERTY_LIBDIR)" },
    },
    ["gprof"] = "lua/gprof/init.lua",
    ["gprof.cli"] = "lua/gprof/cli.lua",
    ["gprof.explain"] = "lua/gprof/explain.lua",
    ["gprof.granularity"] = "lua/gprof/granularity.lua",
    ["gprof.help"] = "lua/gprof/help.lua",
    ["gprof.names"] = "lua/gprof/names.lua",
    ["gprof.options"] = "lua/gprof/options.lua",
    ["gprof.output"] = "lua/gprof/output.lua",
    ["gprof.report.bsd.flat"] = "lua/gprof/report/bsd/flat.lua",
    ["gprof.report.bsd.graph"] = "lua/gprof/report/bsd/graph.lua",
    ["gprof.report.bsd.index"] = "lua/gprof/report/bsd/index.lua",
    ["gprof.report.executions"] = "lua/gprof/report/executions.lua",
    ["gprof.report.flat"] = "lua/gprof/report/flat.lua",
    ["gprof.report.graph"] = "lua/gprof/report/graph.lua",
    ["gprof.report.index"] = "lua/gprof/report/index.lua",
    ["gprof.report.info"] = "lua/gprof/report/info.lua",
    ["gprof.styles"] = "lua/gprof/styles.lua",
    ["gprof.symspec"] = "lua/gprof/symspec.lua",
  },
  install = {
    bin = { "gprof.lua" },
  },
}
