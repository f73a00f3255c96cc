#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How CMake reacts to good and bad settings: the CUDA headers, the sanitizers, a folder that lacks half of the headers.
#   check_configure.sh SOURCE_DIR C_COMPILER CXX_COMPILER
set -euo pipefail
source_dir=$1
export CC=$2 CXX=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-configure.XXXXXX")
trap 'rm -rf "$work"' EXIT

mkdir "$work/none" "$work/half" "$work/both"
echo '#define CUDA_VERSION 12080' | tee "$work/half/cuda.h" >"$work/both/cuda.h"
: >"$work/both/cudaTypedefs.h"

fail() {
    printf '%s\n--- output\n' "$1" >&2
    cat "$work/output" >&2
    exit 1
}

# configure ok|refused TEXT SETTINGS...: TEXT must be in the output, or with "!" in front must not be.
configure() {
    local wanted=$1 text=$2 outcome=ok
    shift 2
    cmake -S "$source_dir" -B "$work/build" -G Ninja -DGPUSTREAM_BUILD_TESTS=OFF -DGPUSTREAM_BUILD_EXAMPLES=OFF \
        -DGPUSTREAM_CUDA=OFF -DGPUSTREAM_CUDA_INCLUDE_DIR= -DGPUSTREAM_SANITIZE= "$@" >"$work/output" 2>&1 ||
        outcome=refused
    [[ $outcome == "$wanted" ]] || fail "$*: was $outcome, not $wanted"
    # CMake may break its lines anywhere.
    tr -s ' \n' ' ' <"$work/output" >"$work/line"
    if [[ $text == '!'* ]]; then
        ! grep -qF -- "${text#!}" "$work/line" || fail "$*: said: ${text#!}"
    else
        grep -qF -- "$text" "$work/line" || fail "$*: missing in its output: $text"
    fi
}

configure ok '!CUDA backend'
configure ok 'CUDA backend on, headers 12080' -DGPUSTREAM_CUDA=ON -DGPUSTREAM_CUDA_INCLUDE_DIR="$work/both"
for folder in none half; do
    configure refused 'does not have both cuda.h and cudaTypedefs.h' -DGPUSTREAM_CUDA=ON \
        -DGPUSTREAM_CUDA_INCLUDE_DIR="$work/$folder"
done

# Without a toolkit and without .venv the headers are fetched, here from a file.
mkdir -p "$work/tree" "$work/nvidia/cuda_runtime"
ln -s "$source_dir"/[!.]* "$work/tree/"
mv "$work/both" "$work/nvidia/cuda_runtime/include"
(cd "$work" && cmake -E tar cf headers.zip --format=zip nvidia)
sum=$(sha256sum "$work/headers.zip" | cut -d ' ' -f 1)
fetch=(-S "$work/tree" -B "$work/fetched" -DGPUSTREAM_CUDA=ON -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
configure refused 'absent.zip was not fetched' "${fetch[@]}" -DGPUSTREAM_CUDA_HEADERS_URL="file://$work/absent.zip#sha256=$sum"
grep -qF 'by -DGPUSTREAM_CUDA=OFF' "$work/line" || fail 'it does not say how to build without them'
configure refused "its SHA-256 is $sum" "${fetch[@]}" -DGPUSTREAM_CUDA_HEADERS_URL="file://$work/headers.zip#sha256=00"
configure ok 'CUDA backend on, headers 12080' "${fetch[@]}" -DGPUSTREAM_CUDA_HEADERS_URL="file://$work/headers.zip#sha256=$sum"
configure ok '!fetching' "${fetch[@]}"
configure refused 'must be ON or OFF' -DGPUSTREAM_CUDA=maybe
configure refused 'thread cannot be combined with address' -DGPUSTREAM_SANITIZE=address,thread
configure ok '!cannot be combined' -DGPUSTREAM_SANITIZE=address,undefined
configure refused 'needs GoogleTest and GoogleMock' -DGPUSTREAM_BUILD_TESTS=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
configure ok 'without tests; -DGPUSTREAM_BUILD_TESTS=ON or a preset builds them' -UGPUSTREAM_BUILD_TESTS -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
echo 'settings are understood or refused'
