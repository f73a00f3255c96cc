# SPDX-License-Identifier: Apache-2.0
"""gpustream.green_contexts: parts of a device and streams in them, under torch's names."""
import gc
import threading
import weakref

import gpustream
import pytest
from gpustream import green_contexts
from gpustream.green_contexts import GreenContext, SMPartition
from support.refusals import raises


@pytest.fixture(scope="module")
def whole():
    return SMPartition.from_device()


def test_the_device(whole):
    assert whole.device_id == gpustream.current_device()
    assert whole.sm_count >= whole.coscheduled_sm_count >= 1
    assert SMPartition.from_device(1).device_id == 1
    assert gpustream.GreenContext is GreenContext and gpustream.green_contexts is green_contexts
    assert sorted(green_contexts.__all__) == ["GreenContext", "SMPartition"]


def test_a_context(whole):
    context = GreenContext(num_sms=1)
    assert context.sm_count == whole.coscheduled_sm_count and context.device_id == gpustream.current_device()
    assert context.sm_partition.sm_count == context.sm_count and context.sm_partition.device_id == context.device_id
    assert GreenContext.create(num_sms=1, device_id=1).device_id == 1
    assert GreenContext(sm_partition=whole).sm_count == whole.sm_count


def test_streams_are_streams():
    context = GreenContext(num_sms=1)
    stream, other = context.Stream(), context.Stream(priority=-1000)
    assert type(stream) is gpustream.Stream and stream != other and stream.device == gpustream.Device(context.device_id)
    assert stream.priority == 0 and other.priority == gpustream.Stream.priority_range()[1] and not stream.is_default
    event = gpustream.Event()
    with gpustream.stream(stream):
        assert gpustream.current_stream() is stream
        gpustream._sleep(1000)
        event.record()
    other.wait_event(event)
    other.wait_stream(stream)
    assert other.record_event().synchronize() is None and stream.query()
    ran = threading.Event()
    stream.add_done_callback(ran.set)
    assert ran.wait(60)


def test_parts_are_disjoint_and_true(whole):
    unit = whole.coscheduled_sm_count
    if whole.sm_count < 2 * unit:
        pytest.skip("the device has one unit")
    (first, second), rest = whole.split(num_sms=(unit, 1))
    assert (first.sm_count, second.sm_count) == (unit, unit)
    assert rest is None or rest.sm_count == (whole.sm_count // unit - 2) * unit
    a, b = GreenContext.split(num_sms=(1, 1))
    assert (a.sm_count, b.sm_count) == (unit, unit)
    one, same = GreenContext(sm_partition=first), GreenContext(sm_partition=first)
    assert one.sm_count == same.sm_count == unit
    del first
    gc.collect()
    one.Stream().synchronize()
    everything, nothing = whole.split(num_sms=whole.sm_count // unit * unit)
    assert nothing is None and len(everything) == 1


def test_refusals(whole):
    raises(gpustream.InvalidArgumentError, "do not fit", GreenContext, num_sms=whole.sm_count + 1)
    raises(gpustream.InvalidArgumentError, "do not fit", whole.split, num_sms=(whole.sm_count, whole.sm_count))
    raises(gpustream.InvalidDeviceError, GreenContext, num_sms=1, device_id=4000)
    raises(RuntimeError, "must be specified", GreenContext)
    raises(ValueError, "mutually exclusive", GreenContext, num_sms=1, sm_partition=whole)
    raises(ValueError, "must match", GreenContext, sm_partition=whole, device_id=1 - whole.device_id)
    raises(TypeError, "must be SMPartition", GreenContext, sm_partition=3)
    raises(TypeError, "argument 'num_sms' must be int, not str", GreenContext, num_sms="8")
    for wrong in (-1, 1 << 32):
        raises(ValueError, "nonnegative", GreenContext, num_sms=wrong)
    raises(ValueError, "at least one group", whole.split, num_sms=())
    for call in (lambda: whole.split(), lambda: whole.split(num_sms=1, backfill=True), lambda: whole.split(num_sms=1, coscheduled_sm_count=(2, 4)),
                 lambda: GreenContext(sm_partition=GreenContext(num_sms=1).sm_partition, workqueue_scope="balanced"),
                 lambda: GreenContext(num_sms=1).sm_partition.split(num_sms=1), lambda: GreenContext(num_sms=1).set_context(),
                 lambda: GreenContext(num_sms=1).pop_context(), GreenContext.max_workqueue_concurrency):
        raises(gpustream.NotSupportedError, call)
    for wrong in (dict(workqueue_scope="mine"), dict(workqueue_concurrency_limit=0), dict(workqueue_concurrency_limit=40000)):
        raises(ValueError, "workqueue", GreenContext, num_sms=1, **wrong)


def test_queues_and_what_runs_together(whole):
    try:
        context = GreenContext(num_sms=1, workqueue_scope="balanced", workqueue_concurrency_limit=4)
    except gpustream.NotSupportedError as error:
        assert "13.1" in str(error)
        return
    context.Stream().synchronize()
    (one,) = GreenContext.split(num_sms=1, workqueue_scope="balanced")
    one.Stream().synchronize()
    if whole.sm_count >= 2:
        (pair,), rest = whole.split(num_sms=1, coscheduled_sm_count=2)
        assert pair.sm_count == pair.coscheduled_sm_count == 2 and rest is None


def test_streams_outlive_their_context():
    context = GreenContext(num_sms=1)
    stream, gone = context.Stream(), weakref.ref(context)
    context.close()
    context.close()
    for use in (context.Stream, lambda: context.sm_count, lambda: context.device_id, lambda: context.sm_partition):
        raises(RuntimeError, "GreenContext has been destroyed", use)
    del context, use
    gc.collect()
    assert gone() is None
    with stream:
        gpustream._sleep(1000)
    stream.synchronize()
