# SPDX-License-Identifier: Apache-2.0
"""Compares the inventory and the telemetry with nvidia-smi and with the driver, on real GPUs, for a table of settings.

Each setting is tried in a process of its own. In it the count and the mapping are asked before the driver is initialised,
then the driver is asked through gpustream and directly; nvidia-smi was asked by the parent.

usage: inventory.py      exit status 0: no check failed
"""

import ctypes as c
import json
import os
import subprocess
import sys
import time

LIBRARY = os.environ.get("GPUSTREAM_LIBRARY", "libgpustream.so.0")
CUDA = 2 << 16
MEASURES = {"utilization_percent": ("utilization.gpu", 1), "memory_utilization_percent": ("utilization.memory", 1),
            "temperature_celsius": ("temperature.gpu", 1), "power_milliwatts": ("power.draw", 1000), "sm_clock_mhz": ("clocks.sm", 1)}
# How far a value may be from nvidia-smi's of a moment before or after, under steady load.
SLACK = {"utilization_percent": 15, "memory_utilization_percent": 15, "temperature_celsius": 6, "power_milliwatts": 120000,
         "sm_clock_mhz": 300}


class Entry(c.Structure):
    _fields_ = [(name, c.c_int32) for name in (
        "struct_size", "status", "native_code", "nvml_index", "ordinal", "is_mig", "mig_index", "mig_enabled", "capability_major",
        "capability_minor", "has_pci", "pci_domain", "pci_bus", "pci_device")] + [
        ("total_memory_bytes", c.c_uint64), ("uuid", c.c_char * 96), ("name", c.c_char * 96)]


def smi(*fields):
    """One list of values per GPU, in nvidia-smi's order."""
    text = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"], check=True,
                          capture_output=True, text=True).stdout
    return [[value.strip() for value in line.split(",")] for line in text.strip().splitlines()]


def settings(uuids):
    last = len(uuids) - 1
    lists = [None, "", "0", str(last), ",".join(str(i) for i in range(last, -1, -1)), "0,0", "-1", f"0,{last + 1}", "0x,y", " 0 ",
             "+0", f"0,-1,{last}", "none", str(last + 1), uuids[-1], uuids[-1][:12], "GPU-", f"0,{last + 1},0", "GPU-nothing", ",".join(reversed(uuids)),
             uuids[0] + "," + uuids[0], uuids[0] + ",0", uuids[0] + ", " + uuids[-1]]
    return [(value, order) for value in dict.fromkeys(lists) for order in (None, "PCI_BUS_ID", "FASTEST_FIRST")]


