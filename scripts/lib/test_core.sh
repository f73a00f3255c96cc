# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the library itself.
: "${root:?}" "${full:?}"

# The short set: what finds most in the least time.
short_families='unit;conformance;fault;inventory;checker;dumps;logs;traces;leaks;process;parity;abi;cpp;docs'

core_steps() {
    if [[ ${short:-0} -eq 1 ]]; then
        # abi.alone compiles each file of the library once more, which takes longer than all other checks of the tree.
        step release core_build_and_test release "$short_families" -E '^abi\.alone$'
        return
    fi
    # scripts/lib/test_cpp.sh runs those of the C++ layer.
    step release core_build_and_test release '' -LE 'consumer|^cpp$'
    step install core_ctest release -L consumer
    # Printed only: the counts depend on the compiler. bench/baselines has the numbers to compare with.
    step instructions bench/instructions --build build/release
    # What the other families run has no memory of ours, or was built for another tool.
    if [[ $full -eq 1 ]]; then
        step asan-ubsan core_build_and_test asan 'unit;conformance;fault;inventory;stress;oracle;checker;dumps;logs;traces;leaks;process;parity'
    else
        # What allocates, fails and frees most. The conformance cases and random programs are many, and run in the release step.
        step asan-ubsan core_build_and_test asan 'unit;fault;checker;dumps;logs;traces;leaks' -E '^checker\.CheckedPrograms'
    fi
    step fuzz core_build_and_test fuzz fuzz
    if [[ $full -eq 1 ]]; then
        step coverage scripts/coverage
        # ThreadSanitizer checks threads: the stress tests run in their long form, the others in the default one, since
        # more seeds on one thread add nothing. Cases of the fault family run on one thread.
        GPUSTREAM_TEST_FULL=0 step tsan core_build_and_test tsan \
            'unit;conformance;inventory;stress;oracle;checker;dumps;logs;traces;leaks;process' -LE stress
        step tsan-stress core_ctest tsan -L stress
    else
        step tsan core_build_and_test tsan stress
    fi
}

# core_build_and_test PRESET FAMILIES CTEST_ARGUMENTS...: FAMILIES '' means all of them.
core_build_and_test() {
    local preset=$1 families=$2 target=all
    shift 2
    local settings=(-DGPUSTREAM_CUDA="$(cuda_setting)" -DGPUSTREAM_TEST_TIMEOUT_FACTOR="$((full == 1 ? 10 : 1))")
    if [[ $full -eq 1 ]]; then settings+=(-DGPUSTREAM_TEST_PCH=OFF); fi
    if [[ -n $families ]]; then
        settings+=(-DGPUSTREAM_TEST_FAMILIES="$families" -DGPUSTREAM_BUILD_EXAMPLES=OFF)
        target=tests/all
    else
        settings+=(-DGPUSTREAM_TEST_FAMILIES=all -DGPUSTREAM_BUILD_EXAMPLES=ON)
    fi
    cmake --preset "$preset" "${settings[@]}"
    # Ninja continues after an error, so that one run shows all of them.
    cmake --build --preset "$preset" --parallel "$(jobs)" --target "$target" -- -k 0
    core_ctest "$preset" "$@"
}

# What the tests of languages load, for a part without the core's steps: built once for all of them.
core_library_step() {
    [[ -z ${core_library_built-} ]] || return 0
    core_library_built=1
    step library core_library
}

core_library() {
    cmake --preset release -DGPUSTREAM_CUDA="$(cuda_setting)" -DGPUSTREAM_TEST_FAMILIES=all -DGPUSTREAM_BUILD_EXAMPLES=ON
    cmake --build --preset release --parallel "$(jobs)" \
        --target gpustream gpustream_parity_native gpustream_parity_cases fake_cuda fake_nvtx pipeline pipeline_kernels
}

# layer_cases LAYER [--without-forks]
layer_cases() { "$root/scripts/lib/layer_cases.py" "$1" "$root" "$(junit_file)" "${@:2}"; }

# The CUDA backend is tested if the tree has one; its headers come from scripts/bootstrap.
cuda_setting() {
    if compgen -G "$root/src/backend/cuda/*.cpp" >/dev/null; then
        echo ON
    else
        echo OFF
    fi
}

core_ctest() {
    local preset=$1 runner=()
    shift
    # ThreadSanitizer of GCC up to 13 cannot place its shadow memory when addresses are randomised with more than 28
    # bits, as recent kernels do.
    if [[ $preset == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then
        runner=(setarch "$(uname -m)" -R)
    fi
    repeated_by "${runner[@]}" ctest --preset "$preset" -R
    "${runner[@]}" ctest --preset "$preset" --parallel "$(jobs)" --output-junit "$(junit_file)" "$@"
}
