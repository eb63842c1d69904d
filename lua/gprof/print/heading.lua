--- Headings of reports.
--
-- @internal gprof.print.heading
-- SPDX-License-Identifier: GPL-3.0-or-later

--- A heading, in colours if the report is: only then they are loaded.
-- @tparam table options of the report; `color`
-- @tparam string text or format, of one line
-- @treturn string
return function(options, text)
  return options.color and require "gprof.print.color".heading(text) or text
end
