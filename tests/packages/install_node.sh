#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The npm package of dist/node, installed by npm into a new project with an empty cache and the network closed. The guide's
# programs run with the library that the package brings.
#   tests/packages/install_node.sh DIST
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
package=$(compgen -G "$(realpath "$1")/node/gpustream-*.tgz")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset GPUSTREAM_LIBRARY LD_LIBRARY_PATH
export GPUSTREAM_BACKEND=host npm_config_cache=$place/cache npm_config_update_notifier=false
cd "$place"

echo '{ "name": "first-program", "private": true }' >package.json
offline npm install --offline --no-audit --no-fund --loglevel error "$package"

guide_program node cjs >program.cjs
[[ $(offline node program.cjs) == 'done: true' ]]
# The types that the package brings, in the program of the guide. The compiler is a tool of the project's own.
mkdir -p node_modules/@types
ln -s "$root/bindings/node/node_modules/typescript" node_modules/typescript
ln -s "$root/bindings/node/node_modules/@types/node" node_modules/@types/node
guide_program node ts >program.mts
node node_modules/typescript/bin/tsc --strict --target es2022 --lib es2022,esnext.disposable --module node16 --types node program.mts
[[ $(offline node program.mjs) == 'done: true' ]]
cat >used.mjs <<'END'
import { readFileSync } from 'node:fs';
import { version } from 'gpustream';
if (version() === '') throw new Error('no library');
const used = readFileSync('/proc/self/maps', 'utf8').split('\n').filter((line) => line.endsWith('libgpustream.so.0'));
if (!used.every((line) => line.includes('/node_modules/gpustream/build/'))) throw new Error(used.join('\n'));
END
offline node used.mjs
echo "column Node $(node --version), npm $(npm --version)"

# Without the library, and with a machine that has no addon: a message that says what is missing.
rm node_modules/gpustream/build/gpustream.node/*/libgpustream.so.0
fails_with 'libgpustream was not found' offline node program.cjs
rm -r node_modules/gpustream/build/gpustream.node/linux-*
fails_with 'gpustream has no addon for' offline node program.cjs
echo 'node: the package runs by itself'
