# SPDX-License-Identifier: Apache-2.0
"""What gpustream found here (info, the default), or a pipeline over a file (demo FILE).

Ends with 1 if the default backend cannot be used, or if the pipeline's result is wrong.
"""
import argparse
import ctypes
import json
import os
import re
import sys
from pathlib import Path

import gpustream
from gpustream._load import _core


def _loaded(name):
    """The file of a library that this process has loaded, by a part of its name; None if there is none."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = (line.split(None, 5)[5].strip() for line in maps if line.count(" ") > 5 and "/" in line)
        return next((file for file in files if name in os.path.basename(file)), None)


def _driver():
    """What is known of the CUDA driver that a backend has loaded; None if none has."""
    named = os.environ.get("GPUSTREAM_LIBCUDA") or "libcuda.so.1"
    try:
        library, version = ctypes.CDLL(named, mode=os.RTLD_NOLOAD), ctypes.c_int()
    except OSError:
        return None
    if library.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return None
    return {"cuda": f"{version.value // 1000}.{version.value % 1000 // 10}", "kernel_module": _kernel_module(),
            "library": _loaded(os.path.basename(named)) or _loaded("libcuda.so") or named}


def _kernel_module():
    """NVIDIA's version number of the module in the kernel, as nvidia-smi has it; None without one."""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            found = re.search(r"\b\d{3,}\.\d+(\.\d+)?\b", file.readline())
    except OSError:
        return None
    return found and found.group()


def _priorities(info):
    """[least, greatest]; None for a device without a context, of which CUDA does not tell them."""
    return [info["priority_least"], info["priority_greatest"]] if info["priority_greatest"] else None


def _devices(backend):
    found = []
    for ordinal in range(_core.gs_device_count(backend)):
        info = _core.gs_device_get_info(_core.gs_device_make(backend, ordinal))
        found.append({"index": ordinal, "name": info["name"], "capability": f"{info['capability_major']}.{info['capability_minor']}",
                      "total_memory_bytes": info["total_memory_bytes"], "multiprocessors": info["multiprocessor_count"],
                      "priorities": _priorities(info)})
    return found


def _backend(name, number):
    try:
        if number == _core.gs_default_backend():
            gpustream.init()
        return {"name": name, "count": _core.gs_device_count(number), "devices": _devices(number), "error": None}
    except gpustream.Error as error:
        reason = error.reason.name if error.reason else error.status.name
        return {"name": name, "count": _core.gs_device_count(number), "devices": [], "error": f"{reason}: {error}"}


def collect():
    """Everything that info prints."""
    try:
        default = gpustream.Device("cuda").type
        why = None
    except gpustream.Error as error:
        default, why = None, str(error)
    backends = []
    if default:
        backends = [_backend("cuda", _core.GS_BACKEND_CUDA), _backend("host", _core.GS_BACKEND_HOST)]
        for one in backends:
            if not one["devices"] and not one["error"]:
                one["error"] = _why_not(one["name"])
        why = _explain(backends, default)
    return {"version": gpustream.__version__, "python": sys.version.split()[0], "library": _loaded("libgpustream.so"),
            "copies": gpustream._instance_count(), "driver": _driver(), "default_backend": default, "error": why, "backends": backends}


def _explain(backends, default):
    """Why the default backend cannot be used, in short; None if it can."""
    chosen = next(one for one in backends if one["name"] == default)
    if not chosen["error"]:
        return None
    for one in backends:
        if one is not chosen and one["count"] and one["error"]:
            one["error"] = "not tried, as the default backend fails"
    return f"the default backend, {default}, cannot be used here; GPUSTREAM_BACKEND=host chooses CPU threads"


def _why_not(name):
    """What starting a backend without devices says. That it fails is expected here."""
    try:
        _core.gs_stream_pack(_core.gs_default_stream(_core.gs_device_make({"cuda": 2, "host": 1}[name], 0)))
    except gpustream.Error as error:
        return f"{error.reason.name if error.reason else error.status.name}: {error}"
    return "no device"


def _print(found):
    print(f"gpustream {found['version']}, Python {found['python']}")
    print(f"library   {found['library']}" + (f" (one of {found['copies']} copies in this process!)" if found["copies"] > 1 else ""))
    if found["driver"]:
        module = f", kernel module {found['driver']['kernel_module']}" if found["driver"]["kernel_module"] else ""
        print(f"driver    CUDA {found['driver']['cuda']}{module}, {found['driver']['library']}")
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


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m gpustream", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    info = commands.add_parser("info", help="what gpustream found here (the default)")
    for one in (parser, info):
        one.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="for programs")
    demo = commands.add_parser("demo", help="take a file through a device and check the result")
    demo.add_argument("file", type=Path)
    demo.add_argument("--lanes", type=int, default=2, help="threads with three streams each (2)")
    demo.add_argument("--chunk", type=int, default=4 << 20, help="bytes per chunk (4 MiB)")
    demo.add_argument("--timeline", default="timeline", help="where the picture goes, without ending (timeline); '' for none")
    given = parser.parse_args(arguments)
    if given.command == "demo":
        from gpustream import _demo
        if not given.file.is_file():
            parser.error(f"{given.file} is no file")
        if given.lanes < 1 or given.chunk < 1:
            parser.error("lanes and chunk must be at least 1")
        try:
            return _demo.main(given.file, given.lanes, given.chunk, given.timeline or None)
        except (gpustream.Error, OSError) as error:
            print(f"{parser.prog}: {error}", file=sys.stderr)
            return 1
    found = collect()
    print(json.dumps(found, indent=2)) if getattr(given, "json", False) else _print(found)
    return 1 if found["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
