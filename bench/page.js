// Enlarges an HTML page to 100,000 functions with 300,000 arcs, and a call tree of 1,000,000 nodes: more than we put
// into a page.
//
//     node page.js SOURCE TARGET
//
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
const fs = require("fs");

const FUNCTIONS = 100000,
  NODES = 1000000,
  WEIGHT = 1e9; // of the tree

const [source, target] = process.argv.slice(2);
const page = fs.readFileSync(source, "utf8");
const [, head, json, tail] = /^(.*<script type="application\/json" id="data">)(.*?)(<\/script>.*)$/s.exec(page);
const data = JSON.parse(json);

// Always the same numbers from 0 to 1.
let seed = 1;
function random() {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return seed / 0x7fffffff;
}

const rounded = (number) => Number(number.toPrecision(7)); // as in our pages
const column = (count, value) => Array.from({ length: count }, (_, i) => value(i));

function makeFunctions() {
  const values = {
    name: (i) => `module_${i % 97}::Class${i % 613}::method_${i}(int, char const*)`,
    self: () => Math.floor(1000 * random() ** 8) / 100,
    self_error: () => 0.01,
    children: () => rounded(10 * random()),
    calls: (i) => i,
    self_calls: () => 0,
    line: (i) => (i % 500) + 1,
    file: (i) => i % data.files.length,
    cycle: () => -1,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, column(FUNCTIONS, value)]));
}

// Each function but the first has three callers.
function makeArcs() {
  const count = 3 * (FUNCTIONS - 1),
    callee = (arc) => 1 + Math.floor(arc / 3);
  return {
    caller: column(count, (arc) => Math.floor(callee(arc) * random())),
    callee: column(count, callee),
    count: column(count, callee),
    self: column(count, () => 1),
    children: column(count, () => 1),
  };
}

// Divides the weight of a node, but for the node's own part, among up to eight callees.
function divide(weight) {
  const parts = [];
  let rest = 0.97 * weight;
  for (let left = 1 + Math.floor(8 * random()); left > 0 && rest >= 1; left--) {
    const part = left === 1 ? rest : Math.floor(rest * random());
    rest -= part;
    if (part >= 1) parts.push(part);
  }
  return parts.sort((a, b) => a - b);
}

// Depth first, the heaviest callees first.
function makeTree(total) {
  const tree = { frame: [], parent: [], weight: [], others: [], parts: WEIGHT / total };
  const stack = [[-1, WEIGHT]];
  while (tree.frame.length < NODES && stack.length > 0) {
    const [parent, weight] = stack.pop(),
      node = tree.frame.length;
    tree.frame.push(node === 0 ? -1 : Math.floor(random() * FUNCTIONS));
    tree.parent.push(parent);
    tree.weight.push(Math.floor(weight));
    for (const part of divide(weight)) stack.push([node, part]);
  }
  return tree;
}

const functions = makeFunctions(),
  total = functions.self.reduce((sum, time) => sum + time, 0);
const large = {
  ...data,
  functions,
  total,
  arcs: makeArcs(),
  tree: makeTree(total),
  cycles: [],
  labels: {},
  sources: [],
  lines: Object.fromEntries(Object.keys(data.lines).map((name) => [name, []])),
};
fs.writeFileSync(target, head + JSON.stringify(large).replace(/</g, "\\u003c") + tail);
