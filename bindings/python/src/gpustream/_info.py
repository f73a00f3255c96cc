# SPDX-License-Identifier: Apache-2.0
"""What gpustream found on this machine: library, driver, backends and devices, and why one cannot be used."""
from __future__ import annotations

import enum
import sys
from typing import Any

import gpustream
from gpustream._backend_names import BACKENDS
from gpustream._backends import loaded_file, special
from gpustream._load import _core


def _driver() -> dict[str, Any] | None:
    """What is known of the driver that a backend has loaded; None before one has."""
    return next((found for found in (special(number).driver() for number in BACKENDS) if found), None)


def _priorities(info: dict[str, Any]) -> list[int] | None:
    """[least, greatest]; None where the driver reports them only with a context."""
    return [info["priority_least"], info["priority_greatest"]] if info["priority_greatest"] else None


def _devices(backend: int) -> list[dict[str, Any]]:
    found = []
    for ordinal in range(_core.gs_device_count(backend)):
        info = _core.gs_device_get_info(_core.gs_device_make(backend, ordinal))
        found.append({"index": ordinal, "name": info["name"], "capability": f"{info['capability_major']}.{info['capability_minor']}",
                      "total_memory_bytes": info["total_memory_bytes"], "multiprocessors": info["multiprocessor_count"],
                      "priorities": _priorities(info)})
    return found


def _text(error: gpustream.Error) -> str:
    kind = error.reason if error.reason else error.status
    return f"{kind.name if isinstance(kind, enum.Enum) else kind}: {error}"


def _backend(name: str, number: int) -> dict[str, Any]:
    try:
        if number == _core.gs_default_backend():
            gpustream.init()
        return {"name": name, "count": _core.gs_device_count(number), "devices": _devices(number), "error": None}
    except gpustream.Error as error:
        return {"name": name, "count": _core.gs_device_count(number), "devices": [], "error": _text(error)}


def _why_not(number: int) -> str | None:
    """The expected error of starting a backend that has no devices; None if this build lacks the backend."""
    try:
        _core.gs_stream_pack(_core.gs_default_stream(_core.gs_device_make(number, 0)))
    except gpustream.Error as error:
        return None if error.reason is gpustream.Reason.NOT_BUILT else _text(error)
    return "no device"


def _backends() -> list[dict[str, Any]]:
    """Those that this build of the library has."""
    found = []
    for number, name in sorted(BACKENDS.items(), reverse=True):
        one = _backend(name, number)
        if not one["devices"] and not one["error"]:
            one["error"] = _why_not(number)
        if one["devices"] or one["error"]:
            found.append(one)
    return found


def _explain(backends: list[dict[str, Any]], default: str) -> str | None:
    """Why the default backend cannot be used, in short; None if it can."""
    chosen = next(one for one in backends if one["name"] == default)
    if not chosen["error"]:
        return None
    others = [one for one in backends if one is not chosen and one["count"]]
    for one in others:
        if one["error"]:
            one["error"] = "not tried, as the default backend fails"
    choices = "".join(f"; GPUSTREAM_BACKEND={one['name']} chooses another" for one in others)
    return f"the default backend, {default}, cannot be used here{choices}"


def collect() -> dict[str, Any]:
    """Everything that info prints."""
    backends: list[dict[str, Any]] = []
    try:
        default = gpustream.Device().type
        backends = _backends()
        why = _explain(backends, default)
    except gpustream.Error as error:
        default, why = "", str(error)
    return {"version": gpustream.__version__, "python": sys.version.split()[0], "library": loaded_file("libgpustream.so"),
            "copies": gpustream._instance_count(), "driver": _driver(), "default_backend": default or None, "error": why,
            "backends": backends}


def show(found: dict[str, Any]) -> None:
    """Prints it for people."""
    print(f"gpustream {found['version']}, Python {found['python']}")
    print(f"library   {found['library']}" + (f" (one of {found['copies']} copies in this process!)" if found["copies"] > 1 else ""))
    if found["driver"]:
        driver = found["driver"]
        module = f", kernel module {driver['kernel_module']}" if driver["kernel_module"] else ""
        print(f"driver    {driver['name']} {driver['version']}{module}, {driver['library']}")
    if found["error"]:
        print(f"unusable  {found['error']}")
    for backend in found["backends"]:
        default = " (default)" if backend["name"] == found["default_backend"] else ""
        print(f"{backend['name']:<9} {backend['count']} device(s){default}"
              + (f": {backend['error']}" if backend["error"] else ""))
        for device in backend["devices"]:
            print(f"  {backend['name']}:{device['index']}  {device['name']}, {device['total_memory_bytes'] / 2**30:.1f} GiB, "
                  f"capability {device['capability']}, {device['multiprocessors']} processors"
                  + (f", priorities {device['priorities'][0]} to {device['priorities'][1]}" if device["priorities"] else ""))
