# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Java binding: native library, Maven's build with all tests, Java inside a Python process.
: "${root:?}" "${full:?}"

java_build=$root/build/release/bindings/java

java_build_steps() { step java-native java_native; }

java_steps() {
    step java java_verify
    if grep -qs '^ffm.skip=true' "$java_build/build.properties"; then
        skip_step java-ffm 'no JDK >= 22 for FFM'
    fi
    step java-in-python java_in_python
    if [[ $full -eq 1 ]] && ! version_at_least "$(java_property jdk.base.version)" 22; then
        step java-without-ffm java_without_ffm
    fi
}

java_property() { sed -n "s/^$1=//p" "$java_build/build.properties"; }

# In the build that the C tests use, so that the library is compiled once.
java_native() {
    cmake --preset release -DGPUSTREAM_CUDA=ON -DGPUSTREAM_JAVA=ON -DGPUSTREAM_SWIG="$root/.venv/bin/swig" \
        -DGPUSTREAM_BUILD_EXAMPLES=ON
    cmake --build --preset release --parallel "$(jobs)" --target gpustream_java
}

java_verify() {
    local status=0 report number=0
    mvn --version
    (cd bindings/java && mvn -q -B verify -Dgpustream.build="$java_build") || status=$?
    for report in bindings/java/tests*/target/reports/*/TEST-*.xml; do
        [[ -f $report ]] || continue
        number=$((number + 1))
        cp "$report" "$(junit_file "$number")"
    done
    # Prints which virtual machines ran, since this differs between machines.
    grep -hE '^jdk\.(base|newest)' "$java_build/build.properties"
    echo "$number reports of tests"
    [[ $number -gt 0 ]] || status=1
    return "$status"
}

# As on a machine whose newest JDK is the oldest one here: the archive has no FFM layer, and all calls use JNI.
java_without_ffm() {
    local copy=$root/build/java-without-ffm status=0 report number=0
    rm -rf "$copy"
    mkdir -p "$copy/tree/bindings" "$copy/tree/examples"
    cmake --preset release -B "$copy/build" -DGPUSTREAM_CUDA=ON -DGPUSTREAM_JAVA=ON \
        -DGPUSTREAM_SWIG="$root/.venv/bin/swig" -DGPUSTREAM_JDK_HOMES="$(java_property jdk.base)" >/dev/null
    grep -qx 'ffm.skip=true' "$copy/build/bindings/java/build.properties"
    # Only CMake's findings about the JDKs are needed: the libraries are built already.
    sed -i "s#^gpustream.binary=.*#gpustream.binary=$root/build/release#" "$copy/build/bindings/java/build.properties"
    cp -r "$java_build/bundle" "$java_build/libgpustreamjni.so" "$copy/build/bindings/java/"
    cp -r bindings/java "$copy/tree/bindings/"
    cp -r examples/java "$copy/tree/examples/"
    find "$copy/tree" -name target -type d -prune -exec rm -r {} +
    (cd "$copy/tree/bindings/java" && mvn -q -B verify -Dgpustream.build="$copy/build/bindings/java") || status=$?
    for report in "$copy"/tree/bindings/java/tests*/target/reports/*/TEST-*.xml; do
        [[ -f $report ]] || continue
        number=$((number + 1))
        cp "$report" "$(junit_file "$number")"
    done
    echo "$number reports of tests"
    [[ $number -gt 0 ]] || status=1
    return "$status"
}

java_in_python() {
    GPUSTREAM_JAVA_BUILD=$java_build "$root/.venv/bin/python" -m pytest -q -p no:cacheprovider \
        --junitxml="$(junit_file)" bindings/java/tests/python
}
