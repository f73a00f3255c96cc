# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Fortran modules. They use the library of the release preset, which is built here if necessary.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

fortran_build_steps() {
    ! has_gfortran || core_library_step
}

fortran_steps() {
    if ! has_gfortran; then
        skip_step fortran 'no gfortran 12 or newer here (CI=true scripts/bootstrap fortran installs it)'
        return
    fi
    export GPUSTREAM_BACKEND=host
    step fortran-compile fortran_compile
    step fortran-test fortran_test
    step fortran-parity layer_cases "$root/build/fortran/layer.so"
    step fortran-guide fortran_guide
}

fortran_compile() {
    local name flags=(-std=f2018 -Wall -Wextra -Werror -O2 -fPIC)
    local library=$root/build/release/libgpustream.so.0
    mkdir -p "$root/build/fortran"
    cd "$root/build/fortran" || return
    gfortran --version | head -n 1
    for name in raw errors events streams scopes; do
        gfortran "${flags[@]}" -c "$root/bindings/fortran/src/gpustream_$name.f90"
    done
    gfortran "${flags[@]}" -c "$root/bindings/fortran/src/gpustream.f90"
    gfortran "${flags[@]}" -c "$root/bindings/fortran/tests/raw_layer.f90"
    gfortran "${flags[@]}" -c "$root/bindings/fortran/tests/checks.f90"

    gfortran "${flags[@]}" -fopenmp -c "$root/bindings/fortran/tests/layer_test.f90"
    gfortran -fopenmp -no-pie -o layer_test layer_test.o checks.o gpustream*.o "$library" "-Wl,-rpath,${library%/*}"
    gfortran -shared -o layer.so raw_layer.o gpustream_raw.o "$library" "-Wl,-rpath,${library%/*}"
}

fortran_test() {
    local said
    cd "$root/build/fortran" || return
    ./layer_test
    ./layer_test pending
    if said=$(./layer_test stop 2>&1); then
        warn 'a failure without stat did not end the program'
        return 1
    fi
    grep -q '^gs_stream_synchronize: GS_ERROR_INVALID_HANDLE: ' <<<"$said"
}

fortran_guide() {
    local build=$root/build/release
    python3 -B tests/docs/guide_programs.py docs/guide/fortran.md fortran .f90 \
        gfortran -std=f2018 -Wall "-I$root/build/fortran" -o '{program}' '{source}' \
        "$root"/build/fortran/gpustream{,_raw,_errors,_events,_streams,_scopes}.o "$build/libgpustream.so.0" "-Wl,-rpath,$build"
}
