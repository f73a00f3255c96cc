# SPDX-License-Identifier: Apache-2.0
"""Exceptions: what they derive from, what they carry, what they say, and which objects they name."""
import copy
import gc
import pickle
import re
import types
import warnings

import gpustream
import pytest
from gpustream import _core, _lazy, errors
from support.native import ROOT
from support.refusals import raises

TORCH_CLASSES = {
    "InvalidDeviceError": AssertionError, "TimingDisabledError": ValueError, "NotRecordedError": ValueError,
    "InvalidArgumentError": ValueError, "NotSupportedError": NotImplementedError,
}


def test_one_class_for_each_status():
    assert {s for s in gpustream.Status if s not in (0,)} == set(errors._CLASSES)
    assert len(set(errors._CLASSES.values())) == len(errors._CLASSES)
    for status, kind in errors._CLASSES.items():
        assert issubclass(kind, gpustream.Error) and issubclass(kind, RuntimeError)
        assert kind.__doc__.startswith(gpustream.Status(status).name) and getattr(gpustream, kind.__name__) is kind


@pytest.mark.parametrize("name, kind", TORCH_CLASSES.items())
def test_torchs_classes(name, kind):
    assert issubclass(getattr(gpustream, name), kind)


def test_reasons_are_the_headers():
    names = {name for name in dir(gpustream._core) if name.startswith("GS_REASON_")}
    assert names == {f"GS_REASON_{reason.name}" for reason in gpustream.Reason}
    assert all(getattr(gpustream._core, f"GS_REASON_{reason.name}") == reason for reason in gpustream.Reason)


def test_statuses_are_the_headers():
    assert len(gpustream.Status) == 2 + sum(name.startswith("GS_ERROR_") for name in dir(gpustream._core))
    for status in gpustream.Status:
        prefix = "GS_" if status in (0, 1) else "GS_ERROR_"
        assert gpustream._core.gs_status_name(int(status)) == prefix + status.name


def test_attributes():
    caught = raises(gpustream.InvalidDeviceError, gpustream.Stream, 77)
    error = caught
    assert error.status is gpustream.Status.INVALID_DEVICE and error.status == 12
    assert error.function == "gs_stream_create" and error.native_code == 0 and error.reason is gpustream.Reason.NONE
    assert error.backend in ("", "host", "cuda") and error.sticky is False and error.origin == ""
    assert "77" in str(error)


def test_unknown_status_of_a_newer_library():
    error = errors.make(97, 0, 77, 0, "gs_x", "", "gs_x: new")
    assert error.backend == ""
    assert type(error) is gpustream.Error and error.status == 97 and str(error) == "new"


def test_pending_text_is_used_when_there_is_no_own():
    assert str(errors.make(14, 0, 0, 0, "", "", "")) == gpustream._core.gs_status_message(14)


def test_no_library_text_leaks_the_prefix():
    caught = raises(gpustream.InvalidHandleError, gpustream.ExternalStream, 4093)
    assert not str(caught).startswith("gs_")
    assert caught.function == "gs_stream_from_native"


def test_check_error():
    assert gpustream.check_error(0) is None
    gpustream.check_error(gpustream.cudart().cudaError.success)
    caught = raises(gpustream.CudaError, r"^out of memory \(2\)$", gpustream.check_error, 2)
    assert caught.native_code == 2 and isinstance(caught, gpustream.Error)
    assert str(gpustream.CudaError(600)) == "device not ready (600)"


RUNTIME_TEXTS = {
    0: "no error", 1: "invalid argument", 2: "out of memory", 3: "initialization error",
    35: "CUDA driver version is insufficient for CUDA runtime version", 98: "invalid device function",
    100: "no CUDA-capable device is detected", 101: "invalid device ordinal", 400: "invalid resource handle", 600: "device not ready",
    700: "an illegal memory access was encountered", 719: "unspecified launch failure", 801: "operation not supported",
    900: "operation not permitted when stream is capturing", 999: "unknown error",
}


@pytest.mark.parametrize("code", RUNTIME_TEXTS)
def test_texts_are_the_runtimes(code):
    runtime = gpustream.cudart()
    assert runtime.cudaGetErrorString(code) == runtime.cudaGetErrorString(runtime.cudaError(code)) == RUNTIME_TEXTS[code]
    assert str(gpustream.CudaError(code)) == f"{RUNTIME_TEXTS[code]} ({code})"


@pytest.mark.parametrize("code", [-1, 11, 12345, 2**31, 2**64, -2**100])
def test_codes_that_the_runtime_does_not_have(code):
    assert gpustream.cudart().cudaGetErrorString(code) == "unrecognized error code"
    caught = raises(gpustream.CudaError, gpustream.check_error, code)
    assert str(caught) == f"unrecognized error code ({code})" and caught.native_code == code


