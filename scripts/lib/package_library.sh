# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The libraries that all packages contain: libgpustream.so.0 and libgpustream_tools.so.0, stripped, and NAME.debug beside each. The
# command and its front, for the packages with the command, likewise. And
# those for musl, in a folder PROCESSOR-musl, which the archive for C contains.
: "${root:?}" "${library:?}" "${targets[*]:?}"

# The oldest C library that packages run with: that of manylinux_2_17 (RHEL 7, Debian 8 and everything later).
glibc=2.17

package_library() {
    local target
    for target in "${targets[@]}" "${targets[@]/%/-musl}"; do
        need_library "$target"
    done
}

# zig_target PROCESSOR|PROCESSOR-musl: zig's name of it.
zig_target() {
    case $1 in
        *-musl) printf '%s-linux-musl\n' "${1%-musl}" ;;
        *) printf '%s-linux-gnu.%s\n' "$1" "$glibc" ;;
    esac
}

# build_library x86_64|aarch64|x86_64-musl|aarch64-musl [TREE [FOLDER]]: from TREE, another copy of the sources, into FOLDER.
build_library() {
    local target=$1 tree=${2:-$root} out=${3:-$library/$1} build
    build=$tree/build/package/build-$target
    cmake -G Ninja -S "$tree" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$root/cmake/Zig.cmake" \
        -DGPUSTREAM_ZIG_TARGET="$(zig_target "$target")" -DGPUSTREAM_CUDA=ON -DGPUSTREAM_CUDA_INCLUDE_DIR="$(oldest_cuda_headers)" \
        -DGPUSTREAM_BUILD_TESTS=OFF -DGPUSTREAM_BUILD_EXAMPLES=OFF -DGPUSTREAM_INSTALL=ON -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-Os -g -DNDEBUG" -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--hash-style=gnu \
        -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON >"$build.log" || {
        cat "$build.log"
        return 1
    }
    cmake --build "$build" --parallel "$(jobs)" --target gpustream gpustream_command
    fresh "$out"
    split_debug "$build/libgpustream.so.0" "$out/libgpustream.so.0"
    split_debug "$build/libgpustream_tools.so.0" "$out/libgpustream_tools.so.0"
    split_debug "$build/bin/gpustream" "$out/gpustream"
    local part
    for part in front simulated; do split_debug "$build/gpustream/$part/libcuda.so.1" "$out/gpustream-$part.so"; done
}

# Those of 12.8: the release is pinned, so the library is the same wherever it is built.
oldest_cuda_headers() { compgen -G "$root/.venv/lib/python3*/site-packages/nvidia/cuda_runtime/include" | head -n 1; }

# split_debug FROM TO: TO without symbols, which go to TO.debug.
split_debug() {
    "$(llvm_objcopy)" --only-keep-debug "$1" "$2.debug"
    chmod a-x "$2.debug"
    (cd "$(dirname "$2")" && "$(llvm_objcopy)" --strip-all --add-gnu-debuglink="$(basename "$2").debug" "$1" "$2")
}

# It reads objects for all processors, which the distribution's objcopy does not.
llvm_objcopy() {
    local version
    for version in '' -{25..13}; do
        if has "llvm-objcopy$version"; then
            printf 'llvm-objcopy%s\n' "$version"
            return 0
        fi
    done
    return 1
}

# The goal of 600,000 bytes is missed; docs/guide/install.md says what was tried and what it would cost.
check_library() {
    "$root/tests/consumer/check_link.sh" "$library/$1/libgpustream.so.0"
    local c_library=(--glibc "$glibc") largest=835000 largest_tools=240000
    [[ $1 != *-musl ]] || c_library=(--musl) largest=840000
    python3 "$root/tests/packages/check_library.py" "${c_library[@]}" --machine "${1%-musl}" --largest "$largest" \
        "$library/$1/libgpustream.so.0"
    "$root/tests/consumer/check_link.sh" "$library/$1/libgpustream_tools.so.0"
    python3 "$root/tests/packages/check_library.py" "${c_library[@]}" --machine "${1%-musl}" --largest "$largest_tools" --tools \
        "$library/$1/libgpustream_tools.so.0"
}

# check_portable FILE: native code of a binding needs the C library alone, none of its versions after the oldest, and at most
# libgpustream beside it.
check_portable() {
    local needed newest
    needed=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^((libc|libm|libdl|libpthread|libgpustream|ld-linux[-a-z0-9_]*)\.so\.[0-9]+)$' || true)
    [[ -z $needed ]] || die "$1 needs $needed"
    newest=$(readelf -VW "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
    [[ $(printf '%s\n' "GLIBC_$glibc" "$newest" | sort -V | tail -n 1) == "GLIBC_$glibc" ]] || die "$1 needs $newest"
}
