-- A scheduler of coroutines: producers, filters and consumers that pass numbers.
local ready = {}
local function spawn(f, ...)
  local arguments = table.pack(...)
  ready[#ready + 1] = coroutine.create(function() return f(table.unpack(arguments)) end)
end

local function run()
  while #ready > 0 do
    local alive = {}
    for _, co in ipairs(ready) do
      assert(coroutine.resume(co))
      if coroutine.status(co) ~= "dead" then alive[#alive + 1] = co end
    end
    ready = alive
  end
end

local function compute(n)
  local x = n
  for i = 1, 60 do x = (x * 1103515245 + i) % 2147483648 end
  return x
end

local function produce(channel, count)
  for i = 1, count do
    channel[#channel + 1] = compute(i)
    coroutine.yield()
  end
  channel.closed = true
end

local function filter(from, to)
  while not (from.closed and #from == 0) do
    local value = table.remove(from, 1)
    if value and compute(value) % 3 > 0 then to[#to + 1] = value end
    coroutine.yield()
  end
  to.closed = true
end

local function consume(channel)
  local sum = 0
  while not (channel.closed and #channel == 0) do
    sum = sum + compute(table.remove(channel, 1) or 0)
    coroutine.yield()
  end
  return sum
end

local function pipeline(count, length)
  for _ = 1, count do
    local a, b = {}, {}
    spawn(produce, a, length)
    spawn(filter, a, b)
    spawn(consume, b)
  end
  run()
end

local function long() pipeline(10, 2500) end
local function short() pipeline(2000, 6) end
return { long, short }
