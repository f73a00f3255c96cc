# SPDX-License-Identifier: Apache-2.0
"""Dask workers whose task threads have a stream each, with order between tasks by events.

    from distributed import Client, LocalCluster
    from gpustream_dask import StreamPlugin

    client = Client(LocalCluster(n_workers=2, threads_per_worker=4))
    client.register_plugin(StreamPlugin())

A task submits work to the current stream and returns without waiting for it. Tasks that depend on it, on whichever thread
or worker, start their work after it. docs/guide/beyond-one-process.md says what is guaranteed.
"""
from gpustream_dask._plugin import StreamPlugin
from gpustream_dask._serialize import register_serializers

register_serializers()  # a client's process, too, sends and receives events

__all__ = ["StreamPlugin", "register_serializers"]
__version__ = "0.1.0"
