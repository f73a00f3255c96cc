# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The crates, as cargo publishes them: gpustream-sys with the sources of the library, and gpustream over it.
: "${root:?}" "${dist:?}" "${work:?}" "${version:?}"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

package_rust() {
    local crate target=$work/rust
    "$root/scripts/bootstrap" rust
    if ! has_cargo && rust_newer_folder >/dev/null; then PATH=$(rust_newer_folder):$PATH; fi
    fresh "$dist/rust"
    # Without a build here: gpustream wants a gpustream-sys that the registry has once it is published.
    # tests/packages/install_rust.sh builds both crates from what is packed.
    (cd "$root/bindings/rust" && CARGO_TARGET_DIR=$target cargo package --quiet --locked --allow-dirty --no-verify \
        -p gpustream-sys -p gpustream)
    for crate in gpustream-sys gpustream; do
        cp "$target/package/$crate-$version.crate" "$dist/rust/"
        check_crate "$dist/rust/$crate-$version.crate"
    done
}

# A crate says who may use it, has no links to outside, and gpustream-sys brings the whole core.
check_crate() {
    local crate=$1 files wanted
    files=$(tar -tzvf "$crate")
    for wanted in LICENSE README.md Cargo.toml src/lib.rs; do
        grep -q "/$wanted\$" <<<"$files" || die "$crate lacks $wanted"
    done
    if grep -q '^l' <<<"$files"; then die "$crate contains a symbolic link"; fi
    case $crate in
        *gpustream-sys*)
            for wanted in core/CMakeLists.txt core/include/gpustream.h core/src/handle/grace.cpp core/cmake/Zig.cmake; do
                grep -q "/$wanted\$" <<<"$files" || die "$crate lacks $wanted"
            done
            ;;
    esac
    # The limit of crates.io.
    [[ $(stat -c %s "$crate") -lt 10485760 ]] || die "$crate is larger than 10 MiB"
}
