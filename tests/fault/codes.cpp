// SPDX-License-Identifier: Apache-2.0
#include "fault/codes.hpp"

#include <algorithm>

namespace gs::test {
namespace {

bool starts(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

bool any_of(const std::string &symbol, std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return symbol == name; });
}

bool destroys(const std::string &symbol) {
    return any_of(symbol, {"cuStreamDestroy_v2", "cuEventDestroy_v2", "cuModuleUnload", "cuMemFreeHost", "cuMemFree_v2",
                           "cuGraphDestroy", "cuGraphExecDestroy", "cuMemPoolDestroy"});
}

bool destroying_step(const std::string &step) {
    return step.find("_destroy(") != std::string::npos || starts(step, "gs_trim") || starts(step, "gs_free_host");
}

bool moves_contexts(const std::string &symbol) {
    return starts(symbol, "cuCtx") && !any_of(symbol, {"cuCtxSynchronize", "cuCtxGetStreamPriorityRange"});
}

} // namespace

const std::vector<int> &sticky_codes() {
    static const std::vector<int> codes{700, 719, 214, 220, 226, 702, 710, 714, 715, 716, 717, 718, 721, 810, 911};
    return codes;
}

bool sticky(int code) { return std::count(sticky_codes().begin(), sticky_codes().end(), code) != 0; }

bool touches_context(const std::string &symbol) {
    return (starts(symbol, "cuStream") || starts(symbol, "cuEvent") || starts(symbol, "cuLaunch") ||
            starts(symbol, "cuMem") || symbol == "cuCtxSynchronize");
}

std::vector<int> codes_for(const std::string &symbol) {
    if (symbol == "cuInit") return {1, 2, 34, 100, 101, 802, 803, 804, 805, 999};
    if (symbol == "cuDevicePrimaryCtxRetain") return {2, 4, 46, 101, 201, 214, 800, 805, 806, 807, 808, 809, 999};
    if (symbol == "cuDevicePrimaryCtxGetState" || symbol == "cuDevicePrimaryCtxRelease_v2" ||
        symbol == "cuDevicePrimaryCtxReset_v2")
        return {4, 101, 201};
    if (starts(symbol, "cuDevice") || symbol == "cuDriverGetVersion") return {1, 3, 4, 101};
    if (symbol == "cuThreadExchangeStreamCaptureMode") return {1, 4, 900};
    if (moves_contexts(symbol)) return {3, 4, 201, 709};
    if (destroys(symbol)) return {4, 201, 400, 709};
    if (any_of(symbol, {"cuStreamQuery", "cuEventQuery"})) return {600, 4, 400, 709, 900, 907};
    if (any_of(symbol, {"cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"}))
        return {4, 201, 400, 709, 900, 907};
    if (any_of(symbol, {"cuEventRecord", "cuEventRecordWithFlags", "cuStreamWaitEvent"}))
        return {1, 4, 201, 400, 709, 900, 901, 902, 903, 904, 905, 906, 907};
    if (starts(symbol, "cuEventElapsedTime")) return {400, 600, 4, 999};
    if (starts(symbol, "cuIpc")) return {1, 2, 201, 205, 217, 400, 801};
    if (symbol == "cuLaunchHostFunc") return {2, 201, 400, 801, 900};
    if (symbol == "cuLaunchKernel") return {1, 4, 201, 400, 701, 900};
    if (any_of(symbol, {"cuStreamCreateWithPriority", "cuEventCreate"})) return {1, 2, 4, 201, 709, 900};
    if (starts(symbol, "cuModule")) return {2, 4, 200, 201, 209, 218, 222, 300, 500};
    if (starts(symbol, "cuMemAlloc") || symbol == "cuMemHostAlloc") return {1, 2, 201, 801};
    if (starts(symbol, "cuStreamWriteValue") || starts(symbol, "cuStreamWaitValue")) return {1, 4, 201, 400, 709, 801};
    if (symbol == "cuMemHostRegister_v2") return {1, 2, 201, 801, 900};
    if (symbol == "cuStreamIsCapturing") return {1, 400, 709, 906};
    if (symbol == "cuStreamSetAttribute") return {1, 400, 801};
    return {1, 4, 201, 400};
}

