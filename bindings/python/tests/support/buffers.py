# SPDX-License-Identifier: Apache-2.0
"""What the tests of buffers share."""
import gc

import gpustream
import pytest


@pytest.fixture
def pool():
    """A pool of the test's own, whose statistics no other test's late frees change."""
    handle = gpustream._core.gs_pool_create(0, {})
    yield handle
    gpustream._core.gs_pool_destroy(handle)


def blocks(pool):
    """How many are allocated and not freed."""
    return gpustream._core.gs_pool_get_stats(pool)["blocks"]


def wait_until(condition):
    """The library reports ended work and graphs on a thread of its own; the test's time limit ends a vain wait."""
    while not condition():
        gc.collect()
        gpustream._trim()
        gpustream._core.graph_release_ended()
        gpustream._sleep(1)
        gpustream.synchronize()
    return True
