# SPDX-License-Identifier: Apache-2.0
"""Tasks with buffers, and what the tests of losses do to workers."""
import ctypes

import distributed
import gpustream
import numpy
from work import ITEMS, _write, gate, lost_work, meet, share


def buffer(value, closed_by=None):
    """A buffer that will have the value in it, when the gate is open."""
    if closed_by:
        gate(closed_by).wait(1)
    return gpustream.Buffer(ITEMS).fill_(value).view("uint8", (64, 64))


def buffer_of_own_stream(value, closed_by):
    with gpustream.Stream():
        return buffer(value, closed_by)


def buffer_after(event, value):
    """Written after an event of another process, in a stream of its own: what later tasks submit on this thread does not wait."""
    with gpustream.Stream():
        gpustream.current_stream().wait_event(event)
        return buffer(value)


def buffer_after_sleep(value):
    gpustream._sleep(50_000_000)
    return buffer(value)


async def buffer_in_loop(value, closed_by):
    return buffer_of_own_stream(value, closed_by)


def put(value, closed_by):
    """Puts a buffer into this worker's memory; returns its key."""
    worker = distributed.get_worker()
    key = f"put-{closed_by}"
    worker.loop.add_callback(worker.update_data, data={key: buffer_of_own_stream(value, closed_by)})
    worker.loop.add_callback(worker.scheduler.update_data, who_has={key: [worker.address]}, nbytes={key: ITEMS})
    return key


def closed_buffer():
    made = buffer(1)
    made.close()
    return made


def add_buffers(*buffers):
    """The sum modulo 256, computed in stream order."""
    total = gpustream.Buffer(ITEMS).view("uint8", (64, 64))
    target, sources = array_of(total), [array_of(each) for each in buffers]
    gpustream.current_stream().launch_host(lambda: numpy.copyto(target, sum(sources[1:], sources[0])))
    gpustream.current_stream().keep((target, sources))
    return total


def device():
    return gpustream.Buffer(8).device.type


_used = set()  # addresses of buffers of this process


def numbered(first, count):
    """Buffers with their number in all items."""
    made = []
    for number in range(first, first + count):
        made.append(gpustream.Buffer(128).view("int64"))
        array = _items_of(made[-1])
        gpustream.current_stream().launch_host(lambda array=array, number=number: array.fill(number))
        gpustream.current_stream().keep(array)
    _used.update(each.ptr for each in made)
    return made


def count_wrong(given, first):
    """How many have another number in an item: an array that is written in stream order."""
    arrays, wrong = [_items_of(each) for each in given], numpy.zeros(1, numpy.int64)
    _write(wrong, lambda: sum((array != first + index).any() for index, array in enumerate(arrays)))
    gpustream.current_stream().keep((given, arrays))
    return wrong


def _items_of(given):
    address = given.ptr
    return numpy.ctypeslib.as_array((ctypes.c_int64 * 16).from_address(address))


def used():
    return len(_used)


def array_of(given):
    """The buffer's memory, without a wait."""
    address = given.ptr
    array = numpy.ctypeslib.as_array((ctypes.c_uint8 * given.nbytes).from_address(address)).reshape(given.shape)
    return array


def copy_behind(given, closed_by):
    """A copy, made when the gate is open."""
    gate(closed_by).wait(1)
    made = gpustream.Buffer(ITEMS)
    gpustream._memcpy_async(made.ptr, given.ptr, ITEMS, gpustream.current_stream())  # which does not know the buffer
    return made


def belongs_to_task(value):
    """Whether all buffers in a collection belong to the task's stream, and one that is there twice is one object."""
    found, rest = {}, [value]
    while rest:
        each = rest.pop()
        if isinstance(each, gpustream.Buffer):
            found.setdefault(each.ptr, set()).add(each)
        elif isinstance(each, (list, tuple)):
            rest.extend(each)
        elif isinstance(each, dict):
            rest.extend(each.values())
    current = gpustream.current_stream()
    assert found and current != gpustream.default_stream()
    return all(len(objects) == 1 and each.stream == current for objects in found.values() for each in objects)


class Box:
    def __init__(self, content):
        self.content = content


def boxed(value):
    return Box([buffer(value)])


def unbox(box):
    """On the task's stream: buffers that Dask and the plugin do not see belong to another one."""
    return gpustream.Buffer(ITEMS).copy_(box.content[0])


def hold_and_meet(name, count, seconds):
    gate(name).wait(1)
    return meet((name, "held"), count, seconds)


_dropped = {"question": 0, "answer": 0}


def drop(point, count, dask_worker):
    """The next requests for results get no answer: the connection ends when they have come, or while the answer is written."""
    _dropped[point] = count
    if getattr(dask_worker, "_test_drops", False):
        return
    dask_worker._test_drops = True
    inner = dask_worker.handlers["get_data"]

    async def answer(comm, keys, **options):
        if _take("question"):
            comm.abort()
            raise distributed.CommClosedError("dropped by the test")
        if _take("answer"):
            async def lost(*_, **__):
                comm.abort()
                raise distributed.CommClosedError("dropped by the test")

            comm.write = lost
        return await inner(comm, keys=keys, **options)

    dask_worker.handlers["get_data"] = answer


def _take(point):
    if _dropped[point] == 0:
        return False
    _dropped[point] -= 1
    return True


def dropped(point):
    """How many are still to be dropped."""
    return _dropped[point]


def sending(dask_worker):
    """Answers that are being sent, and the bytes of buffers that are allocated."""
    return dask_worker.transfer_outgoing_count, gpustream.memory.memory_allocated()


def share_and_hold(name, value):
    """What a process leaves when it is killed: an event, a token and a buffer, behind a gate."""
    event = share(name)
    return event, gpustream.Token(gpustream.current_stream()), buffer(value)


def handle_of(event):
    return event.ipc_handle()


def token_behind(name):
    """A token of a stream that is held, which another process may wait for."""
    with gpustream.Stream() as stream:
        gate(name).wait(1)
        return gpustream.Token(stream)


def after_token(token, value):
    array = numpy.zeros(ITEMS)
    token.wait()
    _write(array, lambda: value)
    return array


def has(key, dask_worker):
    return key in dask_worker.data


async def evict(key, dask_worker):
    """Writes a result to disk. It runs in the event loop, as what Dask does with its data."""
    data = dask_worker.data
    while key in data.fast:
        assert data.evict() >= 0
    return key in data.slow


def lost_buffer():
    """A buffer whose work never runs."""
    lost_work()
    return buffer(1)


def is_fetching(key, dask_worker):
    task = dask_worker.state.tasks.get(key)
    return task is not None and task.state == "flight"


def send_version(version):
    from gpustream_dask import _buffers

    _buffers._VERSION = version
