#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Zig package of dist/zig, fetched into a new project with empty caches and the network closed.
#   tests/packages/install_zig.sh DIST LIBRARY
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/packages/offline.sh
source "$root/tests/packages/offline.sh"
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"
package=$(compgen -G "$(realpath "$1")/zig/gpustream-zig-*.tar.gz") library=$(realpath "$2")
read -ra zig <<<"$(find_zig)"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset LD_LIBRARY_PATH
export GPUSTREAM_BACKEND=host ZIG_GLOBAL_CACHE_DIR=$place/global ZIG_LOCAL_CACHE_DIR=$place/local
mkdir -p "$place/program/src"
cd "$place/program"

guide_program zig zig >src/main.zig
cat >build.zig <<'END'
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const library = b.option([]const u8, "library", "The file libgpustream.so.0").?;
    const gpustream = b.dependency("gpustream", .{ .target = target, .library = library });
    const root = b.createModule(.{ .root_source_file = b.path("src/main.zig"), .target = target });
    root.addImport("gpustream", gpustream.module("gpustream"));
    b.installArtifact(b.addExecutable(.{ .name = "program", .root_module = root }));
}
END
# Its fingerprint: the CRC-32 of the name, and any number.
fingerprint=$(python3 -c 'import zlib; print(hex(zlib.crc32(b"program") << 32 | 1))')
cat >build.zig.zon <<END
.{
    .name = .program,
    .version = "0.0.0",
    .fingerprint = $fingerprint,
    .dependencies = .{},
    .paths = .{""},
}
END
offline "${zig[@]}" fetch --save=gpustream "file://$package"
offline "${zig[@]}" build -Dlibrary="$library"
LD_LIBRARY_PATH=${library%/*} offline ./zig-out/bin/program
echo "column Zig $("${zig[@]}" version)"
echo 'zig: the package runs with the packaged library'
