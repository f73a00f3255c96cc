// SPDX-License-Identifier: Apache-2.0
// Prints the package.json that is published: node_package.mjs FILE VERSION PROCESSOR...
// What only a build in the tree needs is left out, and what the addons need of a machine is added.
import { readFileSync } from 'node:fs';

const [file, version, ...processors] = process.argv.slice(2);
const { devDependencies, scripts, files, ...kept } = JSON.parse(readFileSync(file, 'utf8'));
if (kept.version !== version) throw new Error(`${file} says ${kept.version}, not ${version}`);
const published = { ...kept, cpu: processors, libc: ['glibc'], files: ['build', 'index.mjs', 'index.d.mts'] };
process.stdout.write(`${JSON.stringify(published, null, 2)}\n`);
