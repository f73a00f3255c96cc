# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The steps for the engines that gpustream works with: MPI, Dask and Ray, all on the host backend, and numba-cuda on the simulated
# driver. The full form kills more processes and hands more over, and tests what is made for PyTorch.
: "${root:?}" "${full:?}"
# shellcheck source=scripts/lib/test_core.sh
source "$root/scripts/lib/test_core.sh"

engines_python=$root/.venv/engines/bin/python

engines_build_steps() { step engines-build engines_build; }

engines_steps() {
    export GPUSTREAM_BACKEND=host GPUSTREAM_CHECK=abort # right programs: the ordering checker has nothing to report
    step engines-mpi core_ctest release -R '^examples\.mpi'
    step engines-dask engines_pytest dask
    step engines-ray engines_pytest ray
    step engines-numba engines_numba
    if [[ $full == 1 ]]; then step engines-torch engines_torch; fi
}

# The Python package is built for the interpreter of .venv, which is that of .venv/engines too.
engines_build() {
    local settings=(-DGPUSTREAM_CUDA="$(cuda_setting)" -DGPUSTREAM_BUILD_EXAMPLES=ON -DGPUSTREAM_PYTHON=ON
        -DPython_EXECUTABLE="$root/.venv/bin/python")
    [[ -f $root/build/release/CMakeCache.txt ]] || settings+=(-DGPUSTREAM_TEST_FAMILIES=all)
    cmake --preset release "${settings[@]}"
    cmake --build --preset release --parallel "$(jobs)" --target gpustream gpustream_python_package mpi_ring mpi_lost fake_cuda
    "$engines_python" -c 'import dask, ray; print("Ray", ray.__version__, "Dask", dask.__version__)'
}

# engines_pytest NAME: the tests of integrations/NAME, with the Python package of the build tree.
engines_pytest() {
    cd "$root/integrations/$1" || return
    export PYTHONPATH=$root/build/release/python:$PWD PYTHONDONTWRITEBYTECODE=1
    export GPUSTREAM_TEST_FAKE_CUDA=$root/build/release/tests/support/fake_cuda/driver/libcuda.so.1
    "$engines_python" -m pytest -q -p no:cacheprovider --timeout $((full == 1 ? 1800 : 600)) --junitxml="$(junit_file)"
}

engines_numba() {
    export PYTHONPATH=$root/build/release/python PYTHONDONTWRITEBYTECODE=1
    "$engines_python" -m pytest -q -p no:cacheprovider --timeout 600 --junitxml="$(junit_file)" "$root/tests/front/numba_suite.py"
}

engines_torch() {
    export PYTHONPATH=$root/build/release/python PYTHONDONTWRITEBYTECODE=1
    "$root/.venv/torch/bin/python" -m pytest -q -p no:cacheprovider --timeout 600 --junitxml="$(junit_file)" "$root/examples/torch_stable"
}
