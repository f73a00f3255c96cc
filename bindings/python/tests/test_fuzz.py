# SPDX-License-Identifier: Apache-2.0
"""Random programs over every public callable (folder fuzz). All exceptions are ordinary; a failed call leaves everything as it was,
reference counts, too. GPUSTREAM_TEST_FULL=1 runs other and longer programs; the seed is printed."""
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import gpustream
import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed (scripts/bootstrap installs it)")

FOLDER = Path(__file__).parent
HOST = gpustream.Device("cuda").type == "host"
FULL = os.environ.get("GPUSTREAM_TEST_FULL") == "1"
PLANTS = {
    "wrong_exception": "planted wrong_exception raised SystemError", "leak": "references before and after: {'",
    "changes_state": "planted changes_state fails and changes what is current", "unraisable": "unraisable: [\"KeyError: 'planted'\"]",
}


def fuzz(tmp_path, examples, seed, *plant, timeout=320):
    progress = tmp_path / "progress"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), *sys.path])}
    try:
        done = subprocess.run([sys.executable, "-X", "dev", "-X", "faulthandler", "-m", "fuzz", str(examples), str(seed), progress, *plant],
                              capture_output=True, text=True, errors="replace", timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        pytest.fail(f"seed {seed} hangs in {progress.read_text().strip()}")
    return done, f"seed {seed}, status {done.returncode}\n{progress.read_text().strip()}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}"


@pytest.mark.timeout(1800 if FULL else 330)
def test_programs(tmp_path):
    examples, seed = (30000, random.randrange(1, 2**31)) if FULL else (1500 if HOST else 500, 0)
    done, report = fuzz(tmp_path, examples, seed, timeout=1750 if FULL else 320)
    assert done.returncode == 0, report
    targets, calls, returned, reached = map(int, re.findall(r"\d+", done.stdout))
    assert targets > 700 and calls > 2 * examples and returned > calls / 5 and reached > min(examples / 10, targets / 3)
    print(f"seed {seed}: {done.stdout}", end="")


@pytest.mark.host_only
@pytest.mark.timeout(330)
@pytest.mark.parametrize("plant", PLANTS)
def test_wrong_callables_are_found(plant, tmp_path):
    done, report = fuzz(tmp_path, 600, 0, plant)
    assert done.returncode != 0 and PLANTS[plant] in done.stderr + done.stdout, report
