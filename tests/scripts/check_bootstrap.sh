#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a copy of scripts/bootstrap on a machine made of one folder of commands. Its apt-get belongs to the test: it
# records how it was called and "installs" by linking the real tools.
#   check_bootstrap.sh SOURCE_DIR
set -euo pipefail

source_dir=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-bootstrap.XXXXXX")
trap 'rm -rf "$work"' EXIT
bin=$work/bin
calls=$work/calls

fail() {
    printf '%s\n' "$1" "--- output" >&2
    cat "$work/output" >&2
    exit 1
}

new_machine() { # USER_ID
    rm -rf "$bin" "$work/tree"
    mkdir -p "$bin" "$work/tree/scripts"
    cp -r "$source_dir/scripts/bootstrap" "$source_dir/scripts/lib" "$work/tree/scripts/"
    : >"$calls"
    local tool
    for tool in bash env dirname sed sort grep head cat cmp; do
        ln -s "$(command -v "$tool")" "$bin/$tool"
    done
    printf '#!%s\necho %s\n' "$BASH" "$1" >"$bin/id"
    chmod +x "$bin/id"
}

# offer_apt TOOLS...: the tools that apt-get installs.
offer_apt() {
    local tool
    {
        # shellcheck disable=SC2016  # expanded when the new apt-get runs
        printf '#!%s\necho "apt-get $*" >>"%s"\n[[ $1 == install ]] || exit 0\n' "$BASH" "$calls"
        for tool in "$@"; do
            printf 'ln -s "%s" "%s"\n' "$(command -v "$tool")" "$bin/$tool"
        done
    } | sed 's,^ln,/bin/ln,' >"$bin/apt-get"
    chmod +x "$bin/apt-get"
}

bootstrap() { # PARTS...; the exit status goes to $status
    status=0
    env -i PATH="$bin" HOME="$work" "$BASH" "$work/tree/scripts/bootstrap" "$@" >"$work/output" 2>&1 </dev/null || status=$?
}

said() { grep -qF -- "$1" "$work/output" || fail "missing in its output: $1"; }

new_machine 1000
offer_apt
bootstrap demo
[[ $status -eq 3 ]] || fail "without rights the exit status was $status, not 3"
said 'apt-get update && apt-get install -y --no-install-recommends cmake g++ ninja-build'
[[ ! -s $calls ]] || fail 'apt-get was called without rights'

new_machine 0
bootstrap demo
[[ $status -eq 3 ]] || fail "without apt-get the exit status was $status, not 3"
said 'missing: ninja'

new_machine 0
offer_apt g++ cmake ninja
bootstrap demo
[[ $status -eq 0 ]] || fail "as root the exit status was $status"
printf '%s\n' 'apt-get update -qq' 'apt-get install -qq --no-install-recommends cmake g++ ninja-build' >"$work/expected"
cmp -s "$calls" "$work/expected" || fail "apt-get was called so: $(cat "$calls")"
: >"$calls"
bootstrap demo
[[ $status -eq 0 && ! -s $calls ]] || fail 'a second run was not a plain success without apt-get'

new_machine 1000
offer_apt g++ cmake ninja
# shellcheck disable=SC2016  # expanded when the new sudo runs
printf '#!%s\n[[ $1 == -n ]] && exit 0\necho "sudo" >>"%s"\nexec "$@"\n' "$BASH" "$calls" >"$bin/sudo"
chmod +x "$bin/sudo"
bootstrap demo
[[ $status -eq 0 && $(grep -c sudo "$calls") -eq 2 ]] || fail "by sudo the exit status was $status: $(cat "$calls")"

new_machine 0
offer_apt g++ ninja
bootstrap demo
[[ $status -eq 1 ]] || fail "with an installation that brought no cmake the exit status was $status, not 1"
said 'still missing after the installation: cmake'

new_machine 0
offer_apt g++ ninja cmake
printf '#!%s\necho cmake version 3.24.9\n' "$BASH" >"$bin/cmake"
chmod +x "$bin/cmake"
bootstrap demo
said 'missing: cmake 3.25 or newer'

# The long form of C++ wants g++ 14 where the release has it.
newer_gxx() { # WANTED VERSION_OF_G++ NAMES_OF_APT_CACHE
    new_machine 0
    printf '#!%s\necho %s\n' "$BASH" "$2" >"$bin/g++"
    printf '#!%s\n[[ $* == "pkgnames g++-14" ]] && printf "%%s\\n" %s\n' "$BASH" "$3" >"$bin/apt-cache"
    chmod +x "$bin/g++" "$bin/apt-cache"
    # shellcheck disable=SC2016  # expanded by the new shell
    env -i PATH="$bin" root="$work/tree" "$BASH" -c \
        'source "$root/scripts/lib/common.sh"; source "$root/scripts/lib/needs.sh"; has_newer_gxx && echo there || echo wanted' >"$work/output" 2>&1
    grep -qx "$1" "$work/output" || fail "g++ $2, apt-cache has $3: not '$1'"
}
newer_gxx there 12.2.0 ''
newer_gxx there 12.2.0 'g++-14-aarch64-linux-gnu'
newer_gxx wanted 12.2.0 'g++-14-multilib g++-14 g++-14-for-build'
newer_gxx there 14.2.0 'g++-14'

bootstrap nonsense
[[ $status -eq 2 ]] || fail "an unknown part gave the exit status $status, not 2"
[[ ! -e $work/tree/.venv ]] || fail 'the demo made a .venv, which it does not need'
echo 'bootstrap does what it promises'
