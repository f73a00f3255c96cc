# SPDX-License-Identifier: Apache-2.0
"""Devices: how they are named, made current, and what is known about them (rows F-1 to F-22), their peers and limits."""
import copy
import pickle
import re
from types import SimpleNamespace

import gpustream
import pytest
from gpustream import Device
from support.refusals import raises

BACKEND = Device("cuda").type


@pytest.mark.parametrize("name", ["cuda:1", "cuda:0", "cuda"])
def test_names_mean_the_default_backend(name):
    index = int(name[5:] or 0) if ":" in name else 0
    assert gpustream.Stream(name).device == Device("cuda", index)
    assert gpustream.Stream(device=Device(name)).device_index == index


def test_host_is_explicit():
    assert gpustream.Stream("host:1").device == Device("host", 1)
    assert gpustream.Stream("host").device == Device("host", 0)
    assert gpustream.current_stream("host:1").device == Device("host", 1)
    if BACKEND == "host":
        assert Device("host", 1) == Device("cuda", 1)
    else:
        assert Device("host", 1) != Device("cuda", 1)


@pytest.mark.parametrize("name", ["cpu", "cpu:0", "xpu", "mps:1", "meta"])
def test_other_types(name):
    for use in (gpustream.Stream, Device, gpustream.set_device, gpustream.device, gpustream.synchronize, gpustream.current_stream):
        raises(ValueError, f"^Expected a cuda device, but got: {name}$", use, name)
    raises(ValueError, "Expected a cuda device, but got: cpu", lambda: gpustream.Stream(SimpleNamespace(type="cpu", index=None)))


@pytest.mark.parametrize("name", ["cuda0", "cuda:x", "cuda:-3", "", "cuda:", ":1", "cuda:01", "CUDA:0", "cuda:1 ", "cuda: 1", "cuda:1.0", "7"])
def test_malformed_names(name):
    for use in (gpustream.Stream, Device, gpustream.set_device, gpustream.get_device_name):
        raises(RuntimeError, f"^Invalid device string: '{re.escape(name)}'$", use, name)


@pytest.mark.parametrize("thing", [1.5, [], object(), b"cuda", True, {}])
def test_no_devices(thing):
    for use in (gpustream.Stream, gpustream.set_device, gpustream.current_stream, gpustream.synchronize, gpustream.device):
        raises(TypeError, use, thing)


@pytest.mark.parametrize("number", [2, 99, 65535, 65536, 65538, 0x10001, 0x20000, 0x20001, 2**31 - 1, 2**31, 2**63, 2**70, "cuda:2", "cuda:70000"])
def test_out_of_range(number):
    before = gpustream.current_device()
    for use in (gpustream.Stream, gpustream.set_device, gpustream.current_stream, gpustream.default_stream, gpustream.synchronize,
                gpustream.get_device_name, gpustream.get_device_capability, gpustream.get_device_properties,
                gpustream.generic.Stream, gpustream.Stream.priority_range, gpustream._device_check,
                lambda device: gpustream.ExternalStream(0, device), lambda device: gpustream.can_device_access_peer(device, 0)):
        raises(AssertionError, "^Invalid device id", use, number)
        raises(gpustream.Error, use, number)
    with pytest.raises(gpustream.InvalidDeviceError), gpustream.device(number):
        pass
    raises(AssertionError, "^Invalid peer device id$", gpustream.can_device_access_peer, 0, number)
    assert gpustream.current_device() == before


def test_numbers_are_ordinals_in_all_packages():
    class Number:
        def __index__(self):
            return 0x20001

    for thing in (Number(), SimpleNamespace(index=0x20001), SimpleNamespace(type="cuda", index=0x10000)):
        for use in (gpustream.Stream, gpustream.set_device, gpustream.get_device_name, gpustream.current_stream):
            raises(AssertionError, "^Invalid device id", use, thing)


@pytest.mark.parametrize("number", [-1, -2, -77, -2**40, -2**80])
def test_negative_numbers(number):
    gpustream.set_device(1)
    gpustream.set_device(number)
    with gpustream.device(number):
        assert gpustream.current_device() == 1
    assert gpustream.Stream(number).device_index == 1
    assert gpustream.Stream(device=number).device_index == 1
    assert gpustream.current_stream(number).device_index == 1
    assert gpustream.default_stream(number).device_index == 1
    gpustream.synchronize(number)
    for ask in (gpustream.get_device_name, gpustream.get_device_capability, gpustream.get_device_properties):
        raises(AssertionError, "^Invalid device id$", ask, number)
    raises(AssertionError, "^Invalid device id$", gpustream.can_device_access_peer, number, 0)
    raises(AssertionError, "^Invalid peer device id$", gpustream.can_device_access_peer, 0, number)


def test_objects_with_an_index():
    torch_device = SimpleNamespace(type="cuda", index=1)
    assert gpustream.Stream(torch_device).device_index == 1
    assert Device(torch_device) == Device("cuda", 1)
    gpustream.set_device(1)
    assert gpustream.Stream(SimpleNamespace(type="cuda", index=None)).device_index == 1
    assert gpustream.Stream(SimpleNamespace(index=0)).device_index == 0

    class Number:
        def __index__(self):
            return 0

    assert gpustream.Stream(Number()).device_index == 0


