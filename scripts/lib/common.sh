# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What all scripts share. Sourced with $root set to the top of the tree.
: "${root:?}"

say() { printf '== %s\n' "$*"; }
warn() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    warn "$1"
    exit "${2:-1}"
}

has() { command -v "$1" >/dev/null 2>&1; }

# version_at_least FOUND WANTED: dotted numbers.
version_at_least() { [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The first dotted number in a tool's version output.
version_of() { "$@" 2>&1 | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1 || true; }

# The distribution and its version, as one word for a file name.
system_name() {
    # shellcheck source=/dev/null
    (. /etc/os-release && printf '%s%s\n' "${ID:?}" "${VERSION_ID-}") 2>/dev/null | tr -cd 'a-z0-9\n' || echo unknown
}

jobs() { nproc 2>/dev/null || echo 2; }

# A folder with both headers that the CUDA backend is compiled against, found as in cmake/GpustreamCudaHeaders.cmake.
cuda_wheel_headers() {
    local folder
    for folder in "$root"/.venv/lib/python3*/site-packages/nvidia/*/include; do
        if [[ -f $folder/cuda.h && -f $folder/cudaTypedefs.h ]]; then
            printf '%s\n' "$folder"
            return 0
        fi
    done
    return 1
}

# With ccache, compiled objects survive clean builds; nothing depends on it.
use_ccache() {
    if has ccache; then
        export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
        # Without these it compiles every file that uses a precompiled header again.
        export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
    fi
}
