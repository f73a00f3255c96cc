# SPDX-License-Identifier: Apache-2.0
"""What is found of one way to hand over."""
import json
import time

# Those whose sender waits for the work before it sends: the hold has to end before, and the message comes after.
BLOCKING = {"device", "host", "ray_host", "ray_device"}
WAYS = ("event", "gpustream", "device", "host")
WARM = 3
SETTLED = 500e-6  # seconds: what was submitted last has come to the device


class Measured:
    def __init__(self, part, way, size):
        self.part, self.way, self.size = part, way, size
        self.blocks = way in BLOCKING
        self.us = []
        self.synchronizes = {"source": 0, "destination": 0}
        self.went_early = self.wrong = 0
        self.error = ""

    def is_held(self):
        """Whether the work ends only when the destination waits. Not in the first turns: drivers load kernels, and open memory,
        at their first use."""
        return not self.blocks and len(self.us) >= WARM

    def release(self, board, turn):
        """Ends the source's hold."""
        time.sleep(SETTLED)
        self.went_early += self.is_held() and board["seen"] >= turn
        board["go"] = turn

    def add(self, board, source, destination, wrong):
        self.synchronizes["source"] += source
        self.synchronizes["destination"] += destination
        self.wrong += wrong
        self.us.append((board["destination_ns"] - board["source_ns"]) / 1000)

    def line(self):
        found = {name: value for name, value in vars(self).items() if name != "us"}
        return json.dumps(found | {"turns": len(self.us), "us": sorted(round(us, 2) for us in self.us[WARM:])})
