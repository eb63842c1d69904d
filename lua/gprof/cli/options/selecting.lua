--- The options of a command line that change figures and names in all reports. A page has
-- them, for the commands that print the same.
--
-- @internal gprof.cli.options.selecting
-- SPDX-License-Identifier: GPL-3.0-or-later

--- Returns these options as words.
-- @tparam {table,...} given pairs of an option, from the table of options, and its
--   argument or nil
-- @treturn {string,...}
return function(given)
  local words = {}
  for _, pair in ipairs(given) do
    local option, argument = pair[1], pair[2]
    if option.selects then
      words[#words + 1] = option.long and "--" .. option.long ..
        (argument and "=" .. argument or "") or "-" .. option.short .. (argument or "")
    end
  end
  return words
end
