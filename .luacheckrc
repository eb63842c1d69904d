std = "lua54"
max_line_length = 120
files["lua"] = { max_line_length = 90 }
files["fuzz"] = { read_globals = { "fuzz" } }
files["spec"] = { std = "lua54+busted" }
files["gprof.lua"] = { std = "lua51+lua54", max_line_length = 90 }
files["spec/coverage/collector.lua"] = { std = "lua51+lua54" }
exclude_files = { "build" }
