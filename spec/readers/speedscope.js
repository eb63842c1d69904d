// Has speedscope's own importer read files, and prints what it made of each: a line of JSON with its `unit`, its `total`,
// and by the names of functions their `self` and `total` weights; or "problem".
//
//     node speedscope.js NODE_MODULES FILE...
//
// The package holds a page, no library: its script is run without one, up to where it has told us its importer.
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require("fs"), path = require("path"), vm = require("vm");

const release = path.join(process.argv[2], "speedscope/dist/release");
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
let code = fs.readFileSync(path.join(release, script), "utf8");

// What a page is told to call for a file: loadFileFromBase64 calls loadProfile with it.
const importer = /loadFileFromBase64:\(([\w$]+),([\w$]+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)/.exec(code)[3];
code = code.replace(/^"use strict";\(\(\)=>\{/, (head) => `${head}globalThis.read=(...file)=>${importer}(...file);`);

// A page of which anything may be asked.
const anything = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => "" : anything),
  set: () => true, apply: () => anything, construct: () => anything, has: () => true,
});
const said = [];
const page = {
  document: anything, location: { hash: "", protocol: "file:" }, addEventListener() {}, setTimeout() {},
  requestAnimationFrame() {}, console: { log: (text) => said.push(text), warn: (text) => said.push(text), error() {} },
  atob, btoa, TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, File, Blob, URL, performance,
};
page.window = page.self = page.globalThis = page;
vm.createContext(page);
try { vm.runInContext(code, page); } catch { /* it wanted to be drawn */ }

function describe(profile) {
  const self = {}, total = {};
  profile.forEachFrame((frame) => {
    self[frame.name] = (self[frame.name] || 0) + frame.getSelfWeight();
    total[frame.name] = frame.getTotalWeight();
  });
  return { unit: profile.getWeightUnit(), weight: profile.getTotalWeight(), self, total, said: said.join("; ") };
}

(async () => {
  for (const file of process.argv.slice(3)) {
    said.length = 0;
    try {
      const group = await page.read(path.basename(file), fs.readFileSync(file).toString("base64"));
      console.log(JSON.stringify(group ? describe(group.profiles[group.indexToView]) : { problem: "not recognised" }));
    } catch (problem) {
      console.log(JSON.stringify({ problem: String(problem) }));
    }
  }
})();
