# SPDX-License-Identifier: Apache-2.0
"""Checkpoint and restore: what a process has after cuCheckpointProcessRestore.

A child process uses gpustream. This process locks, checkpoints, restores and unlocks it by the driver's functions; the child then
goes on with the same objects: streams with pending work, events, memory, a graph, a timeline and a queue. Another child shared
an event with other processes and has ended it. A third still has such an event and a token, which drivers before 610 may refuse: that
is printed. A fourth has work that waits for a signal of its own thread, which has to come through.

usage: checkpoint.py      exit status 0: no check failed; 77: this driver has no checkpoints ("no GPU ...", or its reason)
"""

import atexit
import ctypes as c
import subprocess
import sys
import threading

RUNNING, LOCKED, CHECKPOINTED, FAILED = range(4)
NOT_READY, NOT_SUPPORTED = 600, 801
STATES = ("running", "locked", "checkpointed", "failed")


def skip(reason):
    print(f"no GPU to checkpoint: {reason}")
    sys.exit(77)


# ---- the process that is checkpointed ------------------------------------------------------------------------------------


class Program:
    """The objects of one child, and what they must still do after each step. Scenario names are those of main()."""

    def __init__(self, scenario):
        import gs

        self.gs, self.scenario = gs, scenario
        handle, count, value = gs.HANDLE, c.c_size_t, c.c_uint64
        for name, types in {
            "gs_timeline_create": [c.c_int32, value, c.c_uint32, c.POINTER(handle)], "gs_timeline_signal": [handle, value],
            "gs_timeline_value": [handle, c.POINTER(value)], "gs_stream_wait_timeline": [handle, handle, value],
            "gs_stream_signal_timeline": [handle, handle, value], "gs_queue_create": [c.c_uint32, c.c_uint32, c.POINTER(handle)],
            "gs_queue_add_event": [handle, handle, value], "gs_queue_wait": [handle, c.c_void_p, count, c.c_int64, c.POINTER(count)],
            "gs_stream_begin_capture": [handle, c.c_int32], "gs_stream_end_capture": [handle, c.POINTER(handle)],
            "gs_graph_instantiate": [handle, c.c_uint32, c.POINTER(handle)], "gs_graph_exec_launch": [handle, handle],
            "gs_malloc_host": [count, c.POINTER(c.c_void_p)], "gs_device_check": [c.c_int32], "gs_trim": [],
            "gs_stream_driver_id": [handle, c.POINTER(value)], "gs_stream_context": [handle, c.POINTER(count)],
            "gs_event_ipc_export": [handle, c.c_void_p], "gs_token_create": [handle, c.c_void_p],
            "gs_token_status": [c.c_void_p, c.POINTER(c.c_int32)], "gs_event_elapsed_ms": [handle, handle, c.POINTER(c.c_double)],
            "gs_stream_set_name": [handle, c.c_char_p],
        }.items():
            function = getattr(gs.lib, name)
            function.argtypes, function.restype = types, c.c_int32
        call, out = gs.call, gs.out
        self.stream, self.other = gs.stream(0), gs.stream(0)
        call("stream_set_name", self.stream, b"checkpointed")
        self.event, self.begun, self.ended = gs.event(), gs.event(gs.TIMING), gs.event(gs.TIMING)
        self.timeline = out("timeline_create", handle, 0, 0, 0)
        self.queue = out("queue_create", handle, 8, 0)
        self.host = out("malloc_host", c.c_void_p, 64)
        self.memory = gs.malloc(64, self.stream)
        call("memset_async", self.memory, 5, 64, self.stream)
        call("stream_begin_capture", self.stream, 1)
        call("memcpy_async", self.host, self.memory, 64, self.stream)
        graph = out("stream_end_capture", handle, self.stream)
        self.exec = out("graph_instantiate", handle, graph, 0)
        call("event_record", self.begun, self.stream)
        self.ids = self.identity()
        self.value = 0
        if scenario == "shared":
            self.shared = gs.event(4)  # GS_EVENT_INTERPROCESS
            call("event_record", self.shared, self.stream)
            call("event_ipc_export", self.shared, c.create_string_buffer(64))
        if scenario == "given back":  # what was shared has ended, and the driver keeps none of it
            shared = gs.event(4)
            call("event_record", shared, self.stream)
            call("event_synchronize", shared)
            call("event_destroy", shared)
            call("trim")

    def identity(self):
        """What is known of the driver's objects: equal numbers after a restore, or the library takes them for lost."""
        out, value = self.gs.out, c.c_uint64
        return (self.gs.native(self.stream), out("stream_driver_id", value, self.stream), out("stream_context", c.c_size_t, self.stream))

    def submit(self):
        """Leaves work pending: a long sleep, behind it a copy, a signal, an event that a queue waits for."""
        call = self.gs.call
        self.value += 1
        call("memset_async", self.memory, self.value, 64, self.stream)
        call("stream_sleep", self.stream, self.gs.LONG)
        call("graph_exec_launch", self.exec, self.stream)
        if self.scenario == "waiting":
            call("stream_wait_timeline", self.stream, self.timeline, 2 * self.value - 1)
        call("stream_signal_timeline", self.stream, self.timeline, 2 * self.value)
        call("event_record", self.event, self.stream)
        call("stream_wait_event", self.other, self.event)
        call("queue_add_event", self.queue, self.event, self.value)
        if self.scenario == "shared":
            call("event_record", self.shared, self.stream)
            self.token = c.create_string_buffer(128)
            call("token_create", self.stream, self.token)

    def signal(self):
        self.gs.call("timeline_signal", self.timeline, 2 * self.value - 1)

    def verify(self):
        gs, call, out = self.gs, self.gs.call, self.gs.out
        entries = (c.c_uint64 * 16)()
        assert out("queue_wait", c.c_size_t, self.queue, entries, 1, -1) == 1 and entries[0] == self.value
        call("stream_synchronize", self.other)
        assert c.string_at(self.host, 64) == bytes([self.value]) * 64, "the memory or the graph has changed"
        assert out("timeline_value", c.c_uint64, self.timeline) == 2 * self.value
        call("device_check", 0)
        assert self.identity() == self.ids, f"{self.identity()} was {self.ids}"
        call("event_record", self.ended, self.stream)
        call("event_synchronize", self.ended)
        print(f"  {out('event_elapsed_ms', c.c_double, self.begun, self.ended):.1f} ms between events before and after", file=sys.stderr)
        if self.scenario == "shared":
            call("event_synchronize", self.shared)
            assert out("token_status", c.c_int32, self.token) == 0
        fresh = gs.stream(0)
        block = gs.malloc(1 << 20, fresh)
        call("memset_async", block, 1, 1 << 20, fresh)
        call("free_async", block, fresh)
        call("stream_synchronize", fresh)
        call("stream_destroy", fresh)
        call("trim")

    def run(self):
        print("ready", flush=True)
        for line in sys.stdin:
            getattr(self, line.strip())()
            print("ok", flush=True)


