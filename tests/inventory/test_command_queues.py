#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpustream info --streams, on the host backend and on a fake driver with few hardware queues.

   test_command_queues.py COMMAND FAKE_DRIVER FAKE_NVML
"""
import json
import sys
import unittest

import test_command
from test_command import environment, on_fakes, run


class Queues(unittest.TestCase):
    def test_streams_that_share_a_queue(self):
        for backend in (on_fakes(), environment(GPUSTREAM_BACKEND="host", GPUSTREAM_HOST_DEVICES="2")):
            found = json.loads(run("info", "--streams", "9", "--json", env=backend).stdout)["shared_queues"]
            self.assertEqual(found, 2 * [{"streams": 9, "held_up_by_stream_0": [], "trouble": ""}])
            self.assertIn("  device 1, 9 streams: one that waits holds up none of the others\n",
                          run("info", "--streams", "9", env=backend).stdout)
            self.assertIsNone(json.loads(run("info", "--json", env=backend).stdout)["shared_queues"])
        shared = on_fakes(FAKE_CUDA_QUEUES="4", FAKE_CUDA_DEVICES="1")
        found = json.loads(run("info", "--json", "--streams", "10", env=shared).stdout)["shared_queues"]
        self.assertEqual(found, [{"streams": 10, "held_up_by_stream_0": [4, 8], "trouble": ""}])
        self.assertIn("  device 0, 10 streams: where number 0 waits, it holds up 4, 8, though nothing",
                      run("info", "--streams", "10", env=shared).stdout)

    def test_streams_that_cannot_be_probed(self):
        for fault in ("cuStreamWaitValue32_v2,1", "cuStreamWriteValue32_v2,2", "cuStreamCreateWithPriority,2", "cuMemHostAlloc,1"):
            fails = on_fakes(FAKE_CUDA_FAIL=f"{fault},2,0,1", FAKE_CUDA_DEVICES="1")  # out of memory from then on
            text = run("info", "--streams", "4", "--json", env=fails).stdout
            found = json.loads(text)["shared_queues"]
            self.assertIsNone(found[0]["held_up_by_stream_0"], fault)
            self.assertIn("OUT_OF_MEMORY", found[0]["trouble"], fault)
        hidden = on_fakes(FAKE_CUDA_MISSING="cuStreamWaitValue32_v2,cuStreamWaitValue64_v2", FAKE_CUDA_DEVICES="1")
        self.assertIn("device 0, 4 streams: cuStreamWaitValue32 failed on device 0: CUDA_ERROR_NOT_SUPPORTED", " ".join(run("info", "--streams", "4", env=hidden).stdout.split()))


if __name__ == "__main__":
    test_command.COMMAND, test_command.DRIVER, test_command.NVML = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
