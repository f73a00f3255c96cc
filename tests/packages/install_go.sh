#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Go module of dist/go, taken from there as from a proxy into a new module with an empty cache and the network closed.
#   tests/packages/install_go.sh DIST LIBRARY
# What the module depends on comes from the cache of this machine, where scripts/test go has put it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
dist=$(realpath "$1") library=$(realpath "$2")
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
unset LD_LIBRARY_PATH
depends=$(go env GOMODCACHE)/cache/download
export GPUSTREAM_BACKEND=host GOPROXY="file://$dist/go,file://$depends" GOSUMDB=off GOFLAGS=-modcacherw GOTOOLCHAIN=local
export GOMODCACHE=$place/modules GOCACHE=$place/cache GOWORK=off
mkdir "$place/program"
cd "$place/program"

guide_program go go >main.go
offline go mod init example.com/first-program
module=$(sed -n 's/^module //p' "$root/bindings/go/go.mod")
version=$(cat "$dist/go/$module/@v/list")
offline go get "$module@$version"
for cgo in 0 1; do
    CGO_ENABLED=$cgo offline go build -o program .
    [[ $(GPUSTREAM_LIBRARY=$library ./program) == 'done: true' ]]
    fails_with "$place/absent.so.0" env GPUSTREAM_LIBRARY="$place/absent.so.0" ./program
done
offline go vet .
offline go mod verify
cmp "$root/LICENSE" "$place/modules/$module@$version/LICENSE"
echo "column $(go env GOVERSION)"
echo 'go: the module runs with and without cgo'
