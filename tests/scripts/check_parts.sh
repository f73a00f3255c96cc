#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which parts scripts/test runs: a newcomer's plain call leaves the engines out and says so, and CI=true does not.
#   check_parts.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'check_parts: %s\n' "$*" >&2
    cat "$work/output" >&2
    exit 1
}

# A tree whose only parts are made up.
mkdir -p "$work/scripts/lib"
cp "$source_dir"/scripts/lib/{common.sh,steps.sh,summary.py} "$work/scripts/lib/"
cp "$source_dir/scripts/test" "$work/scripts/"
for name in bootstrap generate prose; do
    # shellcheck disable=SC2016  # expanded when it runs
    printf '#!%s\necho "%s $*"\n' "$BASH" "$name" >"$work/scripts/$name"
    chmod +x "$work/scripts/$name"
done
for part in zig engines; do
    printf '%s_steps() { step %s-runs true; }\n' "$part" "$part" >"$work/scripts/lib/test_$part.sh"
done

# runs ARGUMENTS...: no test is counted there, so the status is 1.
runs() { env -u GPUSTREAM_TEST_FULL CI="$ci" "$work/scripts/test" "$@" >"$work/output" 2>&1 || true; }

ci=
runs
grep -qx 'bootstrap zig' "$work/output" || fail 'the engines are installed in the default form'
grep -q '^== engines: skipped, left out of the default form: scripts/test engines runs them$' "$work/output" || fail 'it does not say so'
grep -q '^zig-runs  *ok' "$work/output" || fail 'the other part does not run'
runs engines
grep -q '^engines-runs  *ok' "$work/output" || fail 'a part that is named does not run'
runs --full
grep -q '^engines-runs  *ok' "$work/output" || fail 'the full form leaves the engines out'
ci=true
runs
grep -qx 'bootstrap zig engines' "$work/output" || fail 'CI does not install the engines'
grep -q '^engines-runs  *ok' "$work/output" || fail 'CI leaves the engines out'
echo 'the engines run where they should'