@pytest.mark.parametrize("code", ["2", None, 2.0])
def test_what_is_no_code(code):
    for name, call in (("res", gpustream.check_error), ("code", gpustream.CudaError), ("error", gpustream.cudart().cudaGetErrorString)):
        raises(TypeError, f"^argument '{name}' must be int, not {type(code).__name__}$", call, code)


def _one_of_each():
    made = [errors.make(status, 3, 2, 700 + status, "gs_x", "cuX", f"gs_x: text {int(status)}", status == 51, "seen first") for status in errors._CLASSES]
    made += [errors.make(97, 0, 0, 0, "gs_x", "", "gs_x: new"), gpustream.CudaError(2), gpustream.DeferredCudaCallError("late")]
    assert {type(error) for error in made} == {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.Error)}
    return made


def _facts(error):
    return (type(error), str(error), error.args, error.status, type(error.status), error.reason, type(error.reason), error.native_code,
            error.function, error.native_function, error.backend, error.sticky, error.origin)


@pytest.mark.parametrize("error", _one_of_each(), ids=lambda error: type(error).__name__)
def test_survives_pickling(error):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert _facts(pickle.loads(pickle.dumps(error, protocol))) == _facts(error)
    assert _facts(copy.copy(error)) == _facts(copy.deepcopy(error)) == _facts(error)


def test_messages_name_pythons_flags():
    caught = raises(gpustream.InvalidArgumentError, "^the event was created without interprocess=True$", lambda: gpustream.Event().ipc_handle())
    assert caught.function == "gs_event_ipc_export"
    assert str(errors.make(23, 0, 2, 0, "", "", "GS_EVENT_EXTERNAL makes it a node")) == "external=True makes it a node"


@pytest.mark.parametrize("call, name, wanted", [
    (lambda: gpustream._sleep("x"), "cycles", "int, not str"),
    (lambda: gpustream._sleep(1.5), "cycles", "int, not float"),
    (lambda: gpustream._sleep(True), "cycles", "int, not bool"),
    (lambda: gpustream._malloc_async("x"), "bytes", "int, not str"),
    (lambda: gpustream._malloc_host(None), "bytes", "int, not NoneType"),
    (lambda: gpustream._free_async("x"), "pointer", "int, not str"),
    (lambda: gpustream._memset_async(0, "x", 3), "value", "int, not str"),
    (lambda: gpustream._memcpy_async(0, "x", 3), "src", "int, not str"),
    (lambda: gpustream._memcpy_async(0, 0, []), "bytes", "int, not list"),
    (lambda: gpustream._core.gs_module_get_kernel(0, 3), "name", "str, not int"),
    (lambda: gpustream._core.gs_event_query(3), "event", "Event, not int"),
])
def test_type_errors_name_the_argument(call, name, wanted):
    raises(TypeError, f"^argument '{name}' must be {wanted}$", call)


@pytest.mark.parametrize("call, name", [
    (lambda: gpustream._sleep(-1), "cycles"), (lambda: gpustream._sleep(2**64), "cycles"), (lambda: gpustream._malloc_host(-2**70), "bytes"),
    (lambda: gpustream._memset_async(0, 2**31, 1), "value"), (lambda: gpustream._set_sync_debug_scope(2**64), "value"),
])
def test_numbers_out_of_range_name_the_argument(call, name):
    raises(OverflowError, f"^argument '{name}' is out of range: -?[0-9]+$", call)


def test_cudart():
    runtime = gpustream.cudart()
    assert runtime.cudaError.success == 0
    assert gpustream.cudaStatus.SUCCESS == 0 and gpustream.cudaStatus.ERROR_NOT_READY == 600
    gpustream.Stream(0)  # the fake driver's memory is reported inside a context only
    free, total = runtime.cudaMemGetInfo(0)
    assert 0 <= free <= total == gpustream.mem_get_info(0)[1]
    raises(gpustream.InvalidDeviceError, runtime.cudaMemGetInfo, 4000)
    assert runtime.cudaProfilerStart() in (0, 801) and runtime.cudaProfilerStop() in (0, 801)


def test_no_driver_is_said_with_a_reason(run_python):
    out = run_python("""
import gpustream
assert gpustream.is_available() is False and gpustream.device_count() == 0
gpustream.Event()
for _ in range(2):
    try:
        gpustream.Stream()
        raise SystemExit(1)
    except gpustream.UnavailableError as error:
        print(error.reason.name, error)
assert gpustream.is_initialized() is False
""", GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA="/nonexistent/libcuda.so.1")
    assert out.count("NO_LIBRARY") == 2 and "/nonexistent/libcuda.so.1" in out


