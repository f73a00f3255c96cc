# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the Python package. The default form tests the interpreter of .venv in the build tree, and one wheel
# built from the source distribution alone; the full form builds wheels for every interpreter it finds.
: "${root:?}" "${full:?}"

python_build_steps() { step python-build python_build; }

python_steps() {
    step python-host python_pytest host
    [[ ${short:-0} -eq 0 ]] || return 0
    step python-fake python_pytest cuda
    step python-types python_types
    step python-wheel python_wheel
    if [[ $full -eq 1 ]]; then
        GPUSTREAM_GIL=release step python-release python_pytest cuda
        local interpreter version
        if has_free_threaded || grep -qs '^ID=debian' /etc/os-release; then
            step python-free-threaded python_free_threaded
        else
            skip_step python-free-threaded 'no interpreter without a GIL, and none is built but from the source of Debian'
        fi
        for interpreter in $(python_interpreters); do
            version=$(python_version "$interpreter")
            step "python-$version" python_other "$interpreter"
            if [[ $version == *t ]]; then step "python-$version-repeated" python_repeated "$root/build/python-$version/venv/bin/python"; fi
        done
    fi
}

python_tree=$root/build/release
python_own=$root/.venv/bin/python

# In the build tree of the core's steps, so that nothing is compiled twice if both run.
python_build() {
    local settings=(-DGPUSTREAM_PYTHON=ON -DPython_EXECUTABLE="$python_own" -DGPUSTREAM_CUDA=ON)
    [[ -f $python_tree/CMakeCache.txt ]] || settings+=(-DGPUSTREAM_TEST_FAMILIES=all)
    cmake --preset release "${settings[@]}"
    cmake --build --preset release --parallel "$(jobs)" \
        --target gpustream_python_package fake_cuda fake_nvml fake_nvtx fake_nccl fake_cublas fake_cublas_12 fake_cublas_13 \
        gpustream_parity_native
    "$python_own" -c 'import sys; print("CPython", sys.version.split()[0])'
}

python_environment() {
    export GPUSTREAM_TEST_NATIVE=$python_tree/tests/parity/libgpustream_parity_native.so
    export GPUSTREAM_TEST_FAKE_CUDA=$python_tree/tests/support/fake_cuda/driver/libcuda.so.1
    export GPUSTREAM_TEST_FAKE_NVML=$python_tree/tests/support/fake_nvml/current/libnvidia-ml.so.1
    export GPUSTREAM_TEST_FAKE_NVTX=$python_tree/tests/support/fake_nvtx/libfake_nvtx.so
    if [[ $full -eq 1 ]] && has chromium; then GPUSTREAM_TEST_BROWSER=$(command -v chromium) && export GPUSTREAM_TEST_BROWSER; fi
    export GPUSTREAM_TEST_FAKE_NCCL=$python_tree/tests/support/fake_nccl/libfake_nccl.so
    export GPUSTREAM_TEST_FAKE_CUBLAS=$python_tree/tests/support/fake_cublas/fake_cublas.so
    export PYTHONDONTWRITEBYTECODE=1
}

# python_pytest BACKEND [PYTHON]: without PYTHON the one of .venv with the package in the build tree.
python_pytest() {
    local backend=$1 python=${2:-$python_own}
    python_environment
    [[ -n ${2-} ]] || export PYTHONPATH=$python_tree/python
    [[ $backend != cuda ]] || export GPUSTREAM_LIBCUDA=$GPUSTREAM_TEST_FAKE_CUDA
    cd "$root/bindings/python"
    GPUSTREAM_BACKEND=$backend "$python" -m pytest -q -p no:cacheprovider --timeout $((full == 1 ? 1800 : 120)) \
        --junitxml="$(junit_file)"
}

# stubtest compares the extension's stub with the module; mypy reads the whole package and, as pyright does, the examples as
# users' code.
python_types() {
    python_environment
    cd "$root/bindings/python"
    export PYTHONPATH=$python_tree/python MYPYPATH=$python_tree/python
    "$python_own" -m mypy --strict --config-file pyproject.toml -p gpustream -m pytest_gpustream
    GPUSTREAM_BACKEND=host "$python_own" -m mypy.stubtest gpustream._core --ignore-missing-stub --allowlist tests/stubtest_allowlist.txt \
        --mypy-config-file pyproject.toml
    "$python_own" -m mypy --strict --cache-dir /dev/null "$root/examples/python"
    "$python_own" -m pyright --pythonpath "$python_own" --project "$root/examples/python"
}

