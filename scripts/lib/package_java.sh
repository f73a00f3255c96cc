# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/java/: a Maven repository with the classes (JNI, and FFM from Java 22 on), their sources and Javadoc, and the native
# libraries of each processor as classifiers of gpustream-natives. Maven Central takes it as a bundle.
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"
# shellcheck source=scripts/lib/package_library.sh
source "$root/scripts/lib/package_library.sh" # llvm_objcopy, check_portable, and the oldest glibc
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"
java_glibc=${glibc:?}

package_java() {
    local target stage=$work/java profiles=()
    "$root/scripts/bootstrap" java
    fresh "$stage"
    for target in "${targets[@]}"; do
        need_library "$target"
        java_natives "$target"
        cp -r "$work/java-$target/bindings/java/bundle" "$stage/"
        [[ $target == x86_64 ]] || profiles=(-P "$target")
    done
    cp -r "$work/java-${targets[0]}/bindings/java/build.properties" "$stage/"
    if grep -qx 'ffm.skip=true' "$stage/build.properties"; then
        say 'not made: the archive needs a JDK 22 or newer beside the oldest one, for its part for java.lang.foreign'
        return
    fi
    # In a copy: Maven writes beside the sources, where the tests' own build is.
    mkdir -p "$stage/tree/bindings" "$stage/tree/examples"
    cp -r "$root/bindings/java" "$stage/tree/bindings/"
    cp -r "$root/examples/java" "$stage/tree/examples/"
    find "$stage/tree" -name target -type d -prune -exec rm -r {} +
    (cd "$stage/tree/bindings/java" && mvn -q -B package "${profiles[@]}" -pl gpustream,natives -am -Dgpustream.build="$stage" \
        -Dproject.build.outputTimestamp="$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)")
    python3 "$root/scripts/packaging/maven_repository.py" --built "$stage/tree/bindings/java" --version "$version" \
        --date "$SOURCE_DATE_EPOCH" --out "$dist/java" "${targets[@]}"
    python3 "$root/tests/packages/check_maven.py" "$dist/java" "$version" "${targets[@]}"
}

# java_natives TARGET: libgpustreamjni.so by zig, beside the library of the release.
java_natives() {
    local build=$work/java-$1 bundle strip
    strip=$(llvm_objcopy)
    strip=${strip/objcopy/strip} # the same program by another name
    cmake -G Ninja -S "$root" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$root/cmake/Zig.cmake" -DGPUSTREAM_ZIG_TARGET="$1-linux-gnu.$java_glibc" \
        -DGPUSTREAM_PREBUILT="$library/$1/libgpustream.so.0" -DGPUSTREAM_JAVA=ON -DGPUSTREAM_SWIG="$root/.venv/bin/swig" \
        -DGPUSTREAM_CUDA=OFF -DGPUSTREAM_BUILD_TESTS=OFF -DGPUSTREAM_BUILD_EXAMPLES=OFF -DGPUSTREAM_BUILD_TOOLS=OFF -DGPUSTREAM_INSTALL=OFF \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_STRIP="$(command -v "$strip")" >"$build.log" || {
        cat "$build.log"
        return 1
    }
    cmake --build "$build" --parallel "$(jobs)" --target gpustream_java
    bundle=$build/bindings/java/bundle/META-INF/gpustream/linux-$1
    cmp "$library/$1/libgpustream.so.0" "$bundle/libgpustream.so.0"
    cmp "$library/$1/libgpustream_tools.so.0" "$bundle/libgpustream_tools.so.0"
    check_portable "$bundle/libgpustreamjni.so"
}
