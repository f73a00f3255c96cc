#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel for musl: the pip of a CPython for musl installs it into an environment of its own. There a program and the tests of
# the package run on the host backend, by musl's own loader and with the network closed.
#   tests/packages/install_musl_python.sh DIST [PYTEST_ARGUMENT...]
# The interpreter is GPUSTREAM_MUSL_PYTHON, or the one that scripts/packaging/build_python has made in build/python-musl.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
# shellcheck source=scripts/lib/test_python.sh
full=0 source "$root/scripts/lib/test_python.sh"
dist=$(realpath "$1")
shift
python=$(musl_python) || die 'there is no CPython for musl: scripts/packaging/build_python musl build/python-musl' 3
machine=$(uname -m)
version=$(python3 "$root/scripts/packaging/version.py" "$root")
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheel=$dist/python/gpustream-$version-$tag-$tag-musllinux_1_2_$machine.whl
[[ -f $wheel ]] || die "$wheel is missing: run scripts/package python" 3
place=$(mktemp -d "${TMPDIR:-/tmp}/gpustream-musl-python.XXXXXX")
trap 'rm -rf "$place"' EXIT
has musl-gcc || die 'missing musl-gcc (musl-tools)' 3
closed=()
[[ $(id -u) -ne 0 ]] || closed=(unshare --net)

"$python" -m venv "$place/venv"
# pip takes the wheel only if it knows its tag for one of this interpreter.
"${closed[@]}" "$place/venv/bin/python" -m pip install --quiet --no-index --no-deps --disable-pip-version-check "$wheel"
# What the tests want comes by the other pip: this interpreter has no TLS. It is Python alone: NumPy's wheel for musl has packed
# relocations, which musl before 1.2.4 does not apply, and crashes.
"$python_own" -m pip install --quiet --disable-pip-version-check --target "$place/tests" --only-binary :all: \
    --implementation py --abi none --platform any --python-version "${tag#cp}" pytest pytest-timeout tqdm

# The library and the extension are run by musl's loader, and no other C library is in the process.
cat >"$place/program.py" <<'PROGRAM'
import gpustream, os, platform, sys

with gpustream.Stream() as stream:
    event = stream.record_event()
event.synchronize()
assert event.query()
mapped = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
loader = f"/lib/ld-musl-{platform.machine()}.so.1"
assert [path for path in mapped if "/ld-" in path or "/libc." in path] == [os.path.realpath(loader)], mapped
library = [path for path in mapped if "libgpustream" in path]
assert library == [f"{sys.prefix}/lib/python3.{sys.version_info[1]}/site-packages/gpustream/libgpustream.so.0"], library
print("CPython", sys.version.split()[0], "gpustream", gpustream.__version__, "by", loader)
PROGRAM
export GPUSTREAM_BACKEND=host PYTHONDONTWRITEBYTECODE=1
"${closed[@]}" "$place/venv/bin/python" "$place/program.py"
"${closed[@]}" "$place/venv/bin/python" "$root/examples/python/two_streams.py"
"${closed[@]}" "$place/venv/bin/python" -m gpustream
# What the tests compile is for musl, too.
mkdir "$place/bin"
ln -s "$(command -v musl-gcc)" "$place/bin/cc"
export PATH=$place/bin:$PATH
# The stand-ins for NVIDIA's libraries are those that the C++ tests for musl have built.
support=$root/build/musl/tests/tests/support
[[ -f $support/fake_cuda/driver/libcuda.so.1 ]] || die "$support has no fake driver: run tests/packages/foreign musl" 3
export GPUSTREAM_TEST_FAKE_CUDA=$support/fake_cuda/driver/libcuda.so.1 GPUSTREAM_TEST_FAKE_NVTX=$support/fake_nvtx/libfake_nvtx.so
export GPUSTREAM_TEST_FAKE_NVML=$support/fake_nvml/current/libnvidia-ml.so.1
# Left out: another library than the wheel's own, which musl's loader does not take by its SONAME; a library for another
# processor, which it does not refuse; an extension in C++, for which there is no compiler; and the interpreter's system calls.
left_out=(--deselect tests/test_package.py::test_a_library_in_the_process_serves --deselect tests/test_package.py::test_a_library_named_by_the_environment
    --deselect tests/test_load_hints.py::test_library_for_another_processor --deselect tests/test_guide_interop.py::test_cpp
    --deselect tests/test_startup.py::test_system_calls)
cd "$root/bindings/python"
PYTHONPATH=$place/tests "${closed[@]}" "$place/venv/bin/python" -m pytest -q -p no:cacheprovider --timeout 600 "${left_out[@]}" "$@"
