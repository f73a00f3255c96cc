# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

# A folder of its own, so that what is left in it is ours. Before the library reads it.
_shared = tempfile.TemporaryDirectory(prefix="gpustream-engines-", dir="/dev/shm")
os.environ["GPUSTREAM_SHM_DIR"] = _shared.name
_stacks = tempfile.TemporaryDirectory(prefix="gpustream-stacks-")
os.environ["GPUSTREAM_TEST_STACKS"] = _stacks.name

import pytest  # noqa: E402
from peers import Peer  # noqa: E402


@pytest.fixture
def peers():
    """Starts processes, and ends those that the test leaves."""
    started = []

    def start(count=2, **environment):
        new = [Peer(**environment) for _ in range(count)]
        started.extend(new)
        return new

    yield start
    for peer in started:
        peer.end()


@pytest.fixture
def rounds():
    """How often to kill: more in the long form."""
    return 100 if os.environ.get("GPUSTREAM_TEST_FULL") == "1" else 3
