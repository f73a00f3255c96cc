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
    step fortran-loading fortran_loading
    step fortran-parity layer_cases "$root/build/fortran/layer.so"
    step fortran-pipeline fortran_pipeline
    step fortran-blas fortran_blas
    step fortran-guide fortran_guide
    step fortran-instructions bench/instructions --fortran
}

# The names of the modules, in the order in which they are compiled.
fortran_modules() { cat "$root/bindings/fortran/order.txt"; }

fortran_compile() {
    local name flags=(-std=f2018 -Wall -Wextra -Werror -O2 -fPIC) objects=()
    local library=$root/build/release/libgpustream.so.0 tests=$root/bindings/fortran/tests
    mkdir -p "$root/build/fortran"
    cd "$root/build/fortran" || return
    gfortran --version | head -n 1
    while read -r name; do
        gfortran "${flags[@]}" -c "$root/bindings/fortran/src/$name.f90"
        objects+=("$name.o")
    done < <(fortran_modules)
    gfortran "${flags[@]}" -c "$root/build/release/generated/bindings/fortran/tests/raw_layer.f90"
    for name in checks callbacks buffer_tests check_tests partition_tests pool_tests stream_pool_tests stream_tests copy_tests work_tests graph_tests layer_test; do
        gfortran "${flags[@]}" -fopenmp -c "$tests/$name.f90"
    done
    gfortran -fopenmp -no-pie -o layer_test layer_test.o {buffer,check,partition,pool,stream_pool,stream,copy,work,graph}_tests.o checks.o callbacks.o "${objects[@]}" \
        "$library" "-Wl,-rpath,${library%/*}"
    gfortran -shared -o layer.so raw_layer.o gpustream_raw.o "$library" "-Wl,-rpath,${library%/*}"
    ar rcs libgpustream_fortran.a "${objects[@]}"
}

fortran_test() {
    local said
    cd "$root/build/fortran" || return
    ./layer_test "$root/build/release/tests/parity/libgpustream_parity_native.so"
    ./layer_test pending
    if said=$(./layer_test stop 2>&1); then
        warn 'a failure without stat did not end the program'
        return 1
    fi
    grep -q '^GS_ERROR_INVALID_HANDLE: gs_stream_synchronize: ' <<<"$said"
    local what how
    for what in buffer partition pool module stream_scope device_scope named_range forbid_sync; do
        for how in one array; do
            if said=$(./layer_test copy "$what" "$how" 2>&1); then
                warn "a $what was copied ($how)"
                return 1
            fi
            grep -q "${what/#*_scope/scope}s\? cannot be copied" <<<"$said"
        done
    done
}

# Without the library, and with one of another ABI. The program has no run path.
fortran_loading() {
    cd "$root/build/fortran" || return
    gfortran -std=f2018 -Wall -Wextra -Werror -O2 -o loading "$root/bindings/fortran/tests/loading.f90" checks.o \
        libgpustream_fortran.a "$root/build/release/libgpustream.so.0"
    "$root/scripts/lib/linked_library.py" loading "$root" "$(junit_file)" GPUSTREAM_WRONG_ABI
}

fortran_pipeline() {
    local example=$root/bindings/fortran/examples/pipeline library=$root/build/release/libgpustream.so.0
    (
        cd "$root/build/fortran" || exit
        gfortran -std=f2018 -Wall -Wextra -Werror -O2 -fopenmp -o pipeline "$example"/{digests,lanes,pipeline}.f90 \
            libgpustream_fortran.a "$library" "-Wl,-rpath,${library%/*}"
    )
    "$root/scripts/lib/pipeline_port.py" "$root" "$(junit_file)" words "$root/build/fortran/pipeline"
}

# A raw stream given to a C library: cuBLAS on a GPU, functions of the same names on the host backend.
fortran_blas() {
    local fortran=$root/bindings/fortran library=$root/build/release/libgpustream.so.0
    cd "$root/build/fortran" || return
    "${CC-cc}" -std=c11 -Wall -Wextra -Werror -O2 -I"$root/include" -c "$fortran/tests/cublas_on_host.c"
    gfortran -std=f2018 -Wall -Wextra -Werror -O2 -o axpy "$fortran/examples/blas/axpy.f90" cublas_on_host.o libgpustream_fortran.a \
        "$library" "-Wl,-rpath,${library%/*}"
    ./axpy
}

fortran_guide() {
    local build=$root/build/release
    python3 -B tests/docs/guide_programs.py docs/guide/fortran.md fortran .f90 \
        gfortran -std=f2018 -Wall "-I$root/build/fortran" -o '{program}' '{source}' \
        "$root/build/fortran/libgpustream_fortran.a" "$build/libgpustream.so.0" "-Wl,-rpath,$build"
}
