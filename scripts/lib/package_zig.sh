# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/zig/gpustream-zig-VERSION.tar.gz: the package that `zig fetch` takes. It links the library that is installed.
: "${root:?}" "${dist:?}" "${work:?}" "${version:?}"

package_zig() {
    local name=gpustream-zig-$version stage=$work/zig
    fresh "$stage"
    mkdir "$stage/$name"
    cp -r "$root"/bindings/zig/{build.zig,build.zig.zon,src} "$root/LICENSE" "$stage/$name/"
    grep -qF ".version = \"$version\"" "$stage/$name/build.zig.zon" || die "bindings/zig/build.zig.zon does not say $version"
    fresh "$dist/zig"
    pack "$dist/zig/$name.tar.gz" "$stage" "$name"
}
