-- After DeltaBlue: chains of variables with one-way constraints, of which a plan is made and executed.
local Variable, Constraint = {}, {}
Variable.__index, Constraint.__index = Variable, Constraint

function Variable.new(value) return setmetatable({ value = value, uses = {}, mark = 0 }, Variable) end
function Variable:add(constraint) self.uses[#self.uses + 1] = constraint end

function Constraint.new(from, to, scale, offset)
  local new = setmetatable({ from = from, to = to, scale = scale, offset = offset }, Constraint)
  from:add(new)
  return new
end
function Constraint:execute() self.to.value = self.from.value * self.scale + self.offset end
function Constraint:is_new(mark) return self.to.mark ~= mark end

local mark = 0
local function plan_from(variable)
  mark = mark + 1
  local plan, open = {}, { variable }
  while #open > 0 do
    local next_one = table.remove(open)
    for _, constraint in ipairs(next_one.uses) do
      if constraint:is_new(mark) then
        constraint.to.mark = mark
        plan[#plan + 1] = constraint
        open[#open + 1] = constraint.to
      end
    end
  end
  return plan
end

local function execute(plan) for i = 1, #plan do plan[i]:execute() end end

local function chain(length)
  local first = Variable.new(1)
  local last = first
  for i = 1, length do
    local added = Variable.new(0)
    Constraint.new(last, added, 1, i % 3)
    last = added
  end
  return first
end

local first = chain(1000)
local function building() for _ = 1, 150 do chain(1000) end end
local function planning() for _ = 1, 300 do plan_from(first) end end
local function executing()
  local plan = plan_from(first)
  for _ = 1, 3000 do execute(plan) end
end
return { building, planning, executing }