def test_device_values():
    assert Device("cuda", 1) == Device("cuda:1") == Device(1) == Device(Device(1))
    assert Device("cuda") != Device("cuda", 0) and Device("cuda").index is None
    assert len({Device("cuda:1"), Device(1), Device(0)}) == 2
    assert str(Device(1)) == f"{BACKEND}:1" and repr(Device(1)) == f"device(type='{BACKEND}', index=1)"
    assert repr(Device("cuda")) == f"device(type='{BACKEND}')"
    assert pickle.loads(pickle.dumps(Device(1))) == Device(1)
    assert (Device(1) == 1) is False and (Device(1) == None) is False  # noqa: E711
    for change in (lambda: setattr(Device(1), "index", 2), lambda: delattr(Device(1), "type"), lambda: setattr(Device(1), "other", 2)):
        raises(AttributeError, change)
    for wrong in (lambda: Device("cuda:1", 0), lambda: Device("cuda", -1), lambda: Device(-1)):
        raises(RuntimeError, wrong)
    for wrong in (lambda: Device("cuda", "1"), lambda: Device("cuda", True), lambda: Device(1, 1), lambda: Device(1.5)):
        raises(TypeError, wrong)


def test_count_and_properties():
    assert gpustream.device_count() == 2 and gpustream.is_available() is True
    gpustream.set_device(1)
    properties = gpustream.get_device_properties()
    assert properties.name == gpustream.get_device_name(1) == gpustream.get_device_name("cuda:1") == gpustream.get_device_name(None)
    assert (properties.major, properties.minor) == gpustream.get_device_capability()
    assert properties.name in repr(properties)
    assert properties.total_memory > 0 and properties.multi_processor_count > 0
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|", properties.uuid)
    if BACKEND == "host":
        assert gpustream.get_device_capability(0) == (0, 0)


def test_properties_are_copied():
    properties = gpustream.get_device_properties()
    for one in (copy.copy(properties), copy.deepcopy([properties])[0], pickle.loads(pickle.dumps(properties))):
        assert repr(one) == repr(properties) and one.pci_bus_id == properties.pci_bus_id
        raises(AttributeError, "read-only", setattr, one, "name", "other")


def test_all_callers_get_one_object_of_properties():
    count = gpustream.device_count()
    with gpustream.device(count - 1):
        assert gpustream.get_device_properties() is gpustream.get_device_properties(count - 1)


def test_the_device_to_set_is_named():
    gpustream.set_device(1)
    raises(TypeError, "argument 'device' must be a device", gpustream.set_device, None)
    for device in ("cuda", Device("cuda"), SimpleNamespace(index=None)):
        raises(ValueError, "Expected a gpustream.Device with a specified index", gpustream.set_device, device)
    assert gpustream.current_device() == 1


def test_a_peer_is_named():
    """As torch: the first device may be the current one, the second is said."""
    gpustream.set_device(1)
    assert gpustream.can_device_access_peer(None, 0) is gpustream.can_device_access_peer("cuda", "cuda:0") is True
    raises(TypeError, "argument 'peer_device' must be a device", gpustream.can_device_access_peer, 0, None)
    for peer in ("cuda", Device("cuda"), SimpleNamespace(index=None)):
        with pytest.raises(ValueError, match="Expected a gpustream.Device with a specified index or an integer, but got: "):
            gpustream.can_device_access_peer(0, peer)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        gpustream.can_device_access_peer(0, SimpleNamespace(type="cpu", index=None))
    for peer in ([], 1.5, True):
        raises(TypeError, "argument 'peer_device'", gpustream.can_device_access_peer, 0, peer)


def test_two_peers():
    assert gpustream.can_device_access_peer(0, 0) is False
    assert gpustream.can_device_access_peer("cuda:0", gpustream.Device(1)) in (True, False)


def test_synchronize_forms(gate):
    held = gate(stream := gpustream.Stream(1))
    gpustream.synchronize()
    gpustream.synchronize(None)
    gpustream.synchronize(0)
    gpustream.synchronize(device="cuda:0")
    assert stream.query() is False
    held.open()
    gpustream.synchronize(1)
    assert stream.query() is True
    raises(TypeError, gpustream.synchronize, 0, 1, 2)
    raises(TypeError, gpustream.synchronize, dev=0)
    gpustream._device_check()
    gpustream._device_check(1)


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
        raises(ValueError, "argument 'limit' must be one of 'dev_runtime_", gpustream.get_device_limit, wrong)
    raises(TypeError, "argument 'value' must be int", gpustream.set_device_limit, "stack_size", "1")
    raises(OverflowError, gpustream.set_device_limit, "stack_size", -1)
    raises(gpustream.InvalidDeviceError, gpustream.get_device_limit, "stack_size", 4000)
