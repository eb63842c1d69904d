// Long columns of numbers are packed into text; csrc/base/packed_numbers.h describes it.
"use strict";

const DIGITS = " !#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~",
  BASE = DIGITS.length / 2; // a digit from here on is followed by another one
const digitOf = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) digitOf[DIGITS.charCodeAt(i)] = i;
const powers = Array.from({ length: 23 }, (_, places) => 10 ** places); // those that are exact

// Returns the values of a column. The number that is read has the digits from `at` on.
function unpackedColumn(text) {
  const codes = new TextEncoder().encode(text),
    kind = text[0],
    values = [];
  let at = 1,
    last = 0;
  while (at < codes.length) {
    const first = kind === "f" ? digitOf[codes[at++]] : 2;
    if (first < 2) {
      values.push(first === 0 ? 0 : null);
      continue;
    }
    let digit = digitOf[codes[at++]],
      number = 0;
    for (let unit = 1; ; unit *= BASE) {
      if (digit < BASE) {
        number += digit * unit;
        break;
      }
      number += (digit - BASE) * unit;
      digit = digitOf[codes[at++]];
    }
    if (kind === "f") {
      const places = (first - 2) >> 1,
        size = places < powers.length ? number / powers[places] : Number(number + "e-" + places);
      values.push(first % 2 === 0 ? size : -size);
    } else {
      const integer = number % 2 === 0 ? number / 2 : -(number + 1) / 2;
      if (kind === "d") last += integer;
      values.push(kind === "d" ? last : integer);
    }
  }
  return values;
}

// Unpacks the columns in a value, and returns it.
function unpacked(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.packed === "string") return unpackedColumn(value.packed);
  // an array of numbers or names has no columns
  if (!Array.isArray(value) || typeof value[0] === "object")
    for (const key of Object.keys(value)) value[key] = unpacked(value[key]);
  return value;
}
