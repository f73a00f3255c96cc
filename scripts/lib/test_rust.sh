# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Rust crates. They use the library of the release preset, which is built here if necessary.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

rust_build_steps() { core_library_step; }

rust_steps() {
    rust_settings
    step rust-lint rust_lint
    step rust-test rust_test dlopen -p gpustream-sys -p gpustream
    if [[ $full -eq 1 ]]; then
        # Everything, including cudarc and one round of each benchmark, with the crate's own library.
        step rust-bundled rust_test bundled --workspace --all-features
    else
        # Those with the library of the release preset; rust-package builds the crate's own.
        step rust-checks rust_test dlopen -p gpustream-checks
    fi
    step rust-parity rust_parity
    step rust-pipeline rust_pipeline
    step rust-fake rust_fake
    step rust-link rust_test link -p gpustream-sys -p gpustream --no-default-features --features link
    step rust-find rust_find
    step rust-package rust_package
    step rust-install rust_install
    step rust-toolchains rust_toolchains
}

rust_settings() {
    local headers
    # A newer toolchain that the distribution has beside its old one.
    if ! has_cargo && rust_newer_folder >/dev/null; then PATH=$(rust_newer_folder):$PATH; fi
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/build/rust} CARGO_TERM_COLOR=never
    export GPUSTREAM_BUILD_DIR=$root/build/release
    export GPUSTREAM_LIBRARY=$GPUSTREAM_BUILD_DIR/libgpustream.so.0 GPUSTREAM_LIB_DIR=$GPUSTREAM_BUILD_DIR
    # For the feature "bundled", which builds the core with both backends.
    if headers=$(cuda_wheel_headers); then export GPUSTREAM_CUDA_INCLUDE_DIR=$headers GPUSTREAM_CUDA=ON; fi
    rust=$root/bindings/rust
}

rust_lint() {
    cd "$rust"
    cargo --version
    rustc --version
    if has rustfmt; then cargo fmt --check; else say 'not run: there is no rustfmt here'; fi
    if has cargo-clippy; then
        cargo clippy --locked --workspace --all-targets -- -D warnings
    else
        say 'not run: there is no clippy here'
    fi
    RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
}

# rust_test FEATURE ARGUMENTS...
rust_test() {
    local feature=$1 output=$results/$step_name.out status=0
    shift
    cd "$rust"
    case $feature in
        link) export LD_LIBRARY_PATH=$GPUSTREAM_LIB_DIR GPUSTREAM_NO_PKG_CONFIG=1 ;;
        # Empty counts as unset, and .cargo/config.toml does not change it: the crate's own library is used.
        bundled) export GPUSTREAM_LIBRARY= ;;
    esac
    cargo test --locked --no-fail-fast --jobs "$(jobs)" "$@" 2>&1 | tee "$output" || status=$?
    "$root/scripts/lib/rust_junit.py" "$output" "$(junit_file)"
    return "$status"
}

rust_pipeline() {
    (cd "$rust" && cargo build --locked --jobs "$(jobs)" -p gpustream --example pipeline)
    "$root/scripts/lib/pipeline_port.py" "$root" "$(junit_file)" options "$CARGO_TARGET_DIR/debug/examples/pipeline"
}

rust_parity() {
    (cd "$rust" && cargo build --locked --jobs "$(jobs)" -p gpustream-checks --example layer)
    layer_cases "$CARGO_TARGET_DIR/debug/examples/liblayer.so"
}

# What reaches the driver by other calls than the host backend's, on the fake driver.
rust_fake() {
    local output=$results/$step_name.out status=0
    cd "$rust"
    export GPUSTREAM_BACKEND=cuda GPUSTREAM_LIBCUDA=$GPUSTREAM_BUILD_DIR/tests/support/fake_cuda/driver/libcuda.so.1
    cargo test --locked --no-fail-fast --jobs "$(jobs)" -p gpustream \
        --test buffer_streams --test captured_owners --test captures --test capture_graphs \
        --test graphs --test graph_conditions --test graph_changes --test graph_keeping --test random --test partitions \
        --test futures --test queues --test limits --test timelines --test timeline_futures --test words \
        --test tokio --test faults --test device_reset 2>&1 | tee "$output" || status=$?
    "$root/scripts/lib/rust_junit.py" "$output" "$(junit_file)"
    return "$status"
}

