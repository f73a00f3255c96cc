# SPDX-License-Identifier: Apache-2.0
"""Reads the output of the benchmarks."""
import json
from dataclasses import dataclass

LIBRARIES = ["gpustream", "driver", "runtime", "torch"]
LABELS = {"gpustream": "gpustream", "driver": "CUDA driver", "runtime": "CUDA runtime", "torch": "PyTorch C++"}


@dataclass(frozen=True)
class Key:
    call: str
    state: str
    library: str
    threads: int


@dataclass
class Summary:
    p10: float
    median: float
    p90: float


def percentile(values, fraction):
    """Linear interpolation between the neighbours."""
    ordered = sorted(values)
    position = fraction * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


class Results:
    def __init__(self):
        self.context = {}
        self.samples = {}  # Key: [ns per call of one thread]
        self.errors = {}   # Key: text
        self.order = {}    # (call, state): when it was registered, for the first library that has it

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        for name, value in data["context"].items():
            self.context.setdefault(name, value)
        for entry in data["benchmarks"]:
            if entry.get("run_type") != "iteration":
                continue
            call, library, state = entry["run_name"].split("/")[:3]
            key = Key(call, state, library, int(entry["threads"]))
            place = (LIBRARIES.index(library), entry["family_index"])
            self.order[call, state] = min(place, self.order.get((call, state), place))
            if entry.get("error_occurred"):
                self.errors[key] = entry.get("error_message", "no reason given")
                continue
            if entry["time_unit"] != "ns":
                raise ValueError(f"{path}: {entry['name']} is in {entry['time_unit']}, not ns")
            # Google Benchmark divides by the calls of all threads together; a caller waits for its own.
            self.samples.setdefault(key, []).append(entry["real_time"] * key.threads)

    def summary(self, key):
        values = self.samples.get(key)
        if not values:
            return None
        return Summary(percentile(values, 0.1), percentile(values, 0.5), percentile(values, 0.9))

    def rows(self):
        """(call, state) as they were registered; they were measured in random order."""
        return sorted({(key.call, key.state) for key in self.samples}, key=self.order.get)

    def libraries(self):
        return [name for name in LIBRARIES if any(key.library == name for key in self.samples)]

    def thread_counts(self):
        return sorted({key.threads for key in self.samples})

    @property
    def cores(self):
        return int(self.context.get("num_cpus", 0))
