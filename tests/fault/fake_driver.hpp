// SPDX-License-Identifier: Apache-2.0
// The fake driver's controls, and its driver functions for tests that play another library in the process.
#pragma once

#include <cudaTypedefs.h>

#include <string>
#include <vector>

#include "support/fake_cuda/fake_cuda.h"

namespace gs::test {

// The folder with the builds of the fake driver.
inline constexpr const char *kFakeDriver = GS_TEST_FAKE_DRIVER;
inline constexpr const char *kFakeDriver11 = GS_TEST_FAKE_DRIVER_11;
inline constexpr const char *kFakeDriverPlain = GS_TEST_FAKE_DRIVER_PLAIN;

#define GS_FAKE_CONTROLS(X)                                                                                            \
    X(inject)                                                                                                          \
    X(clear_fault)                                                                                                     \
    X(injected)                                                                                                        \
    X(thread_id)                                                                                                       \
    X(calls)                                                                                                           \
    X(reset_calls)                                                                                                     \
    X(start_trace)                                                                                                     \
    X(trace)                                                                                                           \
    X(live)                                                                                                            \
    X(live_handles)                                                                                                    \
    X(last)                                                                                                            \
    X(violations)                                                                                                      \
    X(clear_violations) X(act_as) X(set_owner) X(set_handle_reuse) X(deinitialise) X(reset_device) X(break_device)     \
        X(context_depth) X(capture_mode) X(register_kernel) X(lock) X(share_multiprocessors) X(make_semaphore)         \
            X(semaphore_value) X(signal_semaphore)

// The library that GPUSTREAM_LIBCUDA names; opened at the first use, which reads the fake's environment.
struct FakeDriver {
#define X(name) decltype(&fake_cuda_##name) name;
    GS_FAKE_CONTROLS(X)
#undef X
    void *library = nullptr;

    template <typename Function>
    Function symbol(const char *name) const {
        return reinterpret_cast<Function>(find(name));
    }

    std::string violation_text() const;
    std::string injected_name() const;
    std::vector<std::string> trace_lines() const;

private:
    friend const FakeDriver &fake();
    void *find(const char *name) const; // ends the process if it is missing
};
const FakeDriver &fake();

} // namespace gs::test
