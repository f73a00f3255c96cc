# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/python/: the source distribution, and a wheel for every CPython from 3.10 on that is on this machine, those without a GIL
# included (scripts/packaging/free_threaded_python makes one). The extension
# module is compiled by zig, too, so the tag is manylinux_2_17; the library in all wheels is the one of the step library.
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"
# shellcheck source=scripts/lib/test_python.sh
full=0 source "$root/scripts/lib/test_python.sh"

package_python() {
    local target interpreter
    mkdir -p "$dist/python"
    rm -f "$dist"/python/gpustream-*
    "$python_own" -m build --sdist --outdir "$dist/python" "$root/bindings/python" >"$work/python-sdist.log"
    for target in "${targets[@]}"; do
        need_library "$target"
        for interpreter in "$python_own" $(python_interpreters); do
            build_wheel "$target" "$interpreter"
        done
    done
}

build_wheel() {
    local target=$1 interpreter=$2 built=$work/wheel suffix environment=() tools=''
    suffix=$("$interpreter" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    if [[ $target != "$(uname -m)" ]]; then
        # What scikit-build-core and sysconfig take from the environment in a cross compilation.
        environment=(_PYTHON_HOST_PLATFORM="linux-$target" SETUPTOOLS_EXT_SUFFIX="${suffix/$(uname -m)/$target}")
        # pip takes the platform from there, too, and installs the SWIG of the other processor for the build.
        tools=" -DSWIG_EXECUTABLE=$root/.venv/bin/swig"
    fi
    fresh "$built"
    # From the source distribution, so that a wheel contains nothing that is not published.
    env "${environment[@]}" \
        CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$root/cmake/Zig.cmake -DGPUSTREAM_ZIG_TARGET=$target-linux-gnu.2.17 \
-DGPUSTREAM_PREBUILT=$library/$target/libgpustream.so.0 -DCMAKE_MODULE_LINKER_FLAGS=-s -DCMAKE_C_FLAGS_RELEASE=-O3\ -DNDEBUG$tools" \
        SKBUILD_INSTALL_STRIP=false CMAKE_BUILD_PARALLEL_LEVEL="$(jobs)" \
        "$interpreter" -m pip wheel --quiet --no-deps -w "$built" "$dist"/python/gpustream-*.tar.gz
    # It only writes the true tag into the wheel: nothing is copied, as tests/wheel_audit.py holds. It takes names of platforms
    # for this machine's processor alone; check_wheel.py wants the one that this must be.
    PATH=$root/.venv/bin:$PATH "$python_own" -m auditwheel repair --plat auto --wheel-dir "$dist/python" \
        "$built"/gpustream-*.whl >"$work/auditwheel.log" 2>&1 || {
        cat "$work/auditwheel.log"
        return 1
    }
    "$python_own" "$root/tests/packages/check_wheel.py" --machine "$target" --glibc 2.17 --library "$library/$target/libgpustream.so.0" \
        "$dist/python/gpustream-$version-$(basename "$built"/gpustream-*.whl | cut -d- -f3,4)-manylinux"*"_$target.whl"
}
