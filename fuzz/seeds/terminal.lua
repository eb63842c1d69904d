-- Control sequences, colours, characters that reorder text, in UTF-8 and other encodings.
-- SPDX-License-Identifier: GPL-3.0-or-later

return function(save)
  local texts = { "plain\ttext\n", "\27[31mred\27[0m\n", "\27]0;title\7\27[2J\27[1;8mhidden\27[m", "a\rb\r\n\f",
    "\0\127", "\u{202e}reversed\u{2069}\u{feff}\n", "\u{e4}\u{85}\xe4\x85\xc2", "\x9b31m\xe2\x80",
    ("\u{2028}"):rep(40), "\27[38;5;1mnot harmless\27[38;2;1;1;1m", "\27\27[1m[1m" }
  for _, text in ipairs(texts) do
    for locale = 0, 1 do
      for colored = 0, 1 do save(string.char(locale, colored, 0, 3, 7, 1, 63), text) end
    end
  end
end
