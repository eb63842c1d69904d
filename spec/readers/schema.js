// Validates files against a schema with ajv. Prints "valid" or the first errors for each file.
//
//     node schema.js NODE_MODULES SCHEMA FILE...
//
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require("fs"), path = require("path");

const Ajv = require(path.join(process.argv[2], "ajv")).default;
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const validate = new Ajv({ strict: false }).compile(read(process.argv[3]));

for (const file of process.argv.slice(4)) {
  console.log(validate(read(file)) ? "valid" : JSON.stringify(validate.errors.slice(0, 3)));
}
