#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel for musl: made where there is a CPython for musl, and its absence is said where there is none. And what
# scripts/packaging/build_python refuses, and leaves as it is. Interpreters and compilers are made up.
#   check_musl_python.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-musl-python.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/tree
bin=$work/bin
mkdir -p "$tree/scripts/lib" "$tree/scripts/packaging" "$tree/.venv/bin" "$bin"
cp "$source_dir"/scripts/lib/{common.sh,needs.sh,test_python.sh,package_common.sh,package_python.sh,package_library.sh} "$tree/scripts/lib/"
cp "$source_dir/scripts/packaging/build_python" "$tree/scripts/packaging/"
for tool in bash env dirname mkdir rm sed head cat uname; do ln -s "$(command -v "$tool")" "$bin/$tool"; done

fail() {
    printf 'check_musl_python: %s\n' "$*" >&2
    cat "$work/output" >&2
    exit 1
}
said() { grep -qF -- "$1" "$work/output" || fail "missing in its output: $1"; }

# interpreter FILE STATUS: one that answers every question with STATUS.
interpreter() {
    mkdir -p "${1%/*}"
    printf '#!%s\nexit %s\n' "$BASH" "$2" >"$1"
    chmod +x "$1"
}
interpreter "$tree/.venv/bin/python" 0

# package [VARIABLE=VALUE]: the step python for both processors; it says which wheels it would build.
package() {
    # shellcheck disable=SC2016  # expanded by the new shell
    env -i PATH="$bin" root="$tree" "$@" "$BASH" -euo pipefail -c '
        dist=$root/dist work=$root/work library=$root/library version=1.2.3 targets=(x86_64 aarch64)
        mkdir -p "$work"
        source "$root/scripts/lib/common.sh"
        source "$root/scripts/lib/package_common.sh"
        source "$root/scripts/lib/package_python.sh"
        need_library() { echo "library $1"; }
        build_wheel() { echo "wheel $1 by $2"; }
        package_python' >"$work/output" 2>&1 || fail "package_python: exit status $?"
}

package
said 'wheel aarch64 by'
said 'no wheel for musl: there is no CPython for musl'
if grep -qE '^(library|wheel) [a-z0-9_]*-musl' "$work/output"; then fail 'something was made for musl'; fi
# One for glibc is not taken for it.
interpreter "$work/python" 1
package GPUSTREAM_MUSL_PYTHON="$work/python"
said 'no wheel for musl: there is no CPython for musl'
interpreter "$work/python" 0
package GPUSTREAM_MUSL_PYTHON="$work/python"
for target in x86_64-musl aarch64-musl; do
    said "library $target"
    said "wheel $target by $work/python"
done
interpreter "$tree/build/python-musl/bin/python3.13" 0
package
said "wheel x86_64-musl by $tree/build/python-musl/bin/python3.13"

# build STATUS ARGUMENTS...: a machine without apt-get, so nothing is ever compiled.
build() {
    local wanted=$1 status=0
    shift
    env -i PATH="$bin" "$BASH" "$tree/scripts/packaging/build_python" "$@" >"$work/output" 2>&1 || status=$?
    [[ $status -eq $wanted ]] || fail "build_python $*: exit status $status, not $wanted"
}
build 2 musl
build 2 glibc "$work/new"
said 'usage: build_python free-threaded|musl FOLDER'
[[ ! -e $work/new ]] || fail 'a folder was made for a kind that does not exist'
build 1 musl "$work/new"
said 'missing musl-gcc (musl-tools)'
build 1 free-threaded "$work/new"
said 'missing headers of zlib, OpenSSL or libffi'
interpreter "$work/there/bin/python3.13" 0
build 0 musl "$work/there"
said "$work/there/bin/python3.13"
build 1 free-threaded "$work/there"
interpreter "$work/there/bin/python3.13t" 0
build 0 free-threaded "$work/there"
said "$work/there/bin/python3.13t"
echo 'the wheel for musl is made where it can be'
