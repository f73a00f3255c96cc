# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

# A folder of its own, so that what is left in it is ours. Before the library reads it.
_shared = tempfile.TemporaryDirectory(prefix="gpustream-engines-", dir="/dev/shm")
os.environ["GPUSTREAM_SHM_DIR"] = _shared.name
_stacks = tempfile.TemporaryDirectory(prefix="gpustream-stacks-")
os.environ["GPUSTREAM_TEST_STACKS"] = _stacks.name

import gpustream_ray  # noqa: E402
import pytest  # noqa: E402
import ray  # noqa: E402
from gpustream_ray import _files, _transport  # noqa: E402
from peers import Peer, eventually  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

# Ray ends receives that it loses after this time, which is below asking.LIMIT. A loaded machine needs many seconds.
os.environ["RAY_rdt_fetch_fail_timeout_milliseconds"] = "72000"
os.environ["RAY_health_check_failure_threshold"] = "2"
os.environ["RAY_health_check_period_ms"] = "500"


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


@pytest.fixture(scope="session")
def node():
    """Arguments of a node of Ray's."""
    return {"num_cpus": 1, "object_store_memory": 80_000_000, "include_log_monitor": False}


def begun(start):
    """Starts a node. Ray 2.60 gives one up whose agent, a process of Python, takes more than 15 s to begin, as it may on a loaded machine."""
    for _ in range(2):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
            print(error)
    return start()


@pytest.fixture(scope="session")
def add_node(head, node):
    """Adds nodes with some resources."""
    return lambda **resources: begun(lambda: head.add_node(**node, resources=resources))


@pytest.fixture(scope="session")
def head(node):
    """Ray with its first node, for all tests that need it: its start takes longer than most of them."""
    os.environ["PYTHONPATH"] = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])  # for the actors
    first = node | {"num_gpus": 1, "resources": {"here": 1000}, "include_dashboard": False, "no_monitor": True}
    nodes = begun(lambda: Cluster(initialize_head=True, head_node_args=first))
    ray.init(address=nodes.address, log_to_driver=False)
    gpustream_ray.register()
    gpustream_ray.register()  # a second time: nothing
    yield nodes
    ray.shutdown()
    nodes.shutdown()
    # All other processes are gone, and what they left has no owner.
    eventually(lambda: (_files.sweep(), {str(folder) for folder in _files.parent().glob(_files.PREFIX + "*")})[1], {_transport._outbox.folder} - {""})


@pytest.fixture
def rounds():
    """How often to kill: more in the long form."""
    return 100 if os.environ.get("GPUSTREAM_TEST_FULL") == "1" else 3


@pytest.fixture
def actor_rounds(rounds):
    """As rounds, of actors, which take seconds to start: once, and once more where something may grow."""
    return rounds if rounds > 3 else 2
