-- Runs a program of this directory under a profiler: lua5.4 profiled.lua KIND PATH PROGRAM REPEATS. KIND says how the
-- profiler in the file PATH is used. Prints the processor time of each part, and "calls PLACE COUNT SECONDS" for each
-- function that it shows.
local kind, path, program, repeats = arg[1], arg[2], arg[3], tonumber(arg[4])
local profiler = dofile(path)

-- Stops the profiler. Returns calls and seconds by place, from each kind of report.
local kinds = {}
function kinds.ProFi()
  local report, found = os.tmpname(), {}
  profiler:writeReport(report)
  for line in io.lines(report) do
    local file, number, seconds, count = line:match "^| (.-) *: .-: *(%-?%d+) *: ([%d.]+) *: [%d.]+%% *: *(%d+)"
    if file then found[#found + 1] = { ("%s:%s"):format(file, number), count, seconds } end
  end
  os.remove(report)
  return found
end
kinds["profile.lua"] = function()
  local found = {}
  for i, row in ipairs(profiler.query()) do found[i] = { row[5], row[3], row[4] } end
  return found
end

local times = {}
profiler.start(profiler)
local parts = dofile((arg[0]:match ".*/" or "") .. program .. ".lua")
for i, part in ipairs(parts) do
  local began = os.clock()
  for _ = 1, repeats do part() end
  times[i] = os.clock() - began
end
profiler.stop(profiler)
for i, seconds in ipairs(times) do io.stderr:write(("part %d %.3f\n"):format(i, seconds)) end
for _, row in ipairs(kinds[kind]()) do
  io.stderr:write(("calls %s %d %.3f\n"):format(row[1]:match "[^/]*$", row[2], row[3]))
end
