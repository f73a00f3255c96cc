# SPDX-License-Identifier: Apache-2.0
"""inventory(): GPUs and MIG instances as NVML lists them. What the library finds is tested with it."""
import pytest

SHOW = """
import gpustream
for one in gpustream.inventory():
    print(one.name, one.uuid[:4], one.nvml_index, one.is_mig, one.mig_index, one.mig_enabled, one.pci, one.native_code, one.total_memory > 0)
assert not gpustream.is_initialized()
"""


def lines(run_python, **environment):
    return run_python(SHOW, **{**pytest.fakes(), **environment}).splitlines()


def test_gpus(run_python):
    first, second = lines(run_python)
    assert first.split()[2:] == ["GPU-", "0", "False", "None", "False", "0000:10:00", "0", "True"], first
    assert second.split()[2:] == ["GPU-", "1", "False", "None", "False", "0000:11:00", "0", "True"], second


def test_instances(run_python):
    found = lines(run_python, FAKE_NVML_MIG="0,3")
    assert len(found) == 5, found
    parent, instances = [line for line in found if " GPU- 1 " in line], [line for line in found if "MIG-" in line]
    assert len(parent) == 1 and " False None True " in parent[0], found
    assert [line.split(" MIG- ")[1].split()[:3] for line in instances] == [["1", "True", str(index)] for index in range(3)], found


def test_ordinals(run_python):
    code = "import gpustream; gpustream.init(); print([one.ordinal for one in gpustream.inventory()])"
    assert run_python(code, **pytest.fakes()) == "[0, 1]\n"
    assert run_python(code.replace("gpustream.init(); ", ""), CUDA_VISIBLE_DEVICES="1", **pytest.fakes()) == "[None, 0]\n"


def test_no_nvml(run_python):
    out = run_python("""
import gpustream
try:
    gpustream.inventory()
except gpustream.UnavailableError as error:
    print(error.reason.name)
""", GPUSTREAM_LIBNVML="/no/such/library")
    assert out == "NO_LIBRARY\n", out
