# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Java binding: native library, Maven's build with all tests, Java inside a Python process.
: "${root:?}" "${full:?}"

java_steps() {
    java_build=$root/build/release/bindings/java
    step java-native java_native
    step java java_verify
    if grep -qs '^ffm.skip=true' "$java_build/build.properties"; then
        skip_step java-ffm 'no JDK >= 22 for FFM'
    fi
    step java-in-python java_in_python
}

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
    # Which virtual machines ran is worth a line: it differs from machine to machine.
    grep -hE '^jdk\.(base|newest)' "$java_build/build.properties"
    echo "$number reports of tests"
    [[ $number -gt 0 ]] || status=1
    return "$status"
}

java_in_python() {
    GPUSTREAM_JAVA_BUILD=$java_build "$root/.venv/bin/python" -m pytest -q -p no:cacheprovider \
        --junitxml="$(junit_file)" bindings/java/tests/python
}
