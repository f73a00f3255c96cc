# SPDX-License-Identifier: Apache-2.0
"""Ray on this machine, as the benchmarks start it: one GPU, which all actors share."""
import os
import sys
from pathlib import Path

import gpustream_ray
import ray

HERE = Path(__file__).resolve().parent


def start(cpus=4):
    """Actors import what this process can import. RAY_ADDRESS names a Ray that is there, as the tests have it."""
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE), *filter(None, sys.path)])
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    if "RAY_ADDRESS" in os.environ:
        mine = {name: value for name, value in os.environ.items() if name.startswith("GPUSTREAM_") or name == "PYTHONPATH"}
        ray.init(log_to_driver=True, runtime_env={"env_vars": mine})
    else:
        ray.init(num_cpus=cpus, num_gpus=1, include_dashboard=False, object_store_memory=200_000_000, log_to_driver=True)
    gpustream_ray.register()


def stop():
    ray.shutdown()
