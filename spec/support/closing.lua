-- An output handler for busted: its plain one, and a last line that any tool can read.
-- SPDX-License-Identifier: GPL-3.0-or-later

return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.plainTerminal"(options)

  busted.subscribe({ "exit" }, function()
    print(("%d passed, %d failed, %d skipped"):format(handler.successesCount,
      handler.failuresCount + handler.errorsCount, handler.pendingsCount))
    io.stdout:flush()
    return nil, true
  end)

  return handler
end
