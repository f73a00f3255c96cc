# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in the package's own code: it leaves nothing half done."""
import itertools
import select

import gpustream
import pytest
from gpustream import _callbacks, _queue
from support.interrupts import interrupted
from support.refusals import raises
from test_deferred import settle

SUBMIT = {"notify", "defer", "gs_stream_launch_host", "launch_held"}


@pytest.mark.parametrize("method", ["add_done_callback", "defer", "launch_host"])
def test_what_was_submitted_is_called(method, monkeypatch, gate):
    gpustream.Stream().add_done_callback(int)  # the thread that serves all of them begins
    for number in itertools.count(1):
        stream, seen = gpustream.Stream(), []
        came, _, returned = interrupted(lambda: getattr(stream, method)(lambda: seen.append(1)), _callbacks, number)  # noqa: B023
        stream.synchronize(30)
        submitted = not SUBMIT.isdisjoint(returned)
        assert settle(lambda: not submitted or seen), (number, returned)  # noqa: B023
        assert len(seen) == submitted, (number, returned)
        if not came:
            break
    assert number > 5
    gpustream.Stream().add_done_callback(int)
    gpustream.synchronize()
    assert gpustream._core.graph_served_count() == gpustream._core.graph_announced()
    around = []
    monkeypatch.setattr(_callbacks, "wait_around", lambda synchronize, timeout_ns: around.append(synchronize()))
    gpustream.synchronize()
    assert not around, "something is still pending"
    gate(stream := gpustream.Stream())
    stream.add_done_callback(int)
    gpustream.Stream().synchronize()
    assert around


BEGINS = """
import sys, threading, time
import gpustream

def profile(frame, event, argument):
    if event == "c_return" and argument.__name__ in ("start_new_thread", "start_joinable_thread"):
        raise KeyboardInterrupt

stream, threads, refused = gpustream.Stream(), set(), []
sys.setprofile(profile)
try:
    stream.add_done_callback(int)
except KeyboardInterrupt:
    print("interrupted")
sys.setprofile(None)

def inside():
    threads.add(threading.get_ident())
    try:
        stream.synchronize()
    except gpustream.NotPermittedError:
        refused.append(1)

for _ in range(100):
    stream.add_done_callback(inside)
    time.sleep(0.001)
stream.synchronize()
print(len(threads), len(refused), [thread.name for thread in threading.enumerate()].count("gpustream-callbacks"))
"""


def test_one_thread_serves_if_its_start_is_interrupted(run_python):
    out = run_python(BEGINS)
    assert out.split() == ["interrupted", "1", "100", "1"], out


@pytest.mark.parametrize("method", ["wait", "poll"])
def test_queues_lose_no_entry(method):
    """Also if the call that takes them again is interrupted."""
    for number in itertools.count(1):
        with gpustream.Queue() as queue:
            for token in range(3):
                queue.add(gpustream.Stream(), token)
            assert select.select([queue], [], [], 60)[0]
            calls = [interrupted(getattr(queue, method), _queue, number) for _ in range(2)]
            tokens = [entry.token for _, entries, _ in calls for entry in entries or ()]
            if not tokens:
                assert select.select([queue], [], [], 60)[0]
                tokens = [queue.wait(max_entries=1)[0].token]
            while len(tokens) < 3:
                entries = queue.wait(5)
                assert entries, "as after wake()"
                tokens += [entry.token for entry in entries]
            assert tokens == [0, 1, 2], (number, calls)
            raises(gpustream.TimeLimitError, queue.wait, 0)
            if not calls[0][0]:
                break
    assert number > 5
