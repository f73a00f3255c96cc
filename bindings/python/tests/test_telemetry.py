# SPDX-License-Identifier: Apache-2.0
"""The device half of torch.cuda: inventory, telemetry, architectures. NVML's own tests are those of the library."""
import gpustream
import pytest

BACKEND = gpustream.Device("cuda").type


def test_visible_devices_are_read_at_each_call(monkeypatch):
    for value, wanted in ((None, list(range(64))), ("", []), ("0", [0]), ("1gpu2,2ampere", [1, 2]), ("0, 1,2", [0, 1, 2]), ("0,-1,2", [0]),
                          ("0,x,1", [0]), ("1,1", []), ("GPU-9,GPU-7", ["GPU-9", "GPU-7"]), ("GPU-9, GPU-7", ["GPU-9"]), ("GPU-9,GPU-9", []),
                          ("MIG-1", ["MIG-1"])):
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        if value is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
        assert gpustream._parse_visible_devices() == wanted, value


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
    with pytest.raises(RuntimeError):
        gpustream.power_draw()
    for ask in (gpustream.temperature, gpustream.clock_rate):
        try:
            assert isinstance(ask(), int)
        except gpustream.NotSupportedError:
            pass  # this machine does not tell


@pytest.mark.parametrize("ask", ["utilization", "memory_usage", "temperature", "power_draw", "clock_rate", "mem_get_info"])
def test_no_such_device(ask):
    for device in (-1, 99):
        with pytest.raises(gpustream.Error):
            getattr(gpustream, ask)(device)
    with pytest.raises(ValueError):
        getattr(gpustream, ask)("cpu")


def test_architectures():
    names = gpustream.get_arch_list()
    assert (names == []) == (gpustream.get_gencode_flags() == "") == (BACKEND == "host")
    assert all(name.startswith(("sm_", "compute_")) for name in names)
    assert gpustream.is_bf16_supported() is (gpustream.get_device_capability() >= (8, 0))


@pytest.mark.skipif(BACKEND != "host", reason="no GPU: the fake driver has no cuBLAS")
def test_no_cublas_on_host():
    with pytest.raises(NotImplementedError):
        gpustream.current_blas_handle()
