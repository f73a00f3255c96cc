# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs the steps of scripts/test one after the other and remembers how each ended.
: "${root:?}"

results=$root/build/test-results
steps_file=$results/steps.tsv

steps_begin() {
    rm -rf "$results"
    mkdir -p "$results"
    : >"$steps_file"
}

# step NAME COMMAND...: the command runs in a subshell with -e; its output is shown and saved.
step() {
    local name=$1 started=$SECONDS outcome=ok
    shift
    step_name=$name
    say "$name"
    # "if command" would switch -e off inside the command, so the status is taken from the pipe.
    set +e
    (
        set -e
        "$@"
    ) 2>&1 | tee "$results/$name.log"
    local status=${PIPESTATUS[0]}
    set -e
    [[ $status -eq 0 ]] || outcome=failed
    printf '%s\t%s\t%d\t\n' "$name" "$outcome" $((SECONDS - started)) >>"$steps_file"
    return 0
}

# skip_step NAME REASON
skip_step() {
    say "$1: skipped, $2"
    printf '%s\tskipped\t0\t%s\n' "$1" "$2" >>"$steps_file"
}

# Where a step's test runner puts its JUnit file; the summary counts what it finds there.
junit_file() { printf '%s/%s%s.xml\n' "$results" "${step_name:?}" "${1:+.$1}"; }
