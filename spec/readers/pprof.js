// Decodes files with the package pprof-format. Prints for each file the number of samples, locations and functions, and
// whether encoding it again gives the same number of bytes.
//
//     node pprof.js NODE_MODULES FILE...
//
// SPDX-License-Identifier: GPL-3.0-or-later
const fs = require("fs"), path = require("path");

const { Profile } = require(path.join(process.argv[2], "pprof-format"));

for (const file of process.argv.slice(3)) {
  const bytes = fs.readFileSync(file), profile = Profile.decode(bytes);
  console.log(profile.sample.length, profile.location.length, profile.function.length,
    profile.encode().length === bytes.length);
}
