#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command gpustream, on the host backend and on the fakes of driver and NVML.

   test_command.py COMMAND FAKE_DRIVER FAKE_NVML
"""
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

COMMAND, DRIVER, NVML = "", "", ""


def environment(**settings):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GPUSTREAM_", "CUDA_", "FAKE_"))}
    return {**kept, **settings}


def on_fakes(**settings):
    return environment(**{"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": DRIVER, "GPUSTREAM_LIBNVML": NVML, **settings})


def run(*arguments, env, code=0):
    done = subprocess.run([COMMAND, *arguments], env=env, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: exit code {done.returncode}, wanted {code}\n{done.stdout}{done.stderr}")
    return done


class Info(unittest.TestCase):
    def test_json_on_fakes(self):
        found = json.loads(run("info", "--json", env=on_fakes(FAKE_NVML_ORDER="1,0")).stdout)
        self.assertEqual(found["backend"], "cuda")
        self.assertTrue(found["available"])
        self.assertEqual(found["trouble"], "")
        self.assertEqual([device["ordinal"] for device in found["devices"]], [0, 1])
        for ordinal, device in enumerate(found["devices"]):
            self.assertEqual(device["uuid"], f"67707573-7472-6561-6d2d-66616b652d{ordinal:02x}")
            self.assertEqual(device["pci"], f"0000:{0x10 + ordinal:02x}:00.0")
            self.assertEqual(device["telemetry"]["utilization_percent"], 10 + ordinal)
            self.assertEqual(device["telemetry"]["power_milliwatts"], 70000 + ordinal)
            self.assertEqual(device["telemetry"]["memory_total_bytes"], 16 << 20)
        self.assertEqual([entry["ordinal"] for entry in found["inventory"]], [1, 0])
        self.assertEqual([entry["nvml_index"] for entry in found["inventory"]], [0, 1])
        self.assertEqual(found["environment"]["GPUSTREAM_BACKEND"], "cuda")

    def test_json_on_host(self):
        found = json.loads(run("info", "--json", env=environment(GPUSTREAM_BACKEND="host", GPUSTREAM_HOST_DEVICES="3",
                                                                GPUSTREAM_LIBNVML="/no/such/library")).stdout)
        self.assertEqual(found["backend"], "host")
        self.assertEqual(len(found["devices"]), 3)
        self.assertEqual(found["inventory"], [])
        self.assertIn("/no/such/library", found["inventory_trouble"])
        self.assertGreater(found["devices"][0]["total_memory_bytes"], 0)
        self.assertIsNone(found["devices"][0]["telemetry"]["power_milliwatts"], "unknown values are null")

    def test_the_reason_stands_first(self):
        broken = on_fakes(GPUSTREAM_BACKEND="auto", FAKE_CUDA_INIT="100")
        for env, backend, reason in ((environment(GPUSTREAM_BACKEND="host"), "host", "GPUSTREAM_BACKEND=host"),
                                     (on_fakes(GPUSTREAM_BACKEND="auto"), "cuda", "it has devices"),
                                     (broken, "host", "cuInit: CUDA_ERROR_NO_DEVICE")):
            self.assertRegex(run("info", env=env).stdout, rf"^gpustream [0-9.]+, backend {backend}: {re.escape(reason)}")
            self.assertIn(reason, json.loads(run("info", "--json", env=env).stdout)["reason"])
        absent = on_fakes(GPUSTREAM_LIBCUDA="/no/such/driver")
        self.assertRegex(run("info", env=absent, code=1).stdout, "^gpustream [0-9.]+, backend none: no CUDA driver: cannot load '/no/such/driver'")

    def test_backends_with_devices(self):
        found = json.loads(run("info", "--json", env=on_fakes(GPUSTREAM_HOST_DEVICES="3")).stdout)
        self.assertEqual(found["backends"], [{"name": "host", "devices": 3}, {"name": "cuda", "devices": 2}])
        self.assertIn("backends: host (3 devices), cuda (2 devices)", run("info", env=on_fakes(GPUSTREAM_HOST_DEVICES="3")).stdout)
        found = json.loads(run("info", "--json", env=environment(GPUSTREAM_LIBCUDA="/no/such/driver", GPUSTREAM_HOST_DEVICES="1")).stdout)
        self.assertEqual(found["backends"], [{"name": "host", "devices": 1}])

    def test_every_variable_of_the_library_is_shown(self):
        with open(os.path.join(os.path.dirname(__file__), "../../src/base/env.cpp"), encoding="utf-8") as file:
            names = re.findall(r'"((?:GPUSTREAM|CUDA)_[A-Z_]+)"', file.read())
        self.assertGreater(len(names), 9)
        known = {"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": DRIVER, "GPUSTREAM_LIBNVML": NVML}
        settings = {name: known.get(name, "1") for name in names}
        self.assertEqual(json.loads(run("info", "--json", env=environment(**settings)).stdout)["environment"], settings)

    def test_hardware_queues(self):
        for value, expected in (("", 8), ("1", 1), ("32", 32), ("33", 8), ("many", 8)):
            env = on_fakes(CUDA_DEVICE_MAX_CONNECTIONS=value)
            self.assertEqual(json.loads(run("info", "--json", env=env).stdout)["hardware_queues"], expected)
            self.assertIn(f"  {expected} hardware queues for all streams", run("info", env=env).stdout)
        self.assertIsNone(json.loads(run("info", "--json", env=environment(GPUSTREAM_BACKEND="host")).stdout)["hardware_queues"])

    def test_names_are_escaped(self):
        found = json.loads(run("info", "--json", env=on_fakes(FAKE_NVML_NAMES='a"b\\c\td')).stdout)
        self.assertEqual(found["inventory"][0]["name"], 'a"b\\c\td')

    def test_any_bytes_are_json(self):
        env = {**os.environb, **{os.fsencode(k): os.fsencode(v) for k, v in on_fakes().items()}}
        env[b"CUDA_VISIBLE_DEVICES"] = b"0,\xff\xe2\x82"
        done = subprocess.run([COMMAND, "info", "--json"], env=env, capture_output=True, timeout=60, check=True)
        self.assertEqual(json.loads(done.stdout.decode())["environment"]["CUDA_VISIBLE_DEVICES"], "0,\ufffd\ufffd\ufffd")

    def test_table_tells_everything(self):
        text = run("info", env=on_fakes()).stdout
        for part in ("8 hardware queues", "threads/SM", "2048", "60.00 MiB", "default", "70.0 W", "1501 MHz", "GPU-67707573"):
            self.assertIn(part, text)

    def test_instances(self):
        text = run("info", env=on_fakes(FAKE_NVML_MIG="0,2")).stdout
        self.assertRegex(text, r"(?m)^1\.1 +\S+ +2\.00 MiB .*\n {6}Fake GPU MIG 1g\.10gb  MIG-")
        entries = json.loads(run("info", "--json", env=on_fakes(FAKE_NVML_MIG="0,2")).stdout)["inventory"]
        self.assertEqual([entry["is_mig"] for entry in entries], [False, False, True, True])
        self.assertEqual([entry["mig_index"] for entry in entries], [-1, -1, 0, 1])

    def test_without_nvml(self):
        env = environment(GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=DRIVER, GPUSTREAM_LIBNVML="/no/such/library")
        text = run("info", env=env).stdout
        self.assertIn("GPUs of this machine: no NVML: cannot load '/no/such/library'", text)
        self.assertIn("device 1: the same", text)
        found = json.loads(run("info", "--json", env=env).stdout)
        self.assertEqual(found["inventory"], [])
        self.assertIsNone(found["devices"][0]["telemetry"]["memory_used_bytes"])

    def test_table_lines_up(self):
        lines = run("info", env=on_fakes(FAKE_NVML_CLOSED="1")).stdout.splitlines()
        heading = next(i for i, line in enumerate(lines) if line.startswith("device"))
        for line in lines[heading + 1 : heading + 5 : 2]:
            self.assertEqual(line.index("9.0"), lines[heading].index("capability"))
        for line in lines[heading + 2 : heading + 5 : 2]:
            self.assertRegex(line, r"^ {8}gpustream fake GPU \d  67707573-")
        self.assertTrue(any("(cannot be queried)" in line for line in lines))

    def test_no_device(self):
        env = environment(GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/no/such/driver")
        self.assertIn("/no/such/driver", run("info", env=env, code=1).stdout)
        self.assertIn("/no/such/driver", json.loads(run("info", "--json", env=env, code=1).stdout)["trouble"])


    def test_what_is_not_known_is_null(self):
        env = on_fakes(FAKE_NVML_CLOSED="1", FAKE_NVML_FAIL="nvmlDeviceGetCudaComputeCapability=999,nvmlDeviceGetPciInfo_v3=999")
        found = json.loads(run("info", "--json", env=env).stdout)
        known, closed = found["inventory"]
        self.assertEqual((known["status"], known["native_code"]), ("GS_OK", 0))
        self.assertEqual((known["name"], known["mig_enabled"]), ("Fake GPU", False))
        for field in ("pci", "capability_major", "capability_minor"):
            self.assertIsNone(known[field], field)
        self.assertEqual((closed["status"], closed["native_code"]), ("GS_ERROR_DRIVER", 4))
        for field in ("name", "uuid", "pci", "capability_major", "capability_minor", "total_memory_bytes", "mig_enabled"):
            self.assertIsNone(closed[field], field)
        whole = json.loads(run("info", "--json", env=on_fakes()).stdout)["inventory"][1]
        self.assertEqual((whole["capability_major"], whole["capability_minor"], whole["pci"]), (9, 0, "0000:11:00.0"))
        none = json.loads(run("info", "--json", env=on_fakes(GPUSTREAM_LIBCUDA="/no/such/driver"), code=1).stdout)
        self.assertIsNone(none["backend"])

    def test_fits_a_terminal(self):
        name = "NVIDIA " + "Very Long Name of a Device " * 8
        unbroken = "N" * 90
        for env in (on_fakes(FAKE_CUDA_NAME=name, FAKE_NVML_NAMES=f"{unbroken},{name[:90]}", CUDA_VISIBLE_DEVICES="0, 1, " + "7" * 40),
                    on_fakes(FAKE_CUDA_NAME=unbroken, FAKE_NVML_MIG="0,2"),
                    on_fakes(GPUSTREAM_LIBNVML="/no/such/library"),
                    environment(GPUSTREAM_BACKEND="host", GPUSTREAM_HOST_DEVICES="7", GPUSTREAM_LIBNVML="/no/such/library")):
            for arguments in (["info"], ["top", "--rounds", "1"]):
                for line in run(*arguments, env=env).stdout.splitlines():
                    if not line.startswith("  GPUSTREAM_LIB"):  # paths stay whole
                        self.assertLessEqual(len(line), 80, line)

    def test_long_names_are_told_whole(self):
        name = "NVIDIA " + "Very Long Name of a Device " * 5 + "x" * 90
        for arguments in (["info"], ["top", "--rounds", "1"]):
            text = run(*arguments, env=on_fakes(FAKE_CUDA_NAME=name)).stdout
            self.assertIn((name + " 1").replace(" ", ""), "".join(text.split()))


class Top(unittest.TestCase):
    def test_rounds(self):
        text = run("top", "--rounds", "2", "--interval", "0.01", env=on_fakes()).stdout
        self.assertEqual(text.count("SM clock"), 2)
        self.assertNotIn("\033", text, "no terminal, no control sequences")
        self.assertIn("1501 MHz", text)
        self.assertIn("10 % [#       ]", text)
        self.assertIn("2.00 KiB/16.00 MiB", text)

    def test_a_lost_gpu(self):
        text = run("top", "--rounds", "1", env=on_fakes(FAKE_NVML_LOST="1")).stdout
        self.assertIn("1500 MHz", text)
        self.assertNotIn("1501 MHz", text)
        self.assertIn("device 1: ", text)
        self.assertIn("lost", text)

    def test_a_signal_ends_it(self):
        with subprocess.Popen([COMMAND, "top", "--interval", "1000"], env=on_fakes(), stdout=subprocess.PIPE, text=True) as top:
            self.assertIn("SM clock", top.stdout.readline())
            top.send_signal(signal.SIGTERM)
            try:
                self.assertEqual(top.wait(timeout=60), 0)
            finally:
                top.kill()

    def test_no_device(self):
        env = environment(GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/no/such/driver")
        self.assertIn("no device", run("top", env=env, code=1).stderr)


HANGING = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
stream, timeline = ctypes.c_void_p(), ctypes.c_void_p()
assert library.gs_stream_create(0, 0, 0, ctypes.byref(stream)) == 0
assert library.gs_stream_set_name(stream, b"stuck") == 0
assert library.gs_timeline_create(0, ctypes.c_uint64(0), 0, ctypes.byref(timeline)) == 0
assert library.gs_stream_wait_timeline(stream, timeline, ctypes.c_uint64(3)) == 0
print("waits", flush=True)
sys.stdin.read()
"""


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def hanging(self, **settings):
        library = os.path.join(os.path.dirname(COMMAND), "..", "libgpustream.so.0")
        child = subprocess.Popen([sys.executable, "-c", HANGING, library], env=environment(GPUSTREAM_BACKEND="host", **settings),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "waits\n")
        return child

    def test_by_the_log_file(self):
        child = self.hanging(GPUSTREAM_LOG_FILE=f"{self.folder}/%p.log")
        log = f"{self.folder}/{child.pid}.log"
        for what in (str(child.pid), log):
            text = run("explain", what, env=environment()).stdout
            self.assertIn(f"log of process {child.pid}, which is running, 1024 operations a thread\n", text)
            self.assertRegex(text, r'\("stuck"\) may wait for timeline 0x\w+ to reach 3, and nothing in the log signals that\n')
        child.kill()
        child.wait()
        self.assertIn("which has ended", run("explain", log, env=environment()).stdout)
        self.assertIn("No such process", run("explain", str(child.pid), env=environment(), code=1).stderr)

    def test_by_the_signal(self):
        child = self.hanging(GPUSTREAM_DUMP_SIGNAL="10")
        self.assertIn("signal 10 was sent", run("explain", str(child.pid), env=environment()).stdout)
        lines = iter(child.stderr.readline, "")
        self.assertIn('("stuck") waits for timeline', "".join(itertools.takewhile(lambda line: "end of dump" not in line, lines)))

    def test_a_process_without_either(self):
        child = self.hanging()
        self.assertIn("GPUSTREAM_LOG_FILE=PATH", run("explain", str(child.pid), env=environment(), code=1).stderr)
        # The signal of the variable is not sent to a process that would be ended by it.
        with subprocess.Popen(["cat"], env=environment(GPUSTREAM_DUMP_SIGNAL="10"), stdin=subprocess.PIPE) as other:
            self.assertIn("nor a signal", run("explain", str(other.pid), env=environment(), code=1).stderr)
            self.assertIsNone(other.poll())
            other.stdin.close()
            self.assertEqual(other.wait(timeout=60), 0)

    def test_other_files(self):
        self.assertIn("is not a log file", run("explain", COMMAND, env=environment(), code=1).stderr)
        self.assertIn("cannot be read", run("explain", self.folder, env=environment(), code=1).stderr)
        self.assertIn("cannot be read", run("explain", f"{self.folder}/none", env=environment(), code=1).stderr)
        self.assertIn("cannot be read", run("explain", "", env=environment(), code=1).stderr)
        self.assertIn("cannot be read", run("explain", "9" * 30, env=environment(), code=1).stderr)


if __name__ == "__main__":
    COMMAND, DRIVER, NVML = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
