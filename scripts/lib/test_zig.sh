# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Zig package. They use the library of the release preset, which is built here if necessary.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

zig_build_steps() { ! has_zig || core_library_step; }

zig_steps() {
    local zig
    if ! has_zig; then
        skip_step zig 'no Zig 0.17 or newer here (CI=true scripts/bootstrap zig installs it)'
        return
    fi
    read -ra zig <<<"$(find_zig)"
    export GPUSTREAM_BACKEND=host ZIG_GLOBAL_CACHE_DIR=$root/build/zig ZIG_LOCAL_CACHE_DIR=$root/build/zig
    export GPUSTREAM_TEST_NATIVE=$root/build/release/tests/parity/libgpustream_parity_native.so
    export LD_LIBRARY_PATH=$root/build/release${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    step zig-format "${zig[@]}" fmt --check bindings/zig
    step zig-layout zig_test bindings/zig/src/gpustream.zig
    step zig-test zig_layer_test layer_test
    step zig-reset zig_layer_test reset
    step zig-pending zig_pending
    step zig-loading zig_loading
    step zig-parity zig_parity
    step zig-pipeline zig_pipeline
    step zig-guide zig_guide
    step zig-instructions bench/instructions --build build/release --zig
}

# The module's own tests: sizes and offsets are C's, every status has an error.
zig_test() { "${zig[@]}" test -lc "$1" build/release/libgpustream.so.0 2>&1 | "$root/scripts/lib/zig_junit.py" "$(junit_file)"; }

# zig_layer_test NAME: tests/NAME.zig.
zig_layer_test() {
    "${zig[@]}" test --dep gpustream -Mroot="bindings/zig/tests/$1.zig" -Mgpustream=bindings/zig/src/gpustream.zig \
        -lc build/release/libgpustream.so.0 2>&1 | "$root/scripts/lib/zig_junit.py" "$(junit_file)"
}

# The end of the process with work pending.
zig_pending() {
    mkdir -p build/zig
    "${zig[@]}" build-exe -femit-bin=build/zig/pending --dep gpustream -Mroot=bindings/zig/tests/pending.zig \
        -Mgpustream=bindings/zig/src/gpustream.zig -lc build/release/libgpustream.so.0
    timeout 30 build/zig/pending
}

# Without the library, and with one of another ABI.
zig_loading() {
    mkdir -p build/zig
    "${zig[@]}" build-exe -femit-bin=build/zig/loading --dep gpustream -Mroot=bindings/zig/tests/loading.zig \
        -Mgpustream=bindings/zig/src/gpustream.zig -lc build/release/libgpustream.so.0
    "$root/scripts/lib/linked_library.py" build/zig/loading "$root" "$(junit_file)" error.WrongAbi
}

zig_parity() {
    mkdir -p build/zig
    "${zig[@]}" build-lib -dynamic -femit-bin=build/zig/layer.so --dep gpustream -Mroot=build/release/generated/bindings/zig/tests/raw_layer.zig \
        -Mgpustream=bindings/zig/src/gpustream.zig -lc build/release/libgpustream.so.0
    layer_cases "$root/build/zig/layer.so"
}

zig_pipeline() {
    "${zig[@]}" build-exe -O ReleaseSafe -femit-bin=build/zig/pipeline --dep gpustream -Mroot=bindings/zig/examples/pipeline/main.zig \
        -Mgpustream=bindings/zig/src/gpustream.zig -lc build/release/libgpustream.so.0
    "$root/scripts/lib/pipeline_port.py" "$root" "$(junit_file)" words "$root/build/zig/pipeline"
}

zig_guide() {
    python3 -B tests/docs/guide_programs.py docs/guide/zig.md zig .zig \
        "${zig[@]}" build-exe '-femit-bin={program}' --dep gpustream '-Mroot={source}' \
        "-Mgpustream=$root/bindings/zig/src/gpustream.zig" -lc "$root/build/release/libgpustream.so.0"
}