def test_unknown_backend(run_python):
    out = run_python("""
import gpustream
for call in (gpustream.init, gpustream.is_available, gpustream.Stream, lambda: gpustream.Device(0)):
    try:
        call()
        raise SystemExit(1)
    except ValueError as error:
        print(error)
""", GPUSTREAM_BACKEND="abacus")
    assert out.count("abacus") == 4


PORTING = (ROOT / "docs/guide/porting-from-torch.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("call, error, text", [
    (lambda: gpustream.Stream(x=1), TypeError, "Stream() got an unexpected keyword argument 'x'"),
    (lambda: gpustream.Stream().record_event(7), TypeError, "record_event(): argument 'event' must be Event or None, not int"),
    (lambda: gpustream.Stream().wait_event(None), TypeError, "wait_event(): argument 'event' must be Event, not NoneType"),
    (lambda: gpustream.Event().record(x=1), TypeError, "record() got an unexpected keyword argument 'x'"),
    (lambda: gpustream.set_device(99), gpustream.InvalidDeviceError, "Invalid device id: device 99 does not exist"),
])
def test_texts_that_are_not_torchs_are_those_of_the_porting_page(call, error, text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # torch warns before some of them
        raises(error, re.escape(text), call)
    assert f'"{text}"' in PORTING


def test_nvml_that_cannot_be_loaded_is_no_warning(run_python):
    code = "import gpustream; print(gpustream._raw_device_count_nvml(), gpustream._raw_device_uuid_nvml())"
    assert run_python("import warnings; warnings.simplefilter('error'); " + code, GPUSTREAM_LIBNVML="/nonexistent/libnvidia-ml.so.1") == "-1 None\n"


def test_a_build_without_a_backend_for_gpus(monkeypatch):
    assert gpustream._is_compiled() is True
    monkeypatch.setattr(_lazy, "_core", types.SimpleNamespace(gs_native_error_text=lambda number, code: "unknown native error"))
    assert gpustream._is_compiled() is False
    with pytest.raises(gpustream.UnavailableError, match="this build of gpustream has no hip backend") as caught:
        _core.gs_default_stream(_core.gs_device_make(_core.GS_BACKEND_HIP, 0))
    assert caught.value.reason is gpustream.Reason.NOT_BUILT


def test_a_device():
    error = raises(gpustream.InvalidDeviceError, lambda: gpustream.Stream(77))
    assert error.stream is None and error.event is None and error.stream_handle == error.event_handle == 0
    assert error.device.index == 77 and error.device.type == gpustream.Device(0).type
    assert raises(gpustream.Error, lambda: gpustream.Event().ipc_handle()).device is None  # of an event that is bound to none


def test_a_stream_and_an_event():
    first, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
    event.record(first)
    error = raises(gpustream.DeviceMismatchError, lambda: event.record(other))
    assert error.stream == other and isinstance(error.stream, gpustream.Stream) and error.stream_handle == other.handle
    assert error.event_handle == event.handle and error.event.handle == event.handle and isinstance(error.event, gpustream.Event)
    assert error.device == other.device == gpustream.Device(1)
    with other:
        assert raises(gpustream.Error, event.record).stream == other  # the current one
    assert raises(gpustream.Error, lambda: gpustream.Event().ipc_handle()).stream is None


def test_the_default_stream():
    event = gpustream.Event()
    event.record(gpustream.Stream(1))
    error = raises(gpustream.Error, lambda: event.record(gpustream.default_stream(0)))
    assert error.stream == gpustream.default_stream(0) and error.device == gpustream.Device(0)


def test_what_has_ended_is_none():
    event, stream = gpustream.Event(), gpustream.Stream(1)
    event.record(gpustream.Stream(0))
    error = raises(gpustream.Error, lambda: event.record(stream))
    handle, number = stream.handle, event.handle
    del stream, event
    gc.collect()
    assert error.stream is None and error.event is None, "an exception keeps nothing alive"
    assert (error.stream_handle, error.event_handle, error.device) == (handle, number, gpustream.Device(1))


def test_objects_stay_in_their_process():
    first, other, event = gpustream.Stream(0), gpustream.Stream(1), gpustream.Event()
    event.record(first)
    error = raises(gpustream.Error, lambda: event.record(other))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error) and str(again) == str(error) and again.status is error.status
        assert again.stream is None and again.event is None and again.stream_handle == again.event_handle == 0
        assert again.device == error.device


def test_failures_of_this_package_name_none():
    error = raises((gpustream.Error, ValueError), lambda: gpustream.Device("cuda:99999999999"))
    if isinstance(error, gpustream.Error):
        assert error.stream is None and error.event is None and error.device is None
    error = gpustream.CudaError(2)
    assert error.stream is None and error.event is None and error.device is None
