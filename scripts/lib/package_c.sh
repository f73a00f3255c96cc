# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/c/gpustream-VERSION-linux-PROCESSOR.tar.gz: library, header, CMake package, pkg-config file and the command, to be
# unpacked anywhere; and its debug files in an archive of their own. The same for systems with musl (PROCESSOR-musl).
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"

package_c() {
    local target name stage=$work/c
    fresh "$stage"
    mkdir -p "$dist/c"
    for target in "${targets[@]}" "${targets[@]/%/-musl}"; do
        name=gpustream-$version-linux-$target
        stage_prefix "$target" "$stage/$name" lib
        cp "$root/LICENSE" "$root/CHANGELOG.md" "$stage/$name/"
        pack "$dist/c/$name.tar.gz" "$stage" "$name"
        mkdir -p "$stage/$name-debug"
        cp "$library/$target"/*.debug "$stage/$name-debug/"
        pack "$dist/c/$name-debug.tar.gz" "$stage" "$name-debug"
    done
}

# stage_prefix TARGET PREFIX LIBDIR: what cmake --install puts there, with the stripped files of the step library.
stage_prefix() {
    local target=$1 prefix=$2 libdir=$3 build=$work/build-$1
    need_library "$target"
    # Nothing is compiled again: the folder stands in the CMake package and the .pc file alone.
    cmake -B "$build" -DCMAKE_INSTALL_LIBDIR="$libdir" >"$build.install.log"
    cmake --install "$build" --prefix "$prefix" >>"$build.install.log"
    local name
    for name in libgpustream libgpustream_tools; do
        install -m 755 "$library/$target/$name.so.0" "$prefix/$libdir/$name.so.$version"
    done
    install -m 755 "$library/$target/gpustream" "$prefix/bin/gpustream"
    for name in front simulated; do
        install -m 755 "$library/$target/gpustream-$name.so" "$prefix/$libdir/gpustream/$name/libcuda.so.1"
    done
}
