# SPDX-License-Identifier: Apache-2.0
"""inventory(): the machine's GPUs and MIG instances, whether this process may use them or not."""
from __future__ import annotations

from typing import Any, NamedTuple

from gpustream._load import _core


class InventoryEntry(NamedTuple):
    """A GPU, or an instance of one that is divided by MIG; GPUs first. See gs_inventory_entry_t in gpustream.h."""

    name: str
    uuid: str  # with its prefix, "GPU-" or "MIG-"
    ordinal: int | None  # the index of the device in this process; None: it is not visible, or that is not known before init()
    nvml_index: int  # of the GPU; an instance has its GPU's
    mig_index: int | None  # of an instance on its GPU
    mig_enabled: bool  # the GPU is divided: only its instances can be used
    major: int
    minor: int
    total_memory: int  # bytes
    pci: str | None  # such as "0000:3b:00", as device_from_pci() takes it
    native_code: int  # NVML's, if the GPU is listed but cannot be queried; else 0

    @property
    def is_mig(self) -> bool:
        """Whether it is an instance."""
        return self.mig_index is not None


def inventory() -> list[InventoryEntry]:
    """Return what NVML lists on this machine (a list of InventoryEntry), visible to this process or not.

    Never initialises CUDA, so that a fork afterwards is safe; also in a forked child. May take milliseconds.

    Raises gpustream.UnavailableError: there is no NVML, or it cannot be used.
    """
    _, count = _core.gs_inventory_count()
    return [_entry(_core.gs_inventory_get(index)) for index in range(count)]


def _entry(found: dict[str, Any]) -> InventoryEntry:
    return InventoryEntry(
        name=found["name"], uuid=found["uuid"], ordinal=found["ordinal"] if found["ordinal"] >= 0 else None, nvml_index=found["nvml_index"],
        mig_index=found["mig_index"] if found["is_mig"] else None, mig_enabled=bool(found["mig_enabled"]), major=found["capability_major"],
        minor=found["capability_minor"], total_memory=found["total_memory_bytes"],
        pci="{pci_domain:04x}:{pci_bus:02x}:{pci_device:02x}".format_map(found) if found["has_pci"] else None, native_code=found["native_code"])
