-- After Martin Richards: tasks that send each other packets.
local Task = {}
Task.__index = Task

local tasks, held = {}, 0

function Task.new(id, run) tasks[id] = setmetatable({ id = id, run = run, queue = {}, first = 1, count = 0 }, Task) end
function Task:put(packet)
  self.queue[self.first + self.count] = packet
  self.count = self.count + 1
end
function Task:take()
  local packet = self.queue[self.first]
  self.queue[self.first] = nil
  self.first, self.count = self.first + 1, self.count - 1
  return packet
end

local function checksum(packet)
  local sum = 0
  for i = 1, #packet.data do sum = (sum * 31 + packet.data[i]) % 65521 end
  return sum
end

local function work(task, packet)
  for i = 1, #packet.data do packet.data[i] = (packet.data[i] + task.id) % 26 end
  packet.to = packet.to % 6 + 1
  tasks[packet.to]:put(packet)
end

local function device(_, packet)
  held = held + checksum(packet)
  packet.to = packet.to % 6 + 1
  tasks[packet.to]:put(packet)
end

for id = 1, 6 do Task.new(id, id % 2 == 0 and device or work) end

local function schedule(turns)
  for _ = 1, turns do
    for id = 1, #tasks do
      local task = tasks[id]
      if task.count > 0 then task.run(task, task:take()) end
    end
  end
end

local function filling()
  for i = 1, 20000 do
    local data = {}
    for j = 1, 8 do data[j] = i % j end
    if i <= 30 then tasks[1]:put { to = 1, data = data } end
  end
end
local function scheduling() schedule(60000) end
return { filling, scheduling }
