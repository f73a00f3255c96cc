# SPDX-License-Identifier: Apache-2.0
"""get_peers(), device_from_pci(), and limits of devices."""
import gpustream
from support.refusals import raises

HOST = gpustream.Device("cuda").type == "host"


def test_peers():
    gpustream.init()  # before it, the count may be a guess
    for device in range(gpustream.device_count()):
        expected = [gpustream.Device(peer) for peer in range(gpustream.device_count()) if gpustream.can_device_access_peer(device, peer)]
        assert [peer for peer in gpustream.get_peers(device)] == [peer for peer in expected if peer != gpustream.Device(device)]
    assert gpustream.get_peers() == gpustream.get_peers(gpustream.current_device())
    raises(gpustream.InvalidDeviceError, gpustream.get_peers, 4000)


def test_more_peers_than_are_asked_for_at_first(run_python):
    out = run_python("import gpustream; print(len(gpustream.get_peers(0)))", GPUSTREAM_BACKEND="host", GPUSTREAM_HOST_DEVICES="40")
    assert out.strip() == "39"


def test_by_address():
    if not HOST:
        for device in range(gpustream.device_count()):
            properties = gpustream.get_device_properties(device)
            address = f"{properties.pci_domain_id:04x}:{properties.pci_bus_id:02x}:{properties.pci_device_id:02x}.0"
            assert gpustream.device_from_pci(address) == gpustream.Device(device) == gpustream.device_from_pci(address.upper())
    raises(gpustream.InvalidDeviceError, "7fffffff:ff:1f", gpustream.device_from_pci, "7fffffff:ff:1f")
    raises(gpustream.InvalidArgumentError, "no PCI address", gpustream.device_from_pci, "GPU-1")
    raises(TypeError, gpustream.device_from_pci, 0x10)


def test_limits():
    names = ("stack_size", "printf_fifo_size", "malloc_heap_size", "max_l2_fetch_granularity", "persisting_l2_cache_size",
             "dev_runtime_pending_launch_count")
    if HOST:
        for name in names:
            raises(gpustream.NotSupportedError, gpustream.get_device_limit, name)
        raises(gpustream.NotSupportedError, gpustream.set_device_limit, "stack_size", 1024)
        return
    for name in names:
        assert gpustream.get_device_limit(name, 1) >= 0
    before = gpustream.get_device_limit("stack_size")
    gpustream.set_device_limit("stack_size", 2040)
    assert gpustream.get_device_limit("stack_size") >= 2040, "the driver rounds"
    gpustream.set_device_limit("stack_size", before, gpustream.current_device())
    raises(gpustream.InvalidArgumentError, gpustream.set_device_limit, "stack_size", 1 << 60)


def test_wrong_limits():
    for wrong in ("stack", "", 0, None, ["stack_size"]):
        raises(ValueError, "argument 'limit' must be one of 'stack_size'", gpustream.get_device_limit, wrong)
    raises(TypeError, "argument 'value' must be int", gpustream.set_device_limit, "stack_size", "1")
    raises(OverflowError, gpustream.set_device_limit, "stack_size", -1)
    raises(gpustream.InvalidDeviceError, gpustream.get_device_limit, "stack_size", 4000)
