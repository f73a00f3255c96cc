#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of programs.txt as inputs of the harness api, into the corpora api-host and api-cuda.

   assemble.py [--check]       --check writes nothing and exits 1 if a corpus has another program

A line of programs.txt is "THREAD FUNCTION [ARGUMENT=VALUE]...". A value is the byte that the argument is drawn from
(api/arguments.cpp), 0 if it is not stated, or: +N, the N-th object of its kind that the program makes; null; current.
"""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NUMBERS = 4096
MASK = (1 << 64) - 1
# Handles of streams that are there before the program: the default and per-thread streams of both devices of each backend.
BEFORE = {"api-host": {"stream": 4}, "api-cuda": {"stream": 8}}
WORDS = {"null": 0xFF, "current": 0xF0}
# The model of programs has no captures and graphs (is_modelled() in api/calls.cpp).
NOT_MODELLED = ("gs_graph_", "gs_stream_begin_capture", "gs_stream_end_capture", "gs_stream_abort_capture", "gs_stream_capture_",
                "gs_stream_set_capture_nodes", "gs_timeline_", "gs_stream_signal_timeline", "gs_stream_wait_timeline",
                "gs_stream_write_value", "gs_stream_wait_value", "gs_stream_batch_values", "gs_pool_", "gs_allocator_", "gs_partition_", "gs_stream_create_in", "gs_current_adopt", "gs_current_snapshot", "gs_device_from_pci", "gs_device_peers",
                "gs_device_reset", "gs_device_set_limit", "gs_device_get_limit", "gs_set_current_pool", "gs_current_pool", "gs_free_after", "gs_token_")
# Rows written by hand draw their arguments in another order than the header has them.
ORDERS = {
    "gs_memcpy_async": ["stream", "dst", "src", "bytes"],
    "gs_memcpy_batch_async": ["stream", "copies", "order"],
    "gs_memset_async": ["stream", "dst", "value", "bytes"],
    "gs_stream_launch_host": ["stream", "fn"],
    "gs_stream_notify": ["stream", "fn"],
    "gs_call_on_init": ["fn", "status"],
    "gs_set_log_callback": ["fn"],
    "gs_set_check_callback": ["fn"],
    "gs_set_trace_callback": ["fn"],
    "gs_trace_write": ["trace", "pieces"],
    "gs_module_load": ["device", "image", "out_module"],
    "gs_stream_from_native_owned": ["device", "native", "release", "out_stream"],
    "gs_event_from_native_owned": ["device", "native", "release", "out_event"],
    "gs_bridge_register": ["how", "out_bridge"],
    "gs_queue_poll": ["queue", "place", "capacity", "out_count"],
    "gs_queue_wait": ["queue", "place", "capacity", "timeout_ns", "out_count"],
    "gs_kernel_launch": ["kernel", "stream", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared", "config"],
}


def hash_of(name, salt):
    value = 0xCBF29CE484222325 ^ salt
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & MASK
    return value ^ value >> 33


def numbers(functions):
    """{function: the smallest number that means it}, as calls.cpp has it."""
    found = {}
    for number in range(NUMBERS):
        found.setdefault(max(functions, key=lambda name: hash_of(name, number)), number)
    return found


def parameters(function):
    if function["name"] in ORDERS:
        return {name: None for name in ORDERS[function["name"]]} | {
            one["name"]: one.get("handle") for one in function["parameters"] if one["name"] in ORDERS[function["name"]]
        }
    return {one["name"]: one.get("handle") for one in function["parameters"]}


def byte_of(value, kind, corpus):
    if value in WORDS:
        return WORDS[value]
    if value.startswith("+"):
        return BEFORE[corpus].get(kind, 0) + int(value[1:])
    return int(value, 0)


def assembled(lines, functions, known, corpus):
    text = b""
    for line in lines:
        thread, name, *given = line.split()
        drawn = parameters(functions[name])
        values = dict(one.split("=") for one in given)
        unknown = set(values) - set(drawn)
        if unknown:
            sys.exit(f"{line}: {name} has no {', '.join(sorted(unknown))}")
        text += known[name].to_bytes(2, "little") + bytes([int(thread)])
        text += bytes(byte_of(values.get(one, "0"), kind, corpus) for one, kind in drawn.items())
    return text


def programs():
    """{name: lines}"""
    found, lines = {}, []
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("program "):
            lines = found[line.split()[1]] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def main():
    description = json.loads((ROOT / "api/gpustream.json").read_text(encoding="utf-8"))
    functions = {one["name"]: one for one in description["functions"] if not one["name"].startswith(NOT_MODELLED)}
    functions["fake_cuda_inject"] = {"name": "fake_cuda_inject", "parameters": [{"name": one} for one in ("nth", "code", "how")]}
    known = numbers(list(functions))
    wrong = 0
    for corpus in BEFORE:
        for name, lines in programs().items():
            path = HERE / "corpus" / corpus / name
            text = assembled(lines, functions, known, corpus)
            if path.exists() and path.read_bytes() == text:
                continue
            wrong += 1
            print(f"{path.relative_to(ROOT)}: " + ("differs: run tests/fuzz/assemble.py" if sys.argv[1:] else "written"))
            if not sys.argv[1:]:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text)
    return 1 if wrong and sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
