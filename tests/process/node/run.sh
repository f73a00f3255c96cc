#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh LIBRARY FOLDER: smoke.mjs with the koffi in FOLDER/node_modules. Skips (77) when Node or koffi is missing.
# To install koffi:  npm install --prefix FOLDER koffi@2
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$1 folder=$2

skip() {
    printf 'Skipped\n%s\n\n[  SKIPPED ] process.node\n' "$1"
    exit 77
}

command -v node >/dev/null || skip "Node is not installed"
[[ -d $folder/node_modules/koffi ]] || skip "koffi is not installed (npm install --prefix .venv/node koffi@2)"
exec node "$here/smoke.mjs" "$library" "$folder"
