# SPDX-License-Identifier: Apache-2.0
"""The hang of docs/guide/debugging.md, explained while it lasts and after the process was killed.

A child process makes it and stands in a synchronize. What a signal makes it write, and what its log file says after SIGKILL,
is printed and must name both streams, the event's way and the value that nothing signals. The same program then signals.

usage: hang.py      exit status 0: no check failed
"""

import ctypes as c
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import gs

HANDLE = gs.HANDLE
for _name, _types in {
    "gs_timeline_create": [c.c_int32, c.c_uint64, c.c_uint32, c.POINTER(HANDLE)],
    "gs_timeline_destroy": [HANDLE],
    "gs_timeline_signal": [HANDLE, c.c_uint64],
    "gs_stream_wait_timeline": [HANDLE, HANDLE, c.c_uint64],
    "gs_stream_set_name": [HANDLE, c.c_char_p],
    "gs_dump_log": [c.c_char_p, c.c_int32],
}.items():
    _function = getattr(gs.lib, _name)
    _function.argtypes, _function.restype = _types, c.c_int32


def program(ends):
    upload, compute, uploaded = gs.stream(0), gs.stream(0), gs.event()
    gs.call("stream_set_name", upload, b"upload")
    gs.call("stream_set_name", compute, b"compute")
    filled = gs.out("timeline_create", HANDLE, 0, 0, 0)
    gs.call("stream_wait_timeline", upload, filled, 2)
    gs.call("event_record", uploaded, upload)
    gs.call("stream_wait_event", compute, uploaded)
    gs.call("timeline_signal", filled, 1)  # 2 is forgotten
    if ends:
        gs.call("timeline_signal", filled, 2)
    print("waits", flush=True)
    gs.call("stream_synchronize", compute)
    print("done", flush=True)
    gs.call("timeline_destroy", filled)


def start(ends, folder):
    environment = dict(os.environ, GPUSTREAM_LOG="64", GPUSTREAM_LOG_FILE=f"{folder}/%p.log",
                       GPUSTREAM_DUMP_SIGNAL=str(int(signal.SIGUSR1)))
    child = subprocess.Popen([sys.executable, __file__, "child", "ends" if ends else "hangs"], env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=open(f"{folder}/dump", "w+"))
    assert child.stdout.readline() == "waits\n"
    return child


def check_text(text, word):
    """Both ways have to end at the value; word is how certain the text may be."""
    wait = rf'{word} timeline \S+ to reach 2 \(it is at 1\), and nothing in the log signals that'
    assert re.search(rf'\("upload"\) {wait}', text), text
    assert re.search(rf'\("compute"\) {word} event \S+, recorded in stream \S+ \("upload"\), which {wait}', text), text


def main():
    with tempfile.TemporaryDirectory() as folder:
        child = start(False, folder)
        time.sleep(1)
        assert child.poll() is None, "the program has ended"
        child.send_signal(signal.SIGUSR1)
        time.sleep(1)
        assert child.poll() is None, "the signal has ended the program"
        dump = open(f"{folder}/dump").read()
        print(f"while it hangs:\n{dump}")
        check_text(dump, "waits for")
        child.kill()
        assert child.wait() == -signal.SIGKILL
        with open(f"{folder}/explained", "w+") as explained:
            gs.call("dump_log", f"{folder}/{child.pid}.log".encode(), explained.fileno())
            explained.seek(0)
            text = explained.read()
        print(f"after SIGKILL:\n{text}")
        check_text(text, "may wait for")
        assert "which has ended" in text

        child = start(True, folder)
        assert (child.stdout.read(), child.wait(timeout=20)) == ("done\n", 0)
    print("with the signal the program ends\n3 of 3 checks passed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        program(sys.argv[2] == "ends")
    else:
        main()