std::vector<gs_status_t> statuses_for(const std::string &symbol, int code) {
    // Only calls that involve the context of a known device report a broken context.
    if (sticky(code) && starts(symbol, "cuStream") &&
        !any_of(symbol, {"cuStreamSynchronize", "cuStreamQuery", "cuStreamWaitEvent"}))
        return {GS_ERROR_STICKY, GS_ERROR_DRIVER};
    if (sticky(code))
        return {touches_context(symbol) || starts(symbol, "cuCtx") || starts(symbol, "cuModule") ? GS_ERROR_STICKY
                                                                                                 : GS_ERROR_DRIVER};
    if (symbol == "cuInit" && (code == 34 || code == 100)) return {GS_ERROR_UNAVAILABLE};
    // The caller's launch configuration is an argument, that of the library's sleep kernel is not.
    if (symbol == "cuLaunchKernel" && (code == 1 || code == 701)) return {GS_ERROR_INVALID_ARGUMENT, GS_ERROR_DRIVER};
    if (symbol == "cuIpcOpenEventHandle") {
        if (code == 201 || code == 217) return {GS_ERROR_NOT_SUPPORTED};
        if (code == 1 || code == 205 || code == 400) return {GS_ERROR_INVALID_ARGUMENT};
    }
    if (symbol == "cuModuleLoadDataEx") {
        if (code == 200 || code == 209 || code == 218 || code == 300) return {GS_ERROR_INVALID_ARGUMENT};
        if (code == 222) return {GS_ERROR_NOT_SUPPORTED};
    }
    if (symbol == "cuImportExternalSemaphore" && code == 999) return {GS_ERROR_INVALID_ARGUMENT};
    if (symbol == "cuModuleGetFunction" && code == 500) return {GS_ERROR_INVALID_ARGUMENT, GS_ERROR_DRIVER};
    if (starts(symbol, "cuEventElapsedTime") && code == 400) return {GS_ERROR_NOT_RECORDED};
    // The context's identity could not be confirmed: it counts as lost.
    if (symbol == "cuCtxGetId" && (code == 201 || code == 709))
        return {GS_ERROR_CONTEXT_LOST, GS_ERROR_DRIVER, GS_ERROR_INVALID_HANDLE};
    if (code >= 900 && code <= 908) return {GS_ERROR_CAPTURING};
    switch (code) {
    case 1: return {GS_ERROR_DRIVER, GS_ERROR_INVALID_ARGUMENT, GS_ERROR_INVALID_HANDLE};
    case 2: return {GS_ERROR_OUT_OF_MEMORY};
    case 4: return {GS_ERROR_SHUTDOWN};
    case 101: return {GS_ERROR_INVALID_DEVICE};
    case 400:
    case 709: return {GS_ERROR_INVALID_HANDLE};
    case 600: return {GS_NOT_READY};
    case 800: return {GS_ERROR_NOT_PERMITTED};
    case 801: return {GS_ERROR_NOT_SUPPORTED};
    // A foreign stream with a context that is unknown to the driver is not accepted as a stream.
    case 201: return {GS_ERROR_DRIVER, GS_ERROR_INVALID_HANDLE};
    default: return {GS_ERROR_DRIVER};
    }
}

bool gives_up(const std::string &symbol, const std::string &step) {
    const bool examining = starts(step, "gs_stream_create") &&
                           any_of(symbol, {"cuStreamIsCapturing", "cuStreamQuery", "cuStreamSetAttribute",
                                           "cuThreadExchangeStreamCaptureMode", "cuDevicePrimaryCtxGetState"});
    // A user object that the graph may refer to is not released.
    const bool uncertain = any_of(symbol, {"cuMemFreeAsync", "cuUserObjectCreate", "cuGraphRetainUserObject"});
    // The end of a capture that is not wanted destroys its graph.
    const bool aborting = starts(step, "gs_stream_abort_capture") && symbol == "cuThreadExchangeStreamCaptureMode";
    return destroys(symbol) || uncertain || destroying_step(step) || examining || aborting;
}

const char *excuse(const std::string &symbol, int code, const std::string &step) {
    if (code == 600) return "pending is an answer, not a failure";
    if (destroying_step(step) && code == 4) return "the driver is gone, and with it the objects";
    if (destroying_step(step) && sticky(code)) return "destroying in a broken context is silent; the device reports it";
    if (code == 1 && symbol == "cuDeviceGetAttribute") return "an attribute that this driver does not know is 0";
    if (symbol == "cuDeviceGetCount" && (starts(step, "gs_device_count") || starts(step, "gs_inventory_index") ||
                                         starts(step, "gs_device_get_telemetry")))
        return "a driver that does not count is not in use: NVML is queried";
    if (symbol == "cuDeviceGetUuid")
        return "only reports whether the device is a MIG instance, which its name shows too";
    if (any_of(symbol, {"cuCtxGetCurrent", "cuCtxGetDevice"}) &&
        (starts(step, "gs_current_device") || starts(step, "gs_event_ipc_export") || starts(step, "gs_malloc_host") ||
         starts(step, "gs_push_current_stream") || starts(step, "gs_exchange_device") ||
         starts(step, "gs_current_snapshot") || starts(step, "gs_current_adopt")))
        return "a thread without a readable context works with device 0";
    if (symbol == "cuDevicePrimaryCtxGetState" && starts(step, "gs_exchange_device"))
        return "a context that cannot be queried counts as none, so the driver's is not changed";
    if (starts(step, "gs_device_get_info") && (starts(symbol, "cuDevicePrimaryCtx") || starts(symbol, "cuCtxGetId")))
        return "the priority range is reported only inside a known context";
    if ((code == 1 || code == 801) && symbol == "cuStreamSetAttribute")
        return "an attribute that does not exist was not changed";
    if (symbol == "cuStreamIsCapturing" && code == 906 && starts(step, "gs_device_check"))
        return "a capture on a blocking stream also shows that the context works";
    if (symbol == "cuEventQuery" && code == 907 && starts(step, "gs_event_from_native"))
        return "an event of a capture is an event";
    if (gives_up(symbol, step) && starts(step, "gs_stream_create"))
        return "that stream is not reused now, a new one is created";
    if (step.find("<< 40") != std::string::npos && (starts(symbol, "cuCtx") || symbol == "cuMemGetInfo_v2"))
        return "only adds the free bytes to the text of another failure";
    return nullptr;
}

} // namespace gs::test
