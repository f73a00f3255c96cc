#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The archive for systems with musl: unpacked, a program in C compiled against it and run, and its command, both by musl's own
# loader; then the parity cases with its library. The network is closed.
#   tests/packages/install_musl.sh DIST [PROCESSOR [COMMAND...]]
# COMMAND runs a program for another processor (qemu-aarch64 -L FOLDER).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
dist=$1 machine=${2:-$(uname -m)}
shift $(($# < 2 ? $# : 2))
run=("$@")
if [[ ${#run[@]} -eq 0 && ! -e /lib/ld-musl-$machine.so.1 ]]; then
    die "there is no loader of musl for $machine (Debian's package musl)" 3
fi
version=$(python3 "$root/scripts/packaging/version.py" "$root")
zig=$(compgen -G "$root/.venv/lib/python3*/site-packages/ziglang/zig" | head -n 1)
place=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-musl.XXXXXX")
trap 'rm -rf "$place"' EXIT
tar -xzf "$dist/c/gpustream-$version-linux-$machine-musl.tar.gz" -C "$place" --strip-components=1

"$zig" cc -target "$machine-linux-musl" -dynamic -fPIE -O1 -I"$place/include" "$root/tests/consumer/consumer.c" -o "$place/consumer" \
    "$place/lib/libgpustream.so" -Wl,-rpath,"$place/lib"
for program in "$place/consumer" "$place/bin/gpustream"; do
    loader=$(readelf -lW "$program" | sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
    [[ $loader == /lib/ld-musl-$machine.so.1 ]] || die "$program is run by ${loader:-no loader}"
done
closed=()
[[ $(id -u) -ne 0 ]] || closed=(unshare --net)
GPUSTREAM_BACKEND=host "${closed[@]}" "${run[@]}" "$place/consumer"
GPUSTREAM_BACKEND=host "${closed[@]}" "${run[@]}" "$place/bin/gpustream" info
"$root/tests/packages/parity" "$machine-linux-musl" "$place/lib/libgpustream.so.0" "${run[@]}"
