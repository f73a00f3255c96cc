# SPDX-License-Identifier: Apache-2.0
"""The plugin of Dask's workers."""
from __future__ import annotations

import functools
import traceback
from collections.abc import Iterator, Mapping
from typing import Any

import distributed
import gpustream
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.protocol import Serialized, serialize, to_serialize
from packaging.version import Version

from gpustream_dask import _buffers
from gpustream_dask._failures import Failure, kept_as_values, worker_begins, worker_ends
from gpustream_dask._order import Order, OrderedTask

OLDEST = "2026.7"  # of distributed, with which the tests run
_PROTOCOL = 2  # of this plugin, as a client sends it to workers


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

    Registering it raises RuntimeError for a version of distributed that it does not work with, or if the worker has another version
    of this package than the client, and what gpustream.interop.lead() raises.
    """

    name = "gpustream"
    idempotent = True

    def __init__(self, device: int | None = None, *, priority: int = 0, libraries: tuple[str, ...] = ()) -> None:
        self.device = device
        self.priority = priority
        self.libraries = libraries
        self._protocol = _PROTOCOL
        self._forget_worker()

    def _forget_worker(self) -> None:
        self._led: gpustream.interop.Switch | None = None
        self._get_data: Any = None

    def setup(self, worker: distributed.Worker) -> None:
        if Version(distributed.__version__) < Version(OLDEST):
            raise RuntimeError(f"gpustream-dask needs distributed {OLDEST} or later, not {distributed.__version__}")
        if self._protocol != _PROTOCOL:
            raise RuntimeError(f"the client has a gpustream-dask of protocol {self._protocol}, this worker one of {_PROTOCOL}: install the "
                               "same version in all processes")
        # First what may fail: Dask tears a plugin down also if its setup did.
        self._led = gpustream.interop.lead(*self.libraries) if self.libraries else None
        self.order = Order(self.device, self.priority)
        _buffers.receive_on(self.device)
        self._worker = worker
        self._get_data = worker.handlers["get_data"]
        worker.handlers["get_data"] = _when_complete(worker, self.order, self._get_data)
        worker.gather_dep = _keeping(True, worker.gather_dep)
        self._alone = not worker.address.startswith("inproc")  # else clients of the same process read, too
        if self._alone:
            _clients_raise()
            worker_begins()

    def teardown(self, worker: distributed.Worker) -> None:
        if self._get_data is not None:
            worker.handlers["get_data"] = self._get_data
            self._get_data = None
            del worker.gather_dep  # the class has its own
            _buffers.receive_on(None)
            if self._alone:
                worker_ends()
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
        return {"protocol": _PROTOCOL, "device": self.device, "priority": self.priority, "libraries": self.libraries}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._protocol = state.get("protocol", 1)
        self.device, self.priority, self.libraries = (state.get(name) for name in ("device", "priority", "libraries"))
        self._forget_worker()


def _when_complete(worker: distributed.Worker, order: Order, get_data: Any) -> Any:
    """The worker's answer to a request for results, once these are complete."""

    @functools.wraps(get_data)
    async def answer(comm: Any, keys: Any, **options: Any) -> Any:
        held = _Held(worker, keys)
        failed = await order.failures(keys, held) | held.failures()
        if not comm.peer_address.startswith("inproc"):  # there objects stay what they are
            failed |= held.refusals()
        del held
        if not failed:
            try:
                with _buffers.sending_complete():
                    return await get_data(comm, keys=keys, **options)
            except OSError as error:  # the reader is gone
                traceback.clear_frames(error.__traceback__)  # Dask's log keeps it, and with it the results
                raise
        # A handler that raises is asked again and again.
        values = {key: to_serialize(worker.data[key]) for key in keys if key in worker.data and key not in failed}
        # As messages, so that a client of the same process, too, raises what it reads.
        values |= {key: Serialized(*serialize(Failure(error))) for key, error in failed.items()}
        with _buffers.sending_complete():
            await comm.write({"status": "OK", "data": values}, serializers=options.get("serializers"))
        await comm.read()
        return Status.dont_reply

    return answer


def _keeping(kept: bool, request: Any) -> Any:
    """A request for results: of a worker, which keeps failures as values, or of a client, which raises them."""

    @functools.wraps(request)
    async def gather(*arguments: Any, **named: Any) -> Any:
        with kept_as_values(kept):
            return await request(*arguments, **named)

    return gather


_clients: Any = None


def _clients_raise() -> None:
    """Has the clients of a worker's process raise what they read, as those of other processes do."""
    global _clients
    if _clients is None:
        _clients = distributed.Client._gather = _keeping(False, distributed.Client._gather)


class _Held(Mapping[Any, Any]):
    """Results that are in memory. Those on disk are complete, and stay there until they are sent."""

    def __init__(self, worker: distributed.Worker, keys: Any) -> None:
        data = getattr(worker.data, "fast", worker.data)
        self._values = {key: data[key] for key in keys if key in data}

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def failures(self) -> dict[Any, gpustream.Error]:
        """Those that have arrived as failures."""
        return {key: failure.error for key, value in self._values.items() for failure in _buffers.find(value, Failure)}

    def refusals(self) -> dict[Any, gpustream.Error]:
        """Those that cannot be sent, and why."""
        found = {}
        for key, value in self._values.items():
            for buffer in _buffers.find(value, gpustream.Buffer):
                if (why := _buffers.refusal(buffer)) is not None:
                    found[key] = why
        return found
