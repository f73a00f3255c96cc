# SPDX-License-Identifier: Apache-2.0
"""The device half of torch.cuda: inventory, telemetry, architectures. NVML's own tests, and what the library finds, are those of the library."""
import os
import re
import sys
from pathlib import Path

import gpustream
import pytest
from gpustream import _backends
from support.refusals import raises

BACKEND = gpustream.Device("cuda").type


def test_visible_devices_are_read_at_each_call(monkeypatch):
    for value, wanted in ((None, list(range(64))), ("", []), ("0, 1,2", [0, 1, 2]), ("GPU-9,GPU-7", ["GPU-9", "GPU-7"])):
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        if value is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
        assert gpustream._parse_visible_devices() == wanted, value


@pytest.mark.parametrize("value, wanted", [(b"1\xff,0\xff\xfe", [1, 0]), (b"\xff", []), (b"0,\xff", [0]), (b"GPU-\xff,GPU-\xfe", ["GPU-\udcff", "GPU-\udcfe"]),
                                           (b"GPU-\xff,GPU-\xff", []), ("GPU-ä".encode(), ["GPU-ä"]), (b"0," + 5000 * b"9" + b",1", None)])
def test_visible_devices_may_be_any_bytes(run_python, value, wanted):
    out = run_python("import gpustream, os, sys; print(ascii(gpustream._parse_visible_devices()), gpustream._device_count_nvml() < 2)",
                     CUDA_VISIBLE_DEVICES=os.fsdecode(value), GPUSTREAM_LIBNVML="/nonexistent")
    assert out == f"{ascii([0, sys.maxsize, 1] if wanted is None else wanted)} True\n"


def test_uuids():
    uuids = ["GPU-aa1", "GPU-ab2", "GPU-b33"]
    for candidates, wanted in ((["GPU-aa", "GPU-b"], [0, 2]), (["GPU-a"], []), (["GPU-b", "GPU-a"], [2]), (["GPU-b", "GPU-b3"], []), ([], [])):
        assert gpustream._transform_uuid_to_ordinals(candidates, uuids) == wanted


def test_count_uses_the_replaceable_helpers(monkeypatch):
    monkeypatch.setattr(gpustream, "_raw_device_count_nvml", lambda: 2)
    monkeypatch.setattr(gpustream, "_raw_device_uuid_nvml", lambda: ["GPU-aa", "GPU-bb"])
    for value, wanted in (("0,1", 2), ("0,5,1", 1), ("", 0), ("GPU-b", 1), ("GPU-", 0), ("MIG-1", -1), ("5", 0)):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
        assert gpustream._device_count_nvml() == wanted, value
    monkeypatch.setattr(gpustream, "_raw_device_uuid_nvml", lambda: None)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-b")
    assert gpustream._device_count_nvml() == -1


@pytest.mark.skipif(BACKEND != "host", reason="no GPU: NVML does not know the fake driver's devices")
def test_the_machine_answers():
    assert 0 <= gpustream.utilization() <= 100 and isinstance(gpustream.utilization(0), int)
    assert 0 <= gpustream.memory_usage("cuda:0") <= 100
    free, total = gpustream.mem_get_info(0)
    assert 0 < free <= total == gpustream.get_device_properties(0).total_memory
    raises(RuntimeError, gpustream.power_draw)
    for ask in (gpustream.temperature, gpustream.clock_rate):
        try:
            assert isinstance(ask(), int)
        except gpustream.NotSupportedError:
            pass  # this machine does not tell


def test_none_is_the_current_device(run_python):
    out = run_python("""
import gpustream
with gpustream.device(1):
    print(gpustream.temperature(), gpustream.utilization(), gpustream._get_nvml_device_index())
print(gpustream.temperature(), gpustream.temperature(1), gpustream.temperature("cuda"))
gpustream.set_device(1)
print(gpustream.temperature(), gpustream.temperature("cuda"), gpustream.temperature(0))
""", **pytest.fakes())
    assert out.splitlines() == ["41 11 1", "40 41 40", "41 41 40"]


def test_a_gpu_that_does_not_answer(run_python):
    code = "import gpustream; print(gpustream._raw_device_uuid_nvml(), gpustream._device_count_nvml())"
    asked = run_python(code, CUDA_VISIBLE_DEVICES="GPU-", **pytest.fakes())
    assert asked.startswith("['GPU-") and asked.endswith("0\n"), asked
    assert run_python(code, CUDA_VISIBLE_DEVICES="GPU-1", FAKE_NVML_FAIL="nvmlDeviceGetUUID=999", **pytest.fakes()) == "None -1\n"


def test_no_architectures_without_a_gpu(run_python):
    code = "import gpustream; print(gpustream.get_arch_list(), repr(gpustream.get_gencode_flags()), gpustream.is_available())"
    assert run_python(code, **pytest.fakes()).startswith("['compute_")
    assert run_python(code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nonexistent/libcuda.so.1") == "[] '' False\n"


@pytest.mark.parametrize("ask", ["utilization", "memory_usage", "temperature", "power_draw", "clock_rate", "mem_get_info"])
def test_no_such_device(ask):
    for device in (-1, 99):
        with pytest.raises(gpustream.Error):
            getattr(gpustream, ask)(device)
    raises(ValueError, lambda: getattr(gpustream, ask)("cpu"))


def test_architectures():
    names = gpustream.get_arch_list()
    assert (names == []) == (gpustream.get_gencode_flags() == "") == (BACKEND == "host")
    assert all(name.startswith(("sm_", "compute_")) for name in names)


def test_the_architecture_is_that_of_the_kernels():
    kernels = re.findall(rb"\n\.target sm_([0-9]+)", Path(gpustream.get_library()).read_bytes())
    assert {int(number) for number in kernels} == {_backends.special(gpustream._core.GS_BACKEND_CUDA).kernels_for}


@pytest.mark.parametrize("capability, computes, emulates", [("7.5", False, True), ("8.0", True, True), ("12.0", True, True)])
def test_bfloat16(run_python, capability, computes, emulates):
    code = "import gpustream; print(gpustream.is_bf16_supported(False), gpustream.is_bf16_supported(), gpustream.is_bf16_supported(including_emulation=True))"
    assert run_python(code, **pytest.fakes(), FAKE_CUDA_CAPABILITY=capability).split() == [str(computes), str(emulates), str(emulates)]


def test_no_bfloat16_without_a_gpu(run_python):
    code = "import gpustream; print(gpustream.is_bf16_supported(False), gpustream.is_bf16_supported())"
    assert run_python(code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nonexistent/libcuda.so.1") == "False False\n"
    assert run_python(code, GPUSTREAM_BACKEND="host") == "False False\n"


@pytest.mark.skipif(BACKEND != "host", reason="no GPU: the fake driver has no cuBLAS")
def test_no_cublas_on_host():
    raises(NotImplementedError, gpustream.current_blas_handle)


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
