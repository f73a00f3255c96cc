# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the C++ layer.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"
# shellcheck source=scripts/lib/needs.sh
source "$root/scripts/lib/needs.sh"

cpp_build_steps() { step cpp-build cpp_build; }

cpp_steps() {
    step cpp-test core_ctest release -L '^cpp$'
    step cpp-compilers cpp_compilers
    # The long form installs it where the release has it. Debian 12 has none: there it is that of a Debian 13 beside this system.
    if [[ $full -eq 1 ]] && ! has_gxx_14; then
        if [[ $(id -u) -eq 0 ]] && has_debootstrap; then
            step cpp-gxx-14 cpp_gxx_14
        else
            skip_step cpp-gxx-14 'no g++ 14 in this release, and no root and debootstrap for one of Debian 13'
        fi
    fi
    if has_clang_tidy; then
        step cpp-tidy cpp_tidy
    else
        skip_step cpp-tidy 'there is no clang-tidy 16 or newer here'
    fi
    step cpp-instructions bench/instructions --build build/release --cpp
    if [[ $full -eq 1 ]]; then step cpp-cuda-classes cpp_cuda_classes; fi
}

cpp_build() {
    cmake --preset release -DGPUSTREAM_CUDA="$(cuda_setting)" -DGPUSTREAM_TEST_FAMILIES=all \
        -DGPUSTREAM_BUILD_EXAMPLES=ON
    cmake --build --preset release --parallel "$(jobs)" --target gpustream gpustream_cpp_tests gpustream_parity_cases
}

# Each header by itself and all together, for both standards and both forms, with every compiler that is here. The short
# form takes the headers by themselves with one compiler only.
cpp_compilers() {
    local compiler standard form header strict found=()
    local gcc_warnings=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wcast-align -Wcast-qual
        -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wnull-dereference -Wdouble-promotion)
    # Not wanted: that a header-only class has its vtable in every file, padding, older standards, raw pointers as such,
    # and the tags of the C header's comments.
    local clang_warnings=(-Weverything -Wno-weak-vtables -Wno-padded -Wno-c++98-compat -Wno-c++98-compat-pedantic
        -Wno-pre-c++20-compat-pedantic -Wno-unknown-warning-option -Wno-unsafe-buffer-usage -Wno-documentation
        -Wno-documentation-unknown-command -Wno-unused-macros)
    for compiler in g++ g++-{13..16} clang++ clang++-{16..25}; do
        if ! has "$compiler"; then continue; fi
        # The distribution's clang may be older than those that the layer is for.
        if [[ $compiler == clang* ]] && ! version_at_least "$(version_of "$compiler" --version)" 16; then continue; fi
        found+=("$compiler")
        strict=("${gcc_warnings[@]}")
        [[ $compiler != clang* ]] || strict=("${clang_warnings[@]}")
        for standard in 17 20; do
            for form in -DGPUSTREAM_NOEXCEPT=0 -DGPUSTREAM_NOEXCEPT=1 -fno-exceptions; do
                echo '#include <gpustream.hpp>' |
                    "$compiler" -x c++ -std=c++$standard -Werror "${strict[@]}" $form -Iinclude -fsyntax-only -
            done
        done
        for header in include/gpustream/*.hpp; do
            [[ $compiler == g++ || $full -eq 1 ]] || break
            if [[ $header == */fmt.hpp ]] && ! has_fmt; then continue; fi
            echo "#include <${header#include/}>" |
                "$compiler" -x c++ -std=c++17 -Werror "${strict[@]}" -Iinclude -fsyntax-only -
        done
    done
    say "compiled by ${found[*]} (g++ is $(g++ -dumpfullversion))"
}

# In a Debian 13, which is made once: the headers as cpp_compilers has them, and the tests compiled there and run with the
# library of this system.
cpp_gxx_14() {
    # shellcheck source=tests/packages/roots.sh
    source "$root/tests/packages/roots.sh"
    make_root trixie-gxx trixie g++ libfmt-dev libgtest-dev
    # shellcheck disable=SC2016  # expanded in that system
    in_root trixie-gxx "$root" GPUSTREAM_HOST_DEVICES=2 bash -ec '
        cd /packages
        root=/packages full=1
        source scripts/lib/common.sh
        source scripts/lib/test_cpp.sh
        version_at_least "$(g++ -dumpfullversion)" 14
        cpp_compilers
        cpp_tests_by_hand /packages/build/release
    '
}

# cpp_tests_by_hand BUILD: the tests without cmake, compiled by g++ and linked with what BUILD has.
cpp_tests_by_hand() {
    local file kernels=$1/tests/parity/libgpustream_parity_native.so
    for file in tests/cpp/*_test.cpp; do echo "$file /tmp/$(basename "$file" .cpp).o"; done |
        xargs -P "$(jobs)" -L 1 bash -c 'g++ -std=c++20 -O1 -Wall -Wextra -Werror -Iinclude -Itests "-DCPP_TEST_KERNELS=\"$0\"" -c "$1" -o "$2"' "$kernels"
    g++ -std=c++20 -O1 -Wall -Wextra -Werror -fno-exceptions -Iinclude -c tests/cpp/exceptions_off.cpp -o /tmp/exceptions_off.o
    g++ -o /tmp/cpp_tests /tmp/exceptions_off.o /tmp/*_test.o "$1/libgpustream.so.0" "-Wl,-rpath,$1" -lgtest -lgtest_main -pthread
    /tmp/cpp_tests --gtest_brief=1
}

# The classes of CCCL and RMM themselves, which scripts/bootstrap installs for the long form: RMM with the CCCL that it
# brings, and with a newer one.
cpp_cuda_classes() {
    local folder=$root/.venv/cuda-classes cccl standard program
    local library=$root/build/release/libgpustream.so.0
    program=$(mktemp "${TMPDIR:-/tmp}/gpustream-classes.XXXXXX")
    for cccl in librmm/include/rapids/libcudacxx nvidia/cu13/include/cccl; do
        for standard in 17 20; do
            g++ -std=c++$standard -Wall -Wextra -Werror -Iinclude -isystem "$folder/$cccl" -isystem "$folder/librmm/include" \
                -isystem "$(cuda_wheel_headers)" -isystem "$folder/nvidia/cu13/include" tests/cpp/cuda_classes.cpp \
                -o "$program" "$library" "-Wl,-rpath,${library%/*}"
            GPUSTREAM_BACKEND=host "$program"
        done
    done
    rm -f "$program"
}

cpp_tidy() {
    local file
    file=$(mktemp "${TMPDIR:-/tmp}/gpustream-tidy.XXXXXX.cpp")
    echo '#include <gpustream.hpp>' >"$file"
    "$(newest_clang_tidy)" --quiet --config-file=include/gpustream/.clang-tidy \
        --header-filter='include/gpustream(/.*)?\.hpp' "$file" -- -std=c++20 -Iinclude
    rm -f "$file"
}
