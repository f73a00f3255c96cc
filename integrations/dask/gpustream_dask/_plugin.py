# SPDX-License-Identifier: Apache-2.0
"""The plugin of Dask's workers."""
from __future__ import annotations

import functools
from typing import Any

import distributed
import gpustream
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.protocol import to_serialize
from packaging.version import Version

from gpustream_dask._order import Order, OrderedTask

OLDEST = "2026.7"  # of distributed, with which the tests run


class StreamPlugin(WorkerPlugin):
    """A stream for each task thread of a worker, and order between tasks by events.

    - While a task runs, its thread's stream is current: for gpustream, and for the libraries that are led.
    - Its work starts after the work of the tasks that it depends on, on whichever thread of the worker they ran.
    - A result leaves the worker, to another one or to a client, when the work that makes it is done. The event loop awaits
      that; no thread waits for a stream or a device.

    Not ordered are results that a worker writes to disk, methods of actors, and tasks of an executor of processes.

    Args:
        device: the device of the streams; None: the current one of each thread.
        priority: of the streams; lower is higher.
        libraries: whose current streams go with gpustream's, as for gpustream.interop.lead(): "torch", "cupy", "tvm_ffi".

    Registering it raises RuntimeError for a version of distributed that it does not work with, and what
    gpustream.interop.lead() raises.
    """

    name = "gpustream"
    idempotent = True

    def __init__(self, device: int | None = None, *, priority: int = 0, libraries: tuple[str, ...] = ()) -> None:
        self.device = device
        self.priority = priority
        self.libraries = libraries
        self._forget_worker()

    def _forget_worker(self) -> None:
        self._led: gpustream.interop.Switch | None = None
        self._get_data: Any = None

    def setup(self, worker: distributed.Worker) -> None:
        if Version(distributed.__version__) < Version(OLDEST):
            raise RuntimeError(f"gpustream-dask needs distributed {OLDEST} or later, not {distributed.__version__}")
        # First what may fail: Dask tears a plugin down also if its setup did.
        self._led = gpustream.interop.lead(*self.libraries) if self.libraries else None
        self.order = Order(self.device, self.priority)
        self._worker = worker
        self._get_data = worker.handlers["get_data"]
        worker.handlers["get_data"] = _when_complete(worker, self.order, self._get_data)

    def teardown(self, worker: distributed.Worker) -> None:
        if self._get_data is not None:
            worker.handlers["get_data"] = self._get_data
            self._get_data = None
        if self._led:
            self._led.end()
            self._led = None

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Called by the worker's state machine, before it acts on the new state."""
        if self._get_data is None:  # its setup failed
            return
        if finish == "executing":
            task = self._worker.state.tasks[key]
            spec = task.run_spec
            if spec is not None and not isinstance(spec, OrderedTask):
                task.run_spec = OrderedTask(spec, key, tuple(each.key for each in task.dependencies), self.order)
        elif finish in ("released", "forgotten"):
            self.order.forget(key)

    def __getstate__(self) -> dict[str, Any]:
        """As it goes to a worker."""
        return {"device": self.device, "priority": self.priority, "libraries": self.libraries}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget_worker()


def _when_complete(worker: distributed.Worker, order: Order, get_data: Any) -> Any:
    """The worker's answer to a request for results, once these are complete."""

    @functools.wraps(get_data)
    async def answer(comm: Any, keys: Any, **options: Any) -> Any:
        failed = await order.failures(keys)
        if not failed:
            return await get_data(comm, keys=keys, **options)
        # A handler that raises is asked again and again. The value that is sent instead raises where it arrives.
        values = {key: worker.data[key] for key in keys if key in worker.data} | {key: _Failed(error) for key, error in failed.items()}
        await comm.write({"status": "OK", "data": {key: to_serialize(value) for key, value in values.items()}},
                         serializers=options.get("serializers"))
        await comm.read()
        return Status.dont_reply

    return answer


class _Failed:
    """In the place of a result whose work failed."""

    def __init__(self, error: gpustream.Error) -> None:
        self._error = error

    def __reduce__(self) -> Any:
        return _raise, (self._error.status, str(self._error))


def _raise(status: int, text: str) -> None:
    raise gpustream.errors.fail(status, text)
