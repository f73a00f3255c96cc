# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# dist/python/: the source distribution, and a wheel for every CPython from 3.10 on that is on this machine, those without a GIL
# and one for musl included (scripts/packaging/build_python makes these). The extension module is compiled by zig, too, so the
# tags are manylinux_2_17 and musllinux_1_2; the library in all wheels is the one of the step library.
: "${root:?}" "${dist:?}" "${work:?}" "${library:?}" "${version:?}" "${targets[*]:?}"
# shellcheck source=scripts/lib/test_python.sh
full=0 source "$root/scripts/lib/test_python.sh"
# shellcheck source=scripts/lib/package_library.sh
source "$root/scripts/lib/package_library.sh" # zig_target, and the oldest glibc

package_python() {
    local target interpreter musl
    mkdir -p "$dist/python"
    rm -f "$dist"/python/gpustream-*
    "$python_own" -m build --sdist --outdir "$dist/python" "$root/bindings/python" >"$work/python-sdist.log"
    for target in "${targets[@]}"; do
        need_library "$target"
        for interpreter in "$python_own" $(python_interpreters); do
            build_wheel "$target" "$interpreter"
        done
    done
    if ! musl=$(musl_python); then
        say 'no wheel for musl: there is no CPython for musl (GPUSTREAM_MUSL_PYTHON, or scripts/packaging/build_python musl build/python-musl)'
        return
    fi
    for target in "${targets[@]/%/-musl}"; do
        need_library "$target"
        build_wheel "$target" "$musl"
    done
}

# build_wheel PROCESSOR|PROCESSOR-musl INTERPRETER
build_wheel() {
    local target=$1 interpreter=$2 machine=${1%-musl} built=$work/wheel suffix environment=() isolation=() tools=''
    local tag=manylinux check=(--glibc "${glibc:?}") audit=()
    suffix=$("$interpreter" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
    if [[ $machine != "$(uname -m)" ]]; then
        # What scikit-build-core and sysconfig take from the environment in a cross compilation.
        environment=(_PYTHON_HOST_PLATFORM="linux-$machine" SETUPTOOLS_EXT_SUFFIX="${suffix/$(uname -m)/$machine}")
        # pip takes the platform from there, too, and installs the SWIG of the other processor for the build, where Python programs
        # find it before that of .venv.
        printf '#!/bin/sh\nexec env -u PYTHONPATH "%s" "$@"\n' "$root/.venv/bin/swig" >"$work/swig"
        chmod +x "$work/swig"
        tools=" -DSWIG_EXECUTABLE=$work/swig"
    fi
    if [[ $target == *-musl ]]; then
        # That interpreter has no TLS to download with: the other pip brings what builds a wheel, which is Python alone. The
        # programs that this calls are those of .venv, for this machine.
        fresh "$work/musl-build"
        "$python_own" -m pip install --quiet --disable-pip-version-check --target "$work/musl-build" --only-binary :all: \
            --implementation py --abi none --platform any --python-version "$("$interpreter" -c 'import platform; print(platform.python_version())')" \
            scikit-build-core
        isolation=(--no-build-isolation --no-index)
        environment+=(PYTHONPATH="$work/musl-build" PATH="$root/.venv/bin:$PATH")
        tools=" -DSWIG_EXECUTABLE=$root/.venv/bin/swig -DGPUSTREAM_CUDA_INCLUDE_DIR=$(oldest_cuda_headers)"
        tag=musllinux_1_2 check=(--musl 1.2)
        # auditwheel knows musl by the name that Alpine has for it, and would copy a libc.so into the wheel. musl's loader takes
        # every name that begins with libc. for itself.
        audit=(--ldpaths "$library/$target" --exclude libc.so)
    fi
    fresh "$built"
    # From the source distribution, so that a wheel contains only what is published.
    env "${environment[@]}" \
        CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$root/cmake/Zig.cmake -DGPUSTREAM_ZIG_TARGET=$(zig_target "$target") \
-DGPUSTREAM_PREBUILT=$library/$target/libgpustream.so.0 -DCMAKE_MODULE_LINKER_FLAGS=-s -DCMAKE_C_FLAGS_RELEASE=-O3\ -DNDEBUG$tools" \
        SKBUILD_INSTALL_STRIP=false CMAKE_BUILD_PARALLEL_LEVEL="$(jobs)" \
        "$interpreter" -m pip wheel --quiet --no-deps "${isolation[@]}" -w "$built" "$dist"/python/gpustream-*.tar.gz
    # It only writes the true tag into the wheel: nothing is copied, as tests/wheel_audit.py holds. It takes names of platforms
    # for this machine's processor alone; check_wheel.py wants the one that this must be.
    PATH=$root/.venv/bin:$PATH "$python_own" -m auditwheel repair --plat auto "${audit[@]}" --wheel-dir "$dist/python" \
        "$built"/gpustream-*.whl >"$work/auditwheel.log" 2>&1 || {
        cat "$work/auditwheel.log"
        return 1
    }
    "$python_own" "$root/tests/packages/check_wheel.py" --machine "$machine" "${check[@]}" --library "$library/$target/libgpustream.so.0" \
        "$dist/python/gpustream-$version-$(basename "$built"/gpustream-*.whl | cut -d- -f3,4)-$tag"*"_$machine.whl"
}
