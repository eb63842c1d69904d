-- An output handler for busted: plainTerminal with a last line that scripts can parse.
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
