-- Counts vowels with the C module of letters.c.
-- SPDX-License-Identifier: GPL-3.0-or-later

local letters = require "letters"
local counts = {}
local function count(letter) counts[letter] = (counts[letter] or 0) + 1 end
for _ = 1, 1000 do letters.each_vowel("the quick brown fox", count) end
print(counts.o)