# A wheel built from the source distribution in a folder without the tree, installed into a fresh environment.
python_wheel() {
    local work=$root/build/python-wheel
    rm -rf "$work"
    mkdir -p "$work"
    "$python_own" -m build --sdist --outdir "$work" "$root/bindings/python"
    CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) \
        "$python_own" -m pip wheel --quiet --no-deps -w "$work" "$work"/gpustream-*.tar.gz
    python_install "$python_own" "$work"
    python_environment
    export GPUSTREAM_TEST_WHEEL
    GPUSTREAM_TEST_WHEEL=$(echo "$work"/gpustream-*.whl)
    cd "$root/bindings/python"
    # By .venv, which has auditwheel; the wheel's environment has only what users have.
    PYTHONPATH=$python_tree/python GPUSTREAM_BACKEND=host "$python_own" -m pytest -q -s -p no:cacheprovider \
        --junitxml="$(junit_file audit)" tests/wheel_audit.py
    GPUSTREAM_BACKEND=host "$work/venv/bin/python" -m gpustream
    GPUSTREAM_BACKEND=host "$work/venv/bin/gpustream" info
    "$work/venv/bin/python" -m pytest --help | grep -e --gpustream-shake # of the package's plugin
    GPUSTREAM_BACKEND=host "$work/venv/bin/python" -m pytest -q -p no:cacheprovider --junitxml="$(junit_file)" \
        tests/test_command.py tests/test_package.py tests/test_shaken.py tests/test_streams.py tests/test_examples.py
}

# python_install PYTHON FOLDER: FOLDER/venv with FOLDER's wheel and the tests' requirements.
python_install() {
    "$1" -m venv "$2/venv"
    local packages=(pytest pytest-timeout tqdm)
    # Without a GIL only what has wheels: the newest numpy would be compiled, by compilers that may refuse.
    if [[ $(python_version "$1") == *t ]]; then packages+=(--only-binary :all:); else packages+=(numpy); fi
    "$2/venv/bin/python" -m pip install --quiet "${packages[@]}" "$2"/gpustream-*.whl
}

# 3.13, or 3.13t of one without a GIL.
python_version() { "$1" -c 'import sys; print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))'; }

has_free_threaded() { [[ -n ${GPUSTREAM_FREE_THREADED_PYTHON-} ]] || has python3.13t || has python3.14t; }

# One without a GIL, from Debian's source, unless there is one.
python_free_threaded() { has_free_threaded || scripts/packaging/build_python free-threaded "$root/build/free-threaded"; }

# One for musl, which runs beside this machine's own C library. Fails silently where it is missing.
musl_python() {
    local python=${GPUSTREAM_MUSL_PYTHON:-$root/build/python-musl/bin/python3.13}
    "$python" -c 'import ensurepip, sysconfig, zlib; raise SystemExit(not sysconfig.get_config_var("SOABI").endswith("-linux-musl"))' \
        2>/dev/null || return 1
    echo "$python"
}

# What many threads do at once is another thing each time.
python_repeated() {
    local round
    python_environment
    cd "$root/bindings/python"
    for round in {1..10}; do
        GPUSTREAM_BACKEND=host "$1" -m pytest -q -p no:cacheprovider --timeout 600 --junitxml="$(junit_file "$round")" \
            tests/test_free_threading.py tests/test_free_threading_shared.py || return
    done
}

# Every CPython 3.10 or later on PATH and of pyenv, one per minor version, except the one of .venv; and one without a GIL, which
# GPUSTREAM_FREE_THREADED_PYTHON may name.
python_interpreters() {
    local candidate seen=" $(python_version "$python_own") " version roots=()
    if has pyenv; then roots=("$(pyenv root)"/versions/*/bin/python3); fi
    for candidate in python3.1{0..5} "${roots[@]}" ${GPUSTREAM_FREE_THREADED_PYTHON:+"$GPUSTREAM_FREE_THREADED_PYTHON"} \
        python3.1{3,4,5}t "$root/build/free-threaded/bin/python3.13t"; do
        candidate=$(command -v "$candidate" || true)
        [[ -n $candidate ]] || continue
        version=$("$candidate" -c 'import sys, ensurepip; sys.version_info >= (3, 10) and print("%d.%d%s" % (*sys.version_info[:2], sys.abiflags))' 2>/dev/null) || continue
        [[ -n $version && $seen != *" $version "* ]] || continue
        seen+="$version "
        echo "$candidate"
    done
}

python_other() {
    local version work
    version=$(python_version "$1")
    work=$root/build/python-$version
    rm -rf "$work"
    mkdir -p "$work"
    CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) \
        "$1" -m pip wheel --quiet --no-deps -w "$work" "$root/bindings/python"
    python_install "$1" "$work"
    "$work/venv/bin/python" -c 'import sys; print("CPython", sys.version)'
    python_pytest host "$work/venv/bin/python"
}
