#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/lib/steps.sh with made-up parts. Builds come first and one by one; the languages run beside each other; a part that
# ends early counts as failed; an interrupted run leaves no process behind.
#   check_steps.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'check_steps: %s\n' "$*" >&2
    exit 1
}

# The parts run in a script of their own, as in scripts/test. $2: what follows the definitions.
write_run() {
    cat >"$1" <<SCRIPT
#!/usr/bin/env bash
set -euo pipefail
root=$work
source "$source_dir/scripts/lib/common.sh"
source "$source_dir/scripts/lib/steps.sh"
jobs() { echo 2; }
note() { echo "\$1" >>"$work/order"; }
# Returns once the other one has been here: only parts that run at the same time get past it.
meet() {
    touch "$work/\$1"
    for ((i = 0; i < 600; i++)); do [[ ! -e $work/\$2 ]] || return 0; sleep 0.1; done
    return 1
}
core_steps() { step core note core; }
rust_build_steps() { step rust-build note rust-build; }
rust_steps() { step rust-meets meet rust java; }
java_build_steps() { step java-build note java-build; }
java_steps() { step java-meets meet java rust; }
ends_steps() { step before note before; false; step after note after; }
sleeps_steps() { step sleeps bash -c 'echo \$\$ >"$work/sleeper"; exec sleep 600'; }
steps_begin
$2
SCRIPT
    chmod +x "$1"
}

outcome() { awk -v name="$1" '$1 == name { print $2 }' "$work/build/test-results/steps.tsv"; }

write_run "$work/run" 'steps_run core java ends rust'
"$work/run" >"$work/output"
[[ $(tr '\n' ' ' <"$work/order") == 'core java-build rust-build before ' ]] || fail "order: $(cat "$work/order")"
for name in core java-build rust-build rust-meets java-meets before; do
    [[ $(outcome "$name") == ok ]] || fail "$name: $(outcome "$name")"
done
[[ -z $(outcome after) ]] || fail 'a part went on after an error'
[[ $(outcome ends) == failed ]] || fail "a part that ended early: $(outcome ends)"
grep -q '^\[java\] == java-meets$' "$work/output" || fail "output: $(cat "$work/output")"

write_run "$work/run" 'steps_run java sleeps'
rm -f "$work/java" "$work/rust" && touch "$work/rust"
"$work/run" >"$work/output" &
run=$!
for ((i = 0; i < 600; i++)); do
    [[ ! -s $work/sleeper ]] || break
    sleep 0.1
done
kill -TERM "$run"
wait "$run" && fail 'an interrupted run succeeded'
for ((i = 0; i < 600; i++)); do
    kill -0 "$(<"$work/sleeper")" 2>/dev/null || exit 0
    sleep 0.1
done
fail 'an interrupted run left a process behind'
