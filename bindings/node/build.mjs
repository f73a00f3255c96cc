// SPDX-License-Identifier: Apache-2.0
// Compiles the addon: node build.mjs. CXX names the compiler; GPUSTREAM_NODE_INCLUDE the folder with node_api.h and uv.h.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const prefix = path.dirname(path.dirname(process.execPath));
const places = [process.env.GPUSTREAM_NODE_INCLUDE, path.join(prefix, 'include/node'), '/usr/include/node'];
const headers = places.find((one) => one && existsSync(path.join(one, 'node_api.h')));
if (!headers) {
  console.error(`no node_api.h in ${places.filter(Boolean).join(', ')}: set GPUSTREAM_NODE_INCLUDE`);
  process.exit(1);
}
const native = path.join(here, 'native');
const own = [path.join(native, 'include'), path.join(here, '../../include')].find((one) => existsSync(path.join(one, 'gpustream.h')));
mkdirSync(path.join(here, 'build'), { recursive: true });
const sources = readdirSync(native).filter((name) => name.endsWith('.cpp'));
const command = ['-std=c++17', '-O2', '-shared', '-fPIC', '-fvisibility=hidden', '-Wall', '-Wextra', '-DNAPI_VERSION=8'];
command.push('-I', own, '-isystem', headers, ...sources.map((name) => path.join(native, name)));
command.push('-o', path.join(here, 'build/gpustream.node'), '-ldl');
const done = spawnSync(process.env.CXX ?? 'c++', command, { stdio: 'inherit' });
if (done.error) console.error(String(done.error));
process.exit(done.status ?? 1);
