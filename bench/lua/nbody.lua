-- Moves five bodies.
local function body(x, y, z, vx, vy, vz, mass)
  return { x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, mass = mass }
end

local bodies <const> = { body(0, 0, 0, 0, 0, 0, 39.47), body(4.84, -1.16, -0.10, 0.6, 2.8, -0.02, 0.037),
  body(8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011), body(12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017),
  body(15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002) }

local function attract(a, b, dt)
  local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
  local squared = dx * dx + dy * dy + dz * dz
  local force = dt / (squared * math.sqrt(squared))
  a.vx, a.vy, a.vz = a.vx - dx * b.mass * force, a.vy - dy * b.mass * force, a.vz - dz * b.mass * force
  b.vx, b.vy, b.vz = b.vx + dx * a.mass * force, b.vy + dy * a.mass * force, b.vz + dz * a.mass * force
end

local function move(a, dt) a.x, a.y, a.z = a.x + dt * a.vx, a.y + dt * a.vy, a.z + dt * a.vz end

local function advance(dt)
  for i = 1, #bodies do
    for j = i + 1, #bodies do attract(bodies[i], bodies[j], dt) end
  end
  for i = 1, #bodies do move(bodies[i], dt) end
end

local function energy()
  local sum = 0
  for i, a in ipairs(bodies) do
    sum = sum + a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz) / 2
    for j = i + 1, #bodies do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      sum = sum - a.mass * b.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return sum
end

local function moving() for _ = 1, 30000 do advance(0.01) end end
local function measuring() for _ = 1, 60000 do energy() end end
return { moving, measuring }
