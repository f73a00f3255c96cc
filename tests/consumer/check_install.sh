#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a new folder, moves that folder, and builds and runs a consumer from it.
#   check_install.sh BUILD_DIR find_package|pkg-config VERSION CC CXX [--component NAME]... [--broken PART TEXT]
# --component asks find_package for more. --broken spoils one part of the moved tree (header, cpp_header, library, config,
# cuda, pc, command, version, nothing); the check must then fail with TEXT.
set -euo pipefail

build=$1 way=$2 version=$3 cc=$4 cxx=$5
shift 5
broken=''
text=''
components=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --component) components+=("$2") && shift 2 ;;
        --broken) broken=$2 text=$3 && shift 3 ;;
        *) echo "unknown option: $1" >&2 && exit 2 ;;
    esac
done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-consumer.XXXXXX")
trap 'rm -rf "$work"' EXIT

install_and_move() {
    cmake --install "$build" --prefix "$work/first" >"$work/install.log"
    mv "$work/first" "$work/moved"
    prefix=$work/moved
    libdir=$(dirname "$(find "$prefix" -name libgpustream.so.0)")
}

spoil() {
    case $broken in
        '' | nothing | version) ;;
        header) rm "$prefix/include/gpustream.h" ;;
        cpp_header) rm "$prefix/include/gpustream/stream.hpp" ;;
        cuda) sed -i 's/^if("\(ON\|TRUE\|1\)")$/if("OFF")/' "$libdir/cmake/gpustream/gpustream-config.cmake" ;;
        library) rm "$libdir"/libgpustream.so* ;;
        config) rm "$libdir/cmake/gpustream/gpustream-config.cmake" ;;
        command) rm "$prefix/bin/gpustream" ;;
        pc) rm "$libdir/pkgconfig/gpustream.pc" ;;
        *) echo "unknown part: $broken" >&2 && exit 2 ;;
    esac
}

build_with_find_package() {
    local wanted=$version
    [[ $broken == version ]] && wanted=99.0
    cmake -G Ninja -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" -DMORE_COMPONENTS="$(IFS=';' && echo "${components[*]}")" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DWANTED_VERSION="$wanted" || return 1
    cmake --build "$work/build" || return 1
    consumers=("$work/build/consumer" "$work/build/consumer_cpp")
}

build_with_pkg_config() {
    local flags
    export PKG_CONFIG_LIBDIR=$libdir/pkgconfig
    # Paths below a system prefix are left out by pkg-config's default; the consumer must get them all.
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    pkg-config --print-errors --exists "gpustream = $version" || return 1
    flags=$(pkg-config --cflags --libs gpustream) || return 1
    # shellcheck disable=SC2086  # the flags are words
    "$cc" -std=c99 -Wall -Wextra -pedantic -Werror "$here/consumer.c" $flags -o "$work/consumer" || return 1
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 -Wall -Wextra -pedantic -Werror "$here"/consumer*.cpp $flags -o "$work/consumer_cpp" || return 1
    consumers=("$work/consumer" "$work/consumer_cpp")
    export LD_LIBRARY_PATH=$libdir
}

check() {
    local consumer loaded said
    case $way in
        find_package) build_with_find_package || return 1 ;;
        pkg-config) build_with_pkg_config || return 1 ;;
        *) echo "unknown way: $way" && return 1 ;;
    esac
    for consumer in "${consumers[@]}"; do
        loaded=$(ldd "$consumer" | sed -n 's/^[[:space:]]*libgpustream\.so\.0 => \([^ ]*\).*/\1/p')
        if [[ ! $loaded -ef $libdir/libgpustream.so.0 ]]; then
            echo "the consumer loads '$loaded', not the installed library" && return 1
        fi
        said=$("$consumer") || return 1
        if [[ $said != "consumer of gpustream $version" ]]; then
            echo "the consumer said '$said'" && return 1
        fi
    done
}

install_and_move
spoil
if check >"$work/log" 2>&1; then
    if [[ -n $broken ]]; then
        echo "spoiled part '$broken' was not noticed" && exit 1
    fi
    echo "consumer by $way built from the moved install tree and ran"
elif [[ -z $broken ]]; then
    cat "$work/log" && exit 1
elif ! grep -qF -- "$text" "$work/log"; then
    cat "$work/log"
    echo "spoiled part '$broken' was noticed, but without the text: $text" && exit 1
else
    echo "spoiled part '$broken' was noticed: $text"
fi
