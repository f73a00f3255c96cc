#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Which parts and steps scripts/test runs: a newcomer's plain call the short set, --all and .ci/run everything, --only one step.
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
mkdir -p "$work/scripts/lib" "$work/.ci"
cp "$source_dir/.ci/run" "$work/.ci/"
cp "$source_dir"/scripts/lib/{common.sh,steps.sh,summary.py} "$work/scripts/lib/"
cp "$source_dir/scripts/test" "$work/scripts/"
for name in bootstrap generate prose; do
    # shellcheck disable=SC2016  # expanded when it runs
    printf '#!%s\necho "%s $*"\n' "$BASH" "$name" >"$work/scripts/$name"
    chmod +x "$work/scripts/$name"
done
# shellcheck disable=SC2016  # expanded when it runs
for part in core python zig engines; do
    printf '%s_build_steps() { step %s-build true; }\n%s_steps() { step %s-runs %s_runs; }\n%s_runs() { echo "short: $short"; }\n' \
        "$part" "$part" "$part" "$part" "$part" "$part" >"$work/scripts/lib/test_$part.sh"
done

# runs COMMAND...: no test is counted there, so the status is 1.
runs() { env -u GPUSTREAM_TEST_FULL -u CI "$@" >"$work/output" 2>&1 || true; }
ran() { grep -q "^$1  *ok" "$work/output"; }

runs "$work/scripts/test"
grep -qx 'bootstrap core python' "$work/output" || fail 'the short set installs something else than it runs'
grep -q '^== the short set; scripts/test --all runs everything$' "$work/output" || fail 'it does not say that it is short'
grep -qx 'short: 1' "$work/output" || fail 'the parts do not know that it is short'
{ ran core-runs && ran python-runs; } || fail 'the short set is not core and python'
! ran zig-runs || fail 'the short set runs zig'
runs "$work/scripts/test" engines
{ ran engines-runs && ! ran core-runs && grep -qx '.*short: 0' "$work/output"; } || fail 'a part that is named does not run as it is'
for everything in "$work/scripts/test --all" "$work/scripts/test --full" "$work/.ci/run"; do
    read -ra everything <<<"$everything"
    runs "${everything[@]}"
    grep -qx 'bootstrap core python zig engines' "$work/output" || fail "${everything[*]} does not install everything"
    for part in core python zig engines; do ran "$part-runs" || fail "${everything[*]} leaves $part out"; done
    ! grep -q 'short: 1' "$work/output" || fail "${everything[*]} is short"
done
runs "$work/.ci/run" zig
{ ran zig-runs && ! ran engines-runs; } || fail '.ci/run with a part runs something else'
runs "$work/scripts/test" zig engines --only zig-runs
{ ran zig-build && ran engines-build && ran zig-runs && ! ran engines-runs && ! ran generate; } || fail '--only does not run one step'

# A failure says what repeats it, and that does.
sed -i 's/echo "short.*/false; }/' "$work/scripts/lib/test_python.sh"
runs "$work/scripts/test"
grep -qx '        again: scripts/test --only python-runs' "$work/output" || fail 'the short set does not say what repeats it'
runs "$work/scripts/test" zig python --full
grep -qx '        again: scripts/test python --full --only python-runs' "$work/output" || fail 'it does not say what repeats it'
runs "$work/scripts/test" python --full --only python-runs
grep -q '^python-runs  *failed' "$work/output" || fail 'that does not repeat it'
echo 'the parts run where they should'
