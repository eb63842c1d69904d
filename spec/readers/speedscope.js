// Imports files with speedscope's own importer. Prints a line of JSON for each file: the `unit`, the total `weight`,
// the `self` and `total` weights by function name, and the importer's messages (`said`); or the `problem`.
//
//     node speedscope.js NODE_MODULES FILE...
//
// The package is a web page, not a library. Its script runs here in an imitation of a page, after a patch that exports
// its importer.
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require("fs"), path = require("path"), vm = require("vm");

const release = path.join(process.argv[2], "speedscope/dist/release");
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
let code = fs.readFileSync(path.join(release, script), "utf8");

// The importer is the function that loadFileFromBase64 passes to loadProfile.
const importer = /loadFileFromBase64:\(([\w$]+),([\w$]+)\)=>\{this\.loadProfile\(\(\)=>([\w$]+)\(\1,\2\)/.exec(code)[3];
code = code.replace(/^"use strict";\(\(\)=>\{/, (head) => `${head}globalThis.read=(...file)=>${importer}(...file);`);

// An object that accepts every access and call.
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
try { vm.runInContext(code, page); } catch { /* rendering fails; the importer is defined by then */ }

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
      console.log(JSON.stringify(group ? describe(group.profiles[group.indexToView]) : { problem: "not recognized" }));
    } catch (problem) {
      console.log(JSON.stringify({ problem: String(problem) }));
    }
  }
})();
