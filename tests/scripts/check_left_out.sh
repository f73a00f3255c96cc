#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Languages whose toolchain is missing: scripts/test says so and goes on with the others; with CI=true it fails. The
# machine is one folder of commands, and the library is not built.
#   check_left_out.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-left-out.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/tree
bin=$work/bin

fail() {
    printf 'check_left_out: %s\n' "$*" >&2
    cat "$work/output" >&2
    exit 1
}

mkdir -p "$tree/scripts/lib" "$bin"
cp "$source_dir"/scripts/lib/{common.sh,needs.sh,steps.sh,summary.py,test_go.sh,test_node.sh,test_fortran.sh,test_zig.sh} "$tree/scripts/lib/"
cp "$source_dir/scripts/test" "$tree/scripts/"
mkdir -p "$tree/bindings/go"
cp "$source_dir/bindings/go/go.mod" "$tree/bindings/go/"
# What the languages load is made up, as is what runs before them.
# shellcheck disable=SC2016  # expanded when it runs
printf '%s\n' 'core_library_step() { step library echo "for ${parts[*]}"; }' 'core_steps() { step core true; }' >"$tree/scripts/lib/test_core.sh"
for name in bootstrap generate prose; do
    printf '#!%s\necho %s\n' "$BASH" "$name" >"$tree/scripts/$name"
    chmod +x "$tree/scripts/$name"
done
for tool in bash env dirname sed grep sort head cat tee mkdir rm; do
    ln -s "$(command -v "$tool")" "$bin/$tool"
done

ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$bin/python3" # not a wrapper that needs more commands

run() { # CI; the exit status goes to $status
    status=0
    env -i PATH="$bin" HOME="$work" CI="$1" "$BASH" "$tree/scripts/test" --all >"$work/output" 2>&1 </dev/null || status=$?
}
said() { grep -qE -- "$1" "$work/output" || fail "missing in its output: $1"; }

run ''
said '^skipped: 1 in go: no Go [0-9.]+ or newer here'
said '^skipped: 1 in node: no Node 20 or newer'
said '^skipped: 1 in fortran: no gfortran 12 or newer here'
said '^skipped: 1 in zig: no Zig 0.17 or newer here'
! grep -q '== library' "$work/output" || fail 'the library is built although no language wants it'

# One compiler is there: its language runs, and fails here as there is no library; the others are still left out.
printf '#!%s\n[[ $1 == -dumpfullversion ]] && echo 12.2.0\n' "$BASH" >"$bin/gfortran"
chmod +x "$bin/gfortran"
run ''
said '^library +ok'
said '^fortran-compile +'
! grep -q '^skipped: 1 in fortran:' "$work/output" || fail 'Fortran was left out beside its compiler'
said '^skipped: 1 in zig:'
# An older one is none.
printf '#!%s\n[[ $1 == -dumpfullversion ]] && echo 11.4.0\n' "$BASH" >"$bin/gfortran"
run ''
said '^skipped: 1 in fortran:'

# CI=true installs them all. Where the installation fails, the run fails.
run true
[[ $status -ne 0 ]] || fail 'CI=true was content without the languages'
said '^skip not allowed: zig: the whole step: no Zig 0.17 or newer here'
echo 'languages are left out where they have to be'
