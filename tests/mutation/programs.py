# SPDX-License-Identifier: Apache-2.0
"""The test programs: their cases, and the environments that CMake gives them (gpustream_add_gtest in tests/*/CMakeLists.txt)."""
import os
import subprocess

# In the order in which they are linked and run: those that find most mutants in the shortest time first.
PROGRAMS = tuple(f"gpustream_{name}_tests" for name in (
    "unit", "third_backend", "conformance", "allocation", "fault", "checker", "dumps", "dumps_log", "logs", "traces", "leaks", "process", "oracle", "stress", "schedule", "inventory"))
ON_HOST = {"checker", "dumps", "dumps_log", "logs", "traces", "leaks", "process", "oracle", "stress", "schedule"}
ON_FAKE = {"checker": "CheckPattern*", "traces": "Nvtx*:Profiler*:Trace*"}
FAKE_DRIVER = "tests/support/fake_cuda/driver/libcuda.so.1"


class NoCases(Exception):
    """A program that lists no case would always pass."""


def registrations(target, build):
    """(name, filter, environment) of each way in which the program is run."""
    own = target.removeprefix("gpustream_").removesuffix("_tests")
    if own != "conformance":
        found = [(own, "*", {"GPUSTREAM_BACKEND": "host"} if own in ON_HOST else {})]
        if own in ON_FAKE:
            fake = {"GPUSTREAM_BACKEND": "cuda", "GPUSTREAM_LIBCUDA": str(build / FAKE_DRIVER)}
            found.append((f"{own}.fake", ON_FAKE[own], fake))
        return found
    fake = f"GPUSTREAM_LIBCUDA={build / FAKE_DRIVER}"
    return [(f"conformance.{name}", f"*/{backend}",
             {"GPUSTREAM_TEST_SETTINGS": ",".join([f"GPUSTREAM_TEST_BACKEND={backend}", *settings])})
            for name, backend, settings in (("host", "host", []), ("host-no-elision", "host", ["GPUSTREAM_ELIDE=0"]),
                                            ("fake", "cuda", [fake]), ("fake-no-elision", "cuda", [fake, "GPUSTREAM_ELIDE=0"]))]


def cases_of(target, program, build):
    """(name, arguments, environment) of each case of the program."""
    found = []
    for name, wanted, environment in registrations(target, build):
        listed = subprocess.run([str(program), "--gtest_list_tests", f"--gtest_filter={wanted}"], env={**os.environ, **environment},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        cases = parsed(listed.stdout)
        if listed.returncode != 0 or not cases:
            raise NoCases(f"{program} lists no case ({listed.returncode}) of {name}:\n{listed.stdout[-2000:]}{listed.stderr[-2000:]}")
        found += [(f"{name}.{case}", [f"--gtest_filter={case}"], environment) for case in cases]
    return found


def parsed(text):
    """The names in what --gtest_list_tests prints; comments and disabled cases are left out."""
    suite, cases = "", []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if line.endswith(".") and not line.startswith(" "):
            suite = line
        elif line.startswith("  ") and suite and "DISABLED_" not in suite + line:
            cases.append(suite + line.strip())
    return cases
