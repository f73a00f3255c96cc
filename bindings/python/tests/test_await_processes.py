# SPDX-License-Identifier: Apache-2.0
"""await in processes of their own: faults, Ctrl-C, forks."""
import pytest

pytest.importorskip("anyio")
FAILS = """
import anyio, gpustream
from support.fake_driver import fake
from support.native import Gate
streams, gate, codes = [gpustream.Stream() for _ in range(4)], Gate(), []
for stream in streams:
    gate.hold(stream)

async def one(stream):
    try:
        await stream
    except gpustream.Error as error:
        codes.append((error.native_code, type(error).__name__))

async def main():
    async with anyio.create_task_group() as group:
        for number in range(10_000):
            group.start_soon(one, streams[number & 3])
        await anyio.sleep(0)
        fake.fake_cuda_break_device(0, 700)
        gate.open()

anyio.run(main, backend="%s")
print(len(codes), *sorted(set(codes)))
"""


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_ten_thousand_awaits_report_a_fault(run_python, backend):
    pytest.importorskip(backend)
    out = run_python(FAILS % backend, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda())
    assert out.split(maxsplit=1)[0] == "10000" and "700" in out and out.count("(") == 1, out


def test_ctrl_c(run_python):
    # A shell that starts the tests in the background ignores SIGINT for all of its children.
    out = run_python("""
import asyncio, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import gpustream
from support.native import Gate
stream, gate = gpustream.Stream(), Gate()
gate.hold(stream)

async def main():
    threading.Timer(0.03, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
    await stream

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
gate.open()
asyncio.run(asyncio.wait_for(asyncio.sleep(0, stream.synchronize()), 60))
""")
    assert out.split() == ["interrupted"], out