def driver_uuids():
    driver = c.CDLL("libcuda.so.1")
    count = c.c_int()
    result = driver.cuInit(0)
    if result in (100, 101):  # CUDA_ERROR_NO_DEVICE; CUDA_ERROR_INVALID_DEVICE: the list names one device twice
        return []
    assert result == 0 and driver.cuDeviceGetCount(c.byref(count)) == 0, f"cuInit gave {result}"
    found = []
    for ordinal in range(count.value):
        device, uuid = c.c_int(), (c.c_ubyte * 16)()
        assert driver.cuDeviceGet(c.byref(device), ordinal) == 0
        assert driver.cuDeviceGetUuid_v2(uuid, device) == 0
        digits = bytes(uuid).hex()
        found.append("GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])))
    return found


def mapping(library, count):
    """UUIDs by ordinal according to the inventory; None if it reports them as unknown."""
    found = []
    for ordinal in range(count):
        index, entry = c.c_int32(), Entry(struct_size=c.sizeof(Entry))
        status = library.gs_inventory_index(CUDA | ordinal, c.byref(index))
        assert status in (0, 33), f"gs_inventory_index({ordinal}) gave {status}"
        if status == 0:
            assert library.gs_inventory_get(index, c.byref(entry)) == 0
        found.append(entry.uuid.decode() if status == 0 else None)
    return found


def child():
    library = c.CDLL(LIBRARY)
    count, initialized = c.c_int32(), c.c_int32(1)
    assert library.gs_device_count(2, c.byref(count)) == 0
    before = mapping(library, count.value)
    library.gs_is_initialized(c.byref(initialized))
    status = library.gs_init()
    after_count = c.c_int32()
    library.gs_device_count(2, c.byref(after_count))
    after = mapping(library, after_count.value) if status == 0 else []
    print(json.dumps({"count": count.value, "before": before, "initialized": initialized.value, "after": after,
                      "driver": driver_uuids()}))


def check_settings(uuids):
    wrong = 0
    for value, order in settings(uuids):
        env = {k: v for k, v in os.environ.items() if k not in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")}
        env.update({k: v for k, v in (("CUDA_VISIBLE_DEVICES", value), ("CUDA_DEVICE_ORDER", order)) if v is not None})
        env["GPUSTREAM_BACKEND"] = "cuda"
        done = subprocess.run([sys.executable, __file__, "--child"], env=env, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            print(f"FAIL {value!r} {order}: {done.stderr.strip()[-400:]}")
            wrong += 1
            continue
        found = json.loads(done.stdout)
        truth = found["driver"]
        right = (found["count"] == len(truth) and found["after"] == truth and found["initialized"] == 0
                 and all(mine in (None, theirs) for mine, theirs in zip(found["before"], truth)))
        unknown = found["before"].count(None)
        print(f"{'ok  ' if right else 'FAIL'} CUDA_VISIBLE_DEVICES={value!r} CUDA_DEVICE_ORDER={order}: {len(truth)} device(s)"
              + (f", {unknown} not known before the start" if unknown else ""))
        if not right:
            print(f"     {found}")
        wrong += not right
    return wrong


def check_inventory(library):
    gpus, entries, wrong = c.c_int32(), c.c_int32(), 0
    assert library.gs_inventory_count(c.byref(gpus), c.byref(entries)) == 0
    rows = smi("index", "uuid", "name", "pci.bus_id", "memory.total", "compute_cap")
    wrong += gpus.value != len(rows)
    for index, uuid, name, bus, memory, capability in rows:
        entry = Entry(struct_size=c.sizeof(Entry))
        assert library.gs_inventory_get(int(index), c.byref(entry)) == 0
        address = f"{entry.pci_domain:08X}:{entry.pci_bus:02X}:{entry.pci_device:02X}.0"
        right = (entry.uuid.decode() == uuid and entry.name.decode() == name and address == bus
                 and abs(entry.total_memory_bytes / 2**20 - float(memory)) < 2
                 and f"{entry.capability_major}.{entry.capability_minor}" == capability)
        print(f"{'ok  ' if right else 'FAIL'} nvidia-smi's GPU {index}: {uuid} {name} {bus}")
        wrong += not right
    return wrong


class Telemetry(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("known", c.c_uint32), *((name, c.c_int32) for name in MEASURES), ("reserved", c.c_uint32),
                ("used", c.c_uint64), ("free", c.c_uint64), ("total", c.c_uint64)]  # fmt: skip


def measure(library, device):
    found = Telemetry(c.sizeof(Telemetry))
    assert library.gs_device_get_telemetry(device, 0, c.byref(found)) == 0
    assert found.known == 63, found.known
    return found


def check_telemetry(library, devices):
    """Load on the last device only: its numbers, and those of the others, must be nvidia-smi's for the same UUID."""
    wrong, uuids, busy = 0, driver_uuids(), devices - 1
    stream = c.c_void_p()
    library.gs_stream_create.argtypes = [c.c_int32, c.c_int32, c.c_uint32, c.POINTER(c.c_void_p)]
    library.gs_stream_sleep.argtypes = [c.c_void_p, c.c_uint64]
    library.gs_stream_synchronize.argtypes = [c.c_void_p]
    assert library.gs_stream_create(busy, 0, 0, c.byref(stream)) == 0
    assert library.gs_stream_sleep(stream, 20_000_000_000) == 0  # some ten seconds
    time.sleep(3)
    for device in range(devices):
        mine = measure(library, device)
        rows = {row[0]: row[1:] for row in smi("uuid", *(field for field, _ in MEASURES.values()))}
        for (name, (_, factor)), theirs in zip(MEASURES.items(), rows[uuids[device]]):
            if theirs in ("[N/A]", "[Not Supported]"):
                continue
            right = abs(getattr(mine, name) - float(theirs) * factor) <= SLACK[name]
            print(f"{'ok  ' if right else 'FAIL'} device {device}{' (busy)' if device == busy else ''} {name}: {getattr(mine, name)}, nvidia-smi {theirs}")
            wrong += not right
        memory = mine.used, mine.free, mine.total
        row = {row[0]: [float(value) for value in row[1:]] for row in smi("uuid", "memory.used", "memory.free", "memory.total")}[uuids[device]]
        right = all(abs(mine_ / 2**20 - theirs) < 64 for mine_, theirs in zip(memory, row))
        print(f"{'ok  ' if right else 'FAIL'} device {device} memory: {[value >> 20 for value in memory]} MiB, nvidia-smi {row}")
        wrong += not right
    assert measure(library, busy).utilization_percent >= 90, "the load was not seen"
    assert library.gs_stream_synchronize(stream) == 0
    return wrong


def main():
    if sys.argv[1:] == ["--child"]:
        return child()
    library = c.CDLL(LIBRARY)
    wrong = check_inventory(library)
    uuids = [row[0] for row in smi("uuid")]
    wrong += check_settings(uuids)
    assert library.gs_init() == 0
    wrong += check_telemetry(library, len(uuids))
    print(f"{wrong} checks failed" if wrong else "inventory: all checks passed, 0 failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
