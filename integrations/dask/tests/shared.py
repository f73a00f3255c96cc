# SPDX-License-Identifier: Apache-2.0
"""What the tests of several files use."""
import itertools

LIMIT = 240  # seconds, of what ends by itself: who asks a killed worker tries to connect for 10 s, perhaps more than once
names = (f"gate-{number}" for number in itertools.count())  # of gates that no other test has


def result(future):
    return future.result(timeout=LIMIT)
