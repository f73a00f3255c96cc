# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

# A folder of its own, so that what is left in it is ours. Before the library reads it.
_shared = tempfile.TemporaryDirectory(prefix="gpustream-engines-", dir="/dev/shm")
os.environ["GPUSTREAM_SHM_DIR"] = _shared.name

import dask  # noqa: E402
import pytest  # noqa: E402
import shared  # noqa: E402
import work  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402
from gpustream_dask import StreamPlugin  # noqa: E402


dask.config.set({
    # Each time a worker is lost, LocalCluster looks once, after this time, whether a worker of that name is there, and if none is it
    # closes the nanny. Here workers are killed again and again, so the look after one kill may meet the restart after a later one.
    "distributed.deploy.lost-worker-timeout": "1d",
    # Also of the workers, which get it from their nannies: who asks a killed worker tries for as long.
    "distributed.comm.timeouts.connect": "10s",
})


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(n_workers=2, threads_per_worker=4, dashboard_address=None, silence_logs=50) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of two workers with the plugin."""
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        client.register_plugin(StreamPlugin())
        yield client


@pytest.fixture
def addresses(client):
    return sorted(client.scheduler_info(n_workers=-1)["workers"])


@pytest.fixture
def gate(client):
    """The name of a gate, which is open at the end in all workers."""
    name = next(shared.names)
    yield name
    client.run(work.open_gate, name)


@pytest.fixture
def plain_client(cluster):
    """A client of workers without the plugin, also at the end."""
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        _remove_plugin(client)
        yield client
        _remove_plugin(client)


@pytest.fixture
def rounds():
    """How often to kill: more in the long form."""
    return 100 if os.environ.get("GPUSTREAM_TEST_FULL") == "1" else 3


def _remove_plugin(client):
    if client.run_on_scheduler(_has_plugin):
        client.unregister_worker_plugin("gpustream")


def _has_plugin(dask_scheduler):
    return "gpustream" in dask_scheduler.worker_plugins
