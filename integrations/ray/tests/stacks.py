# SPDX-License-Identifier: Apache-2.0
"""Where the threads of the actors' processes stand, when one of them does not answer."""
import faulthandler
import os
import signal
import time
from pathlib import Path

from peers import has_ended


def folder():
    """Named by the process of the tests, before it starts Ray."""
    return Path(os.environ["GPUSTREAM_TEST_STACKS"])


def register():
    """In a process of an actor: a signal makes it write its stacks, also while its interpreter stands still."""
    faulthandler.register(signal.SIGUSR2, file=(folder() / str(os.getpid())).open("w"), all_threads=True)


def of_actors():
    """Of those that live."""
    alive = [path for path in folder().iterdir() if not has_ended(int(path.name))]
    for path in alive:
        os.kill(int(path.name), signal.SIGUSR2)
    time.sleep(1)  # they write it in their signal handlers
    return "\n".join(f"== process {path.name}\n{path.read_text()}" for path in alive)
