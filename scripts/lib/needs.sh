# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What each part requires of the machine. need TEST PACKAGES adds the packages if the test fails: a recent tool from
# another source is as good as the distribution's.
: "${root:?}"

packages=()
reasons=()

need() {
    local what=$1 test=$2
    shift 2
    if ! "$test"; then
        packages+=("$@")
        reasons+=("$what")
    fi
}

has_cxx() { has g++ && version_at_least "$(g++ -dumpfullversion)" 12; }
# The C++ layer is compiled by this one, too, where the release has it: Debian 12 does not, Debian 13 has it as g++. apt
# takes a name with + that it does not know for a pattern, which clang-14 matches, so the names are asked for.
has_gxx_14() { has g++-14 || { has g++ && version_at_least "$(g++ -dumpfullversion)" 14; }; }
offers_gxx_14() { [[ $'\n'$(apt-cache pkgnames g++-14 2>/dev/null)$'\n' == *$'\ng++-14\n'* ]]; }
has_newer_gxx() { has_gxx_14 || ! offers_gxx_14; }
has_cmake() { has cmake && version_at_least "$(version_of cmake --version)" 3.25; }
has_git() { has git; }
has_ninja() { has ninja; }
has_pkg_config() { has pkg-config || has pkgconf; }
has_certificates() { [[ -s /etc/ssl/certs/ca-certificates.crt || -s /etc/pki/tls/certs/ca-bundle.crt ]]; }
has_python_venv() { has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }
has_python_headers() {
    has python3 && python3 -c 'import os, sysconfig
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))'
}
# -print-file-name prints the bare name if the compiler does not find the file.
has_gtest() { has g++ && [[ $(g++ -print-file-name=libgtest.a) == /* ]]; }
has_gmock() { has g++ && [[ $(g++ -print-file-name=libgmock.a) == /* ]]; }
# The newest clang, as cmake/Clang.cmake finds it, with the libraries of its sanitizers and libFuzzer.
newest_clang() {
    local version
    for version in -{25..16} ''; do
        if has "clang$version" && has "clang++$version"; then
            printf 'clang%s\n' "$version"
            return 0
        fi
    done
    return 1
}
# The C++ layer is compiled by an old one as well as by the newest.
has_old_clang() { has clang++-16 || has clang++-17 || has clang++-18; }
newest_clang_tidy() {
    local version
    for version in -{25..16} ''; do
        if has "clang-tidy$version"; then
            version_at_least "$(version_of "clang-tidy$version" --version)" 16 || return 1
            printf 'clang-tidy%s\n' "$version"
            return 0
        fi
    done
    return 1
}
has_clang_tidy() { newest_clang_tidy >/dev/null; }
has_fmt() { [[ -f /usr/include/fmt/format.h || -f /usr/local/include/fmt/format.h ]]; }
has_fuzzer() {
    local clang program='int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }'
    clang=$(newest_clang) && version_at_least "$(version_of "$clang" --version)" 16 &&
        "$clang" -fsanitize=fuzzer,address,undefined -x c -o /dev/null - <<<"$program" 2>/dev/null
}
has_abidiff() { has abidiff && has abidw; }
has_valgrind() { has valgrind; }
has_rsvg() { has rsvg-convert; }
has_llvm_objcopy() {
    local version
    for version in '' -{25..13}; do
        if has "llvm-objcopy$version"; then return 0; fi
    done
    return 1
}
has_benchmark() { has g++ && [[ $(g++ -print-file-name=libbenchmark.so) == /* || $(g++ -print-file-name=libbenchmark.a) == /* ]]; }
has_jdk() { has javac && version_at_least "$(javac -version 2>&1 | grep -oE '[0-9]+(\.[0-9]+)*' | head -n 1)" 17; }
has_maven() { has mvn; }
has_cargo() { has cargo && has rustc && version_at_least "$(version_of cargo --version)" "$(wanted_rust)"; }
has_rust() { has_cargo || rust_newer_folder >/dev/null; }

# The oldest Rust that the crates support, and the one that their tests need.
rust_supported() { rust_stated "$root/bindings/rust/Cargo.toml"; }
wanted_rust() { rust_stated "$root/bindings/rust/checks/Cargo.toml"; }
rust_stated() {
    local stated
    stated=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$1" 2>/dev/null | head -n 1)
    printf '%s\n' "${stated:-1.85}"
}

# Ubuntu keeps newer toolchains beside the old one, each in a folder of its own.
rust_newer_folder() {
    local folder
    for folder in $(compgen -G '/usr/lib/rust-*/bin' | sort -rV); do
        if [[ -x $folder/cargo && -x $folder/rustc ]] && version_at_least "$(version_of "$folder/cargo" --version)" "$(wanted_rust)"; then
            printf '%s\n' "$folder"
            return 0
        fi
    done
    return 1
}

needs_demo() {
    need 'a C++20 compiler (g++ 12 or newer)' has_cxx g++
    need 'cmake 3.25 or newer' has_cmake cmake
    need 'ninja' has_ninja ninja-build
    need 'CA certificates' has_certificates ca-certificates # CMake fetches CUDA's headers
}

needs_core() {
    needs_demo
    need 'pkg-config' has_pkg_config pkg-config
    need 'python3 with venv' has_python_venv python3-venv
    need "Python's headers" has_python_headers python3-dev
    need 'GoogleTest' has_gtest libgtest-dev
    need 'GoogleMock' has_gmock libgmock-dev
    need 'valgrind' has_valgrind valgrind
    need 'rsvg-convert' has_rsvg librsvg2-bin
    need 'clang 16 or newer with libFuzzer' has_fuzzer CLANG_TOOLCHAIN
    if grep -rqsE 'abidiff|abidw' "$root/tests/abi"; then
        need 'abidiff and abidw' has_abidiff abigail-tools
    fi
}

needs_bench() {
    needs_core
    need 'Google Benchmark' has_benchmark libbenchmark-dev
}

# The compiler is zig's, from PyPI. The long form installs the packages into bare systems of other releases, and runs those for
# aarch64.
needs_package() {
    needs_demo
    need 'python3 with venv' has_python_venv python3-venv
    need 'git' has_git git
    need 'llvm-objcopy' has_llvm_objcopy llvm
    has apt-get || return 0
    need 'lintian' has_lintian lintian
    need 'dpkg-source' has_dpkg_source dpkg-dev
    [[ ${GPUSTREAM_TEST_FULL-} == 1 ]] || return 0
    need 'debootstrap' has_debootstrap debootstrap
    need 'qemu-aarch64' has_qemu qemu-user
    need "musl's loader and its compiler" has_musl_gcc musl-tools
    need 'the sources of GoogleTest' has_googletest googletest
}
has_debootstrap() { has debootstrap; }
has_qemu() { [[ $(uname -m) == aarch64 ]] || has qemu-aarch64; }
has_lintian() { has lintian; }
has_dpkg_source() { has dpkg-source; } # dpkg-gensymbols comes with it
has_musl() { [[ -e /lib/ld-musl-$(uname -m).so.1 ]]; }
has_musl_gcc() { has musl-gcc && has_musl; }
has_googletest() { [[ -f /usr/src/googletest/CMakeLists.txt ]]; }

has_gfortran() { has gfortran && version_at_least "$(gfortran -dumpfullversion)" 12; }
# The zig of scripts/bootstrap, in .venv, or the machine's own.
find_zig() {
    if "$root/.venv/bin/python" -m ziglang version >/dev/null 2>&1; then
        echo "$root/.venv/bin/python -m ziglang"
    elif has zig && version_at_least "$(zig version)" 0.17.0; then
        echo zig
    else
        return 1
    fi
}
has_zig() { find_zig >/dev/null; }
needs_zig() { needs_core; }

# The tests of the Fortran modules are skipped without a compiler.
needs_fortran() {
    needs_core
    [[ ${CI-} != true ]] || need 'gfortran 12 or newer' has_gfortran gfortran
}

# A newcomer's machine does without what these add: clang-tidy, and fmt for the printers.
needs_cpp() {
    needs_core
    if [[ ${GPUSTREAM_TEST_FULL-} == 1 ]]; then
        need 'g++ 14' has_newer_gxx g++-14
        # Where the release has none, it is that of a Debian 13 in a folder.
        has_gxx_14 || offers_gxx_14 || ! has apt-get || need 'debootstrap' has_debootstrap debootstrap
    fi
    [[ ${CI-} == true ]] || return 0
    need 'clang 16, 17 or 18, beside the newest' has_old_clang CLANG_OLDEST
    need 'clang-tidy 16 or newer' has_clang_tidy CLANG_TIDY
    need 'the library fmt' has_fmt libfmt-dev
}

# The long form opens the page of a trace in a browser. Ubuntu's is not in its archive.
needs_python() {
    needs_core
    [[ ${GPUSTREAM_TEST_FULL-} == 1 ]] && grep -qs '^ID=debian' /etc/os-release || return 0
    need 'Chromium' has_chromium chromium
    # What scripts/packaging/build_python compiles with.
    need 'the headers of zlib, OpenSSL and libffi' has_headers_for_python zlib1g-dev libssl-dev libffi-dev
}
has_chromium() { has chromium; }
has_headers_for_python() {
    printf '#include <%s>\n' zlib.h openssl/ssl.h ffi.h | "${CC:-cc}" -E -x c -o /dev/null - 2>/dev/null
}

has_mpi() { has mpicc && has mpirun; }

# Ray and Dask come from PyPI.
needs_engines() {
    needs_python
    need 'an MPI for C' has_mpi mpich libmpich-dev
}

needs_java() {
    needs_core
    need 'a JDK (17 or newer)' has_jdk default-jdk-headless
    need 'maven' has_maven maven
}

# The site needs nothing but Python; the man pages are read by the strictest reader.
needs_docs() {
    needs_core
    need 'mandoc' has_mandoc mandoc
}
has_mandoc() { has mandoc; }

# Go is of PyPI where the distribution's is missing or older: Debian 12 has 1.19.
has_go() { has go && version_at_least "$(GOTOOLCHAIN=local version_of go version)" "$(wanted_go)"; }
wanted_go() { sed -n 's/^go \([0-9.]*\)$/\1/p' "$root/bindings/go/go.mod"; }

needs_go() { needs_core; }

# Node 20 with its headers, among them libuv's. Debian 12 has 18: PyPI has a newer one.
has_node() {
    has node && has npm && version_at_least "$(version_of node --version)" 20 || return 1
    local headers
    for headers in "$(dirname "$(dirname "$(node -p process.execPath)")")/include/node" /usr/include/node; do
        if [[ -f $headers/node_api.h && -f $headers/uv.h ]]; then return 0; fi
    done
    return 1
}

needs_node() { needs_core; }

# Debian 12 has a second, newer toolchain beside the old one.
needs_rust() {
    needs_core
    if ! has_rust; then
        reasons+=("cargo $(wanted_rust) or newer")
        packages+=(RUST_TOOLCHAIN)
    fi
}