class Child:
    def __init__(self, scenario):
        self.process = subprocess.Popen([sys.executable, __file__, "child", scenario], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        atexit.register(self.process.kill)  # also one that stays locked
        self.expect("ready")

    def expect(self, word):
        line = self.process.stdout.readline()
        assert line == word + "\n", f"the child says {line!r}"

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def do(self, command):
        self.send(command)
        self.expect("ok")

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0, "the child failed"

    def kill(self):
        self.process.kill()
        self.process.wait()


# ---- the process that checkpoints ----------------------------------------------------------------------------------------


def load_driver():
    try:
        driver = c.CDLL("libcuda.so.1")
    except OSError as error:
        skip(error)
    if not hasattr(driver, "cuCheckpointProcessRestore"):
        skip("the driver is older than CUDA 12.8")
    result = driver.cuInit(0)  # a restore needs it, or persistence mode
    if result != 0:
        skip(f"cuInit gives {result}")
    return driver


class Checkpoints:
    """The driver's functions for one process. Arguments are zeroed structs of 64 bytes; the lock's begins with its time limit."""

    def __init__(self, driver, pid):
        self.driver, self.pid = driver, pid

    def step(self, name, milliseconds=0):
        arguments = (c.c_uint32 * 16)(milliseconds)
        return getattr(self.driver, "cuCheckpointProcess" + name)(self.pid, arguments)

    def state(self):
        state = c.c_int(-1)
        result = self.driver.cuCheckpointProcessGetState(self.pid, c.byref(state))
        assert result == 0, f"cuCheckpointProcessGetState gives {result}"
        return state.value

    def must(self, name, state, milliseconds=0):
        result = self.step(name, milliseconds)
        assert result == 0, f"cuCheckpointProcess{name} gives {result}, the process is {STATES[self.state()]}"
        assert self.state() == state, f"{STATES[self.state()]} after {name}"


def survives(driver, scenario, may_be_refused):
    """Two rounds of checkpoint and restore, with pending work each time."""
    child = Child(scenario)
    process = Checkpoints(driver, child.pid)
    for _ in range(2):
        child.do("submit")
        process.must("Lock", LOCKED, 20000)
        child.send("verify")  # its calls wait for the unlock
        refused = process.step("Checkpoint")
        if refused != 0 and may_be_refused:
            print(f"{scenario}: the driver refuses the checkpoint with {refused}; the process is {STATES[process.state()]}")
            if process.state() == LOCKED:  # then nothing has happened to it
                process.must("Unlock", RUNNING)
                child.expect("ok")
                child.end()
            else:
                child.kill()
            return
        if refused == NOT_SUPPORTED:
            child.kill()
            skip("cuCheckpointProcessCheckpoint gives 801")
        assert refused == 0, f"cuCheckpointProcessCheckpoint gives {refused}, the process is {STATES[process.state()]}"
        process.must("Restore", LOCKED)
        process.must("Unlock", RUNNING)
        child.expect("ok")
    child.end()
    print(f"{scenario}: everything goes on")


def waits_for_its_own_thread(driver):
    """Work that a thread of the process must let go on holds a lock or a checkpoint up; the thread can still do so.

    Driver 580 takes a lock back when its time is over, and does not restore a process that was locked and checkpointed after that: it is
    locked and unlocked here.
    """
    child = Child("waiting")
    process = Checkpoints(driver, child.pid)
    child.do("submit")
    result = process.step("Lock", 1500)
    assert result in (0, NOT_READY), f"cuCheckpointProcessLock gives {result}"
    print(f"waiting: a lock of 1.5 s gives {result}, the process is {STATES[process.state()]}")
    if result == NOT_READY:
        assert process.state() == RUNNING
        child.do("signal")
        process.must("Lock", LOCKED, 20000)
        child.send("verify")
    else:
        results = []
        thread = threading.Thread(target=lambda: results.append(process.step("Checkpoint")))
        thread.start()
        thread.join(1)
        print(f"waiting: the checkpoint {'waits for the work' if thread.is_alive() else 'does not wait'}")
        child.do("signal")
        thread.join(30)
        assert results == [0], f"cuCheckpointProcessCheckpoint gives {results}"
        child.send("verify")
        process.must("Restore", LOCKED)
    process.must("Unlock", RUNNING)
    child.expect("ok")
    child.end()
    print("waiting: everything goes on")


def main():
    driver = load_driver()
    survives(driver, "alone", False)
    survives(driver, "given back", False)
    survives(driver, "shared", True)
    waits_for_its_own_thread(driver)
    print("4 of 4 scenarios passed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        Program(sys.argv[2]).run()
    else:
        main()
