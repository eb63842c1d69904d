--- Why there is not what somebody looked for: what is likely. It is loaded where that is
-- so.
--
-- @internal gprof.diagnosis
-- SPDX-License-Identifier: GPL-3.0-or-later

local diagnosis = {}

local MOST_NAMES <const> = 3  -- that a message lists

--- What a symspec that matches nothing may have been meant for: clones, which bear the
-- function's name with a dot and more behind it.
-- @tparam image image
-- @tparam string spec
-- @treturn string|nil "the compiler made work.isra.0 of it"
function diagnosis.clones(image, spec)
  if spec:find "[^%w_$]" then return nil end
  local names, more, seen = {}, 0, {}
  for symbol in image:symbols(nil, "symbol") do
    if symbol:sub(1, #spec + 1) == spec .. "." and not seen[symbol] then
      seen[symbol] = true
      if #names < MOST_NAMES then names[#names + 1] = symbol else more = more + 1 end
    end
  end
  if not names[1] then return nil end
  return ("the compiler made %s%s of it"):format(table.concat(names, ", "),
    more > 0 and (" and %d more"):format(more) or "")
end

return diagnosis
