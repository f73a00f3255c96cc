// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/driver_errors.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace gs::cuda {
namespace {

// One after the other, found by where each begins: the loader would have to relocate each pointer to a text.
struct Texts {
#define X(code, name, text) char text_##name[sizeof #name ": " text];
#include "backend/cuda/driver/driver_error_texts.inc"
};
constexpr Texts kTexts{
#define X(code, name, text) #name ": " text,
#include "backend/cuda/driver/driver_error_texts.inc"
};
static_assert(sizeof kTexts <= UINT16_MAX);

struct ErrorText {
    int32_t code;
    uint16_t text;
};
constexpr ErrorText kErrors[] = {
#define X(code, name, text) {code, offsetof(Texts, text_##name)},
#include "backend/cuda/driver/driver_error_texts.inc"
};
static_assert(std::is_sorted(std::begin(kErrors), std::end(kErrors),
                             [](const ErrorText &a, const ErrorText &b) { return a.code < b.code; }));

const ErrorText *find_error(int32_t code) noexcept {
    const auto *found = std::lower_bound(std::begin(kErrors), std::end(kErrors), code,
                                         [](const ErrorText &text, int32_t wanted) { return text.code < wanted; });
    return found != std::end(kErrors) && found->code == code ? found : nullptr;
}

const char *text_at(uint16_t place) noexcept { return reinterpret_cast<const char *>(&kTexts) + place; }

const char *capture_advice(CUresult result) noexcept {
    switch (result) {
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: return "end the capture first";
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
        return "end the capture on the stream where it began; its graph is lost";
    case CUDA_ERROR_STREAM_CAPTURE_MERGE: return "only one of the two streams may be part of a capture of its own";
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED: return "end the capture on the stream where it began";
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED: return "make the first stream wait for the others before the capture ends";
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
        return "the event was recorded outside of the capture; GS_EVENT_EXTERNAL makes it a node of the graph";
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT: return "use non-blocking streams beside a capture, not the default stream";
    case CUDA_ERROR_CAPTURED_EVENT: return "such an event has no state of its own until it is recorded again";
    // Of a call on an event that exists.
    case CUDA_ERROR_INVALID_VALUE:
        return "the event was last recorded in a capture that has ended: it has no state before its next record";
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD: return "end the capture on the thread that began it";
    default: return "a stream of this context is being captured";
    }
}

} // namespace

const char *find_error_text(int32_t code) noexcept {
    const ErrorText *found = find_error(code);
    return found ? text_at(found->text) : nullptr;
}

const char *error_text(int32_t code) noexcept {
    const char *text = find_error_text(code);
    return text ? text : "unknown CUDA error: a code that this version of gpustream does not know";
}

bool is_sticky(CUresult result) noexcept {
    switch (static_cast<int>(result)) {
    case 214:
    case 220:
    case 226:
    case 700:
    case 702:
    case 710:
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719:
    case 721:
    case 810:
    case 911: return true;
    default: return false;
    }
}

bool hints_at_lost_context(CUresult result) noexcept {
    return result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_INVALID_HANDLE ||
           result == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

gs_status_t plain_status(CUresult result, gs_status_t invalid_value) noexcept {
    const int code = static_cast<int>(result);
    if (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
        return GS_ERROR_CAPTURING;
    if (is_sticky(result)) return GS_ERROR_STICKY;
    switch (code) {
    case CUDA_SUCCESS: return GS_OK;
    case CUDA_ERROR_NOT_READY: return GS_NOT_READY;
    case CUDA_ERROR_INVALID_VALUE: return invalid_value;
    case CUDA_ERROR_OUT_OF_MEMORY: return GS_ERROR_OUT_OF_MEMORY;
    case CUDA_ERROR_DEINITIALIZED: return GS_ERROR_SHUTDOWN;
    case CUDA_ERROR_INVALID_DEVICE: return GS_ERROR_INVALID_DEVICE;
    case CUDA_ERROR_INVALID_HANDLE:
    case 917: // CUDA_ERROR_STREAM_DETACHED, which older headers lack: its green context has ended
    case CUDA_ERROR_CONTEXT_IS_DESTROYED: return GS_ERROR_INVALID_HANDLE;
    case CUDA_ERROR_NOT_PERMITTED: return GS_ERROR_NOT_PERMITTED;
    case CUDA_ERROR_NOT_SUPPORTED: return GS_ERROR_NOT_SUPPORTED;
    default: return GS_ERROR_DRIVER;
    }
}

Status map_error_no_device(CUresult result, FailedCall call) noexcept {
    const gs_status_t status = plain_status(result, call.invalid_value);
    if (status == GS_NOT_READY) return {GS_NOT_READY};
    if (status == GS_ERROR_CAPTURING) return fail_capturing(result, call.function);
    // No device is latched here, so the failure concerns this call alone.
    return fail_native(status == GS_ERROR_STICKY ? GS_ERROR_DRIVER : status,
                       {GS_BACKEND_CUDA, static_cast<int32_t>(result), call.function}, "%s failed: %s (%d)",
                       call.function, error_text(result), static_cast<int>(result));
}

Status fail_start(CUresult result, const char *function) noexcept {
    switch (result) {
    case CUDA_ERROR_STUB_LIBRARY:
        return fail_unavailable(GS_REASON_STUB, GS_BACKEND_CUDA, "%s: %s", function, error_text(result));
    case CUDA_ERROR_NO_DEVICE:
        return fail_unavailable(GS_REASON_NO_DEVICE, GS_BACKEND_CUDA, "%s: %s", function, error_text(result));
    default: return map_error_no_device(result, {function});
    }
}

Status fail_absent(const char *function) noexcept {
    return fail_native(GS_ERROR_NOT_SUPPORTED, {GS_BACKEND_CUDA, CUDA_ERROR_NOT_SUPPORTED, function},
                       "the installed CUDA driver does not have %s", function);
}

Status fail_capturing(CUresult result, const char *function) noexcept {
    return fail_native(GS_ERROR_CAPTURING, {GS_BACKEND_CUDA, static_cast<int32_t>(result), function}, "%s: %s (%d); %s",
                       function, error_text(result), static_cast<int>(result), capture_advice(result));
}

} // namespace gs::cuda
