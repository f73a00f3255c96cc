# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs the steps of scripts/test and remembers how each ended. With $only, steps of that name alone, and all that build.
#
# A part has one or two functions: PART_build_steps changes the build tree that all parts share, so these run one after the
# other, each with all processors; PART_steps leaves that tree alone. The core's steps come first. Those of the languages
# then run beside each other, as most of them use one processor.
: "${root:?}"

results=$root/build/test-results
steps_file=$results/steps.tsv

steps_begin() {
    rm -rf "$results"
    mkdir -p "$results"
    : >"$steps_file"
}

# steps_run PART...
steps_run() {
    local part languages=() builds
    for part in "$@"; do
        builds=1
        if declare -F "${part}_build_steps" >/dev/null; then "${part}_build_steps"; fi
        builds=
        if [[ $part == core ]]; then core_steps; else languages+=("$part"); fi
    done
    if [[ ${#languages[@]} -eq 1 || $(jobs) -eq 1 ]]; then
        for part in "${languages[@]}"; do "${part}_steps"; done
    else
        steps_run_beside "${languages[@]}"
    fi
}

# The languages, as many at a time as there are processors; the longest first, so that none of them ends alone.
steps_run_beside() {
    local part running=0 longest_first=(rust python java engines)
    local -A wanted=() pids=()
    for part in "$@"; do wanted[$part]=1; done
    trap steps_stop EXIT
    # Each in a process group of its own, which a signal to this one does not reach and which can be stopped as one.
    set -m
    for part in "${longest_first[@]}" "$@"; do
        [[ -n ${wanted[$part]-} ]] || continue
        unset "wanted[$part]"
        if [[ $running -eq $(jobs) ]]; then
            wait -n || true # each one's status is asked for below
            running=$((running - 1))
        fi
        { "${part}_steps" 2>&1 | sed -u "s/^/[$part] /"; } </dev/null &
        pids[$part]=$!
        running=$((running + 1))
    done
    set +m
    for part in "${!pids[@]}"; do
        wait "${pids[$part]}" || printf '%s\tfailed\t0\tended early\tscripts/test %s\n' "$part" "$part" >>"$steps_file"
    done
    trap - EXIT
}

# All that were started, also one that the signal met before its number was noted.
steps_stop() {
    local pid
    for pid in $(builtin jobs -p); do kill -TERM -- "-$pid" 2>/dev/null || true; done
}

# step NAME COMMAND...: the command runs in a subshell with -e; its output is shown and saved.
step() {
    local name=$1 started=$SECONDS outcome=ok again scope=${part-}
    shift
    [[ -z ${only-} || ${builds-} == 1 || $only == "$name" ]] || return 0
    # What repeats it: a command as it is, a function of the part by way of scripts/test.
    again=$*
    [[ ${short-0} -eq 0 ]] || scope=
    [[ ${full-0} -eq 0 ]] || scope+=' --full'
    if declare -F "$1" >/dev/null; then again="scripts/test ${scope:+$scope }--only $name"; fi
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
    printf '%s\t%s\t%d\t\t%s\n' "$name" "$outcome" $((SECONDS - started)) "$again" >>"$steps_file"
    return 0
}

# skip_step NAME REASON
skip_step() {
    [[ -z ${only-} || $only == "$1" ]] || return 0
    say "$1: skipped, $2"
    printf '%s\tskipped\t0\t%s\t\n' "$1" "$2" >>"$steps_file"
}

# repeated_by COMMAND...: followed by the pattern of a test's name, it repeats a test of this step.
repeated_by() { echo "$*" >"$results/${step_name:?}.again"; }

# Where a step's test runner puts its JUnit file; the summary counts what it finds there.
junit_file() { printf '%s/%s%s.xml\n' "$results" "${step_name:?}" "${1:+.$1}"; }
