// SPDX-License-Identifier: Apache-2.0
'use strict';
// The addon of this processor, in a package with addons for several.
const { existsSync, readdirSync } = require('node:fs');
const path = require('node:path');

const wanted = `${process.platform}-${process.arch}`;
const file = path.join(__dirname, wanted, 'gpustream.node');
if (!existsSync(file)) {
  const there = readdirSync(__dirname).filter((name) => existsSync(path.join(__dirname, name, 'gpustream.node')));
  throw new Error(`gpustream has no addon for ${wanted}; this package has ${there.join(', ')}`);
}
module.exports = require(file);
