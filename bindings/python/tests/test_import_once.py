# SPDX-License-Identifier: Apache-2.0
"""The extension's classes are the process's: a second import is refused, and the first goes on working."""
FIRST = """
import sys
import gpustream, gpustream.interop
stream, event = gpustream.Stream(), gpustream.Event()

def works():
    stream.record_event(event)
    event.synchronize()
    with stream:
        assert gpustream.current_stream() is stream
    assert gpustream.Stream(1).device_index == 1 and type(stream.record_event()) is gpustream.Event
    assert gpustream.get_stream_from_external(stream) is stream
    assert gpustream.get_stream_from_external(stream.cuda_stream) == stream
    try:
        gpustream.Stream(99)
    except gpustream.InvalidDeviceError:
        return True

assert works()
"""


def test_import_again_after_removal(run_python):
    run_python(FIRST + """
for _ in range(2):
    for name in [name for name in sys.modules if name.partition(".")[0] == "gpustream"]:
        del sys.modules[name]
    try:
        import gpustream as second
    except ImportError as error:
        assert "only once per process" in str(error), error
    else:
        raise SystemExit("imported twice")
    assert works()
""")


def test_import_in_a_second_interpreter(run_python):
    run_python(FIRST + """
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
    other = interpreters.create("legacy")
else:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
failure = interpreters.run_string(other, f"import sys; sys.path[:] = {sys.path!r}" + '''
try:
    import gpustream
except ImportError as error:
    assert "only once per process" in str(error), error
else:
    raise RuntimeError("imported twice")
''')
assert failure is None, failure
assert works()
interpreters.destroy(other)
assert works()
""")


def test_import_again_without_removal(run_python):
    """What Python itself does again is the package's code, which finds the same extension."""
    run_python(FIRST + """
import importlib
assert importlib.reload(gpustream) is gpustream and works()
del sys.modules["gpustream"]
import gpustream
assert works()
""")
