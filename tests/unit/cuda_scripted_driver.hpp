// SPDX-License-Identifier: Apache-2.0
// A scripted driver: one thread, two devices, contexts, capture modes and failures on demand. It executes
// nothing; the semantics of work are tested on the fake driver. Unit tests put it into the table by hand.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/cuda_backend.hpp"

namespace gs::cuda {

struct ScriptedDriver {
    struct Context {
        bool active = false;
        unsigned long long id = 0;
    };
    struct Failure {
        CUresult result = CUDA_SUCCESS;
        bool after_effect = false; // the effect happens nevertheless
        int times = 1;
    };

    static CUcontext context_of(int device) {
        return reinterpret_cast<CUcontext>(uintptr_t{0x10000} * (unsigned(device) + 1));
    }
    static int device_of(CUcontext context) { return static_cast<int>(reinterpret_cast<uintptr_t>(context) >> 16) - 1; }

    Context contexts[2];
    unsigned long long next_id = 1;
    std::vector<CUcontext> stack;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    CUstreamCaptureStatus capture_status = CU_STREAM_CAPTURE_STATUS_NONE;
    std::map<std::string, CUstreamCaptureMode> mode_during; // the mode in which a function was last called
    std::map<std::string, CUcontext> current_during;
    std::map<std::string, Failure> failures;
    std::map<std::string, int> calls;
    const char *jit_log = "";

    CUcontext current() const { return stack.empty() ? nullptr : stack.back(); }
    int total() const {
        int sum = 0;
        for (const auto &entry : calls) sum += entry.second;
        return sum;
    }
    void reset_by_others(int device) { contexts[device].active = false; }

    // Counts the call; effect() runs unless the call is to fail before it.
    template <typename Effect>
    CUresult call(const char *name, Effect &&effect) {
        ++calls[name];
        mode_during[name] = mode;
        current_during[name] = current();
        const auto planned = failures.find(name);
        if (planned == failures.end()) return effect();
        const Failure failure = planned->second;
        if (--planned->second.times == 0) failures.erase(planned);
        if (failure.after_effect) (void)effect();
        return failure.result;
    }
    CUresult call(const char *name) {
        return call(name, [] { return CUDA_SUCCESS; });
    }
};

extern ScriptedDriver *g_script;

// Points g_driver and g_devices to a script for the duration of a test.
class ScriptedTestBase {
protected:
    ScriptedTestBase();
    ~ScriptedTestBase();
    ScriptedTestBase(const ScriptedTestBase &) = delete;
    ScriptedTestBase &operator=(const ScriptedTestBase &) = delete;

    static ThreadBlock &thread() { return *this_thread(); }
    static const gs_error_info_t &detail() { return thread().pending; }
    int calls(const char *name) { return script_.calls[name]; }
    void fail(const char *name, CUresult result, bool after_effect = false, int times = 1) {
        script_.failures[name] = {result, after_effect, times};
    }
    uintptr_t make_stream(int32_t ordinal = 0);

    ScriptedDriver script_;
    CudaBackend backend_;

private:
    DriverTable saved_table_ = g_driver;
    Device devices_[2];
};

} // namespace gs::cuda