# How the feature "link" finds an installed library, and its message if there is none.
rust_find() {
    local prefix=$CARGO_TARGET_DIR/prefix component found arguments log=$results/$step_name.refused
    cd "$rust"
    rm -rf "$prefix"
    for component in runtime development; do
        cmake --install "$GPUSTREAM_BUILD_DIR" --prefix "$prefix" --component "$component" >/dev/null
    done
    found=$(dirname "$(find "$prefix" -name gpustream.pc)")
    unset GPUSTREAM_LIB_DIR
    arguments=(--locked -p gpustream-sys --no-default-features --features link)
    PKG_CONFIG_PATH=$found LD_LIBRARY_PATH=${found%/pkgconfig} cargo test "${arguments[@]}" --test linked
    rust_refuses 'needs libgpustream: pkg-config does not find it' env GPUSTREAM_NO_PKG_CONFIG=1 \
        cargo check "${arguments[@]}"
    rust_refuses 'there is no libgpustream.so in it' env GPUSTREAM_NO_PKG_CONFIG=1 GPUSTREAM_LIB_DIR="$rust" \
        cargo check "${arguments[@]}"
}

# rust_refuses TEXT COMMAND...: the command fails with a message that contains the text.
rust_refuses() {
    local text=$1
    shift
    if "$@" >"$log" 2>&1 || ! grep -qF "$text" "$log"; then
        cat "$log"
        warn "wanted a failure that says '$text'"
        return 1
    fi
    say "refused, as it should be: $text"
}

# Both crates are packed; the tarball of gpustream-sys is built with the core that it contains.
rust_package() {
    cd "$rust"
    cargo package --locked --allow-dirty --no-verify -p gpustream-sys -p gpustream
    local unpacked=$CARGO_TARGET_DIR/unpacked
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    tar -xzf "$CARGO_TARGET_DIR"/package/gpustream-sys-*.crate -C "$unpacked" --strip-components=1
    [[ -f $unpacked/core/include/gpustream.h && ! -L $unpacked/core/src ]] || {
        warn 'the tarball lacks the core'
        return 1
    }
    # Outside of any workspace, as a user's cargo builds it.
    printf '\n[workspace]\n' >>"$unpacked/Cargo.toml"
    CARGO_TARGET_DIR=$unpacked/target cargo build --manifest-path "$unpacked/Cargo.toml" --features bundled
    find "$unpacked/target" -name libgpustream.so.0 | grep .
}

# A user's program with the packed crates, without a network.
rust_install() {
    local dist=$CARGO_TARGET_DIR/dist what=(docs)
    rm -rf "$dist"
    mkdir -p "$dist/rust"
    cp "$CARGO_TARGET_DIR"/package/gpustream-*.crate "$dist/rust/"
    if [[ $full -eq 1 ]]; then what+=(bundled); fi
    "$root/tests/packages/install_rust.sh" "$dist" "$GPUSTREAM_LIBRARY" "${what[@]}"
}

# Tests with the other toolchains that are installed. The default form only compiles with the oldest.
rust_toolchains() {
    cd "$rust"
    local oldest
    oldest=$(rust_supported)
    # A toolchain installed by hand has three numbers.
    rust_has "$oldest" || oldest=$oldest.0
    say "all tests ran with $(rustc --version)"
    if rust_has "$oldest"; then
        say "the oldest supported: $(rust_run "$oldest" rustc --version)"
        export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/oldest
        if [[ $full -eq 1 ]]; then
            rust_run "$oldest" cargo test --locked -p gpustream-sys -p gpustream
        else
            rust_run "$oldest" cargo check --locked -p gpustream-sys -p gpustream
        fi
    else
        say "not run: Rust $oldest, the oldest supported, is not here"
    fi
    if [[ $full -eq 0 ]]; then
        say 'not run: miri and loom (scripts/test --full)'
        return
    fi
    if rust_has nightly && rust_run nightly cargo miri --version >/dev/null 2>&1; then
        say "miri: $(rust_run nightly rustc --version)"
        # The reaper's thread lives as long as the process, which counts as a leak.
        rust_miri '' --skip reaper::
        rust_miri -Zmiri-ignore-leaks reaper::
    else
        say 'not run: there is no nightly toolchain with miri here'
    fi
    say 'loom'
    RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=$CARGO_TARGET_DIR/loom cargo test --locked -p gpustream --lib loom_tests
}

rust_miri() {
    local flags=$1
    shift
    MIRIFLAGS="-Zmiri-disable-isolation $flags" CARGO_TARGET_DIR=$CARGO_TARGET_DIR/miri \
        rust_run nightly cargo miri test --locked -p gpustream --lib -- "$@"
}

rust_has() { has rustup && rustup run "$1" rustc --version >/dev/null 2>&1; }
rust_run() { rustup run "$@"; }
