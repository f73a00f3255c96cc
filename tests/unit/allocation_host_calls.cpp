// SPDX-License-Identifier: Apache-2.0
// A thread that runs a host function may have failed to get any state. Device calls in the function are refused all the
// same, and the function runs.
#include <sched.h>

#include <atomic>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"

namespace gs::test {
namespace {

// Memory is there again when the function calls the library, which gets the thread its state.
void call_back(void *arg) {
    stop_failing();
    static_cast<std::atomic<int> *>(arg)->store(gs_stream_query(GS_STREAM_CURRENT, nullptr));
}

} // namespace

Failure calls_in_host_functions() {
    gs_stream_t stream = nullptr;
    if (const gs_status_t status = gs_stream_create(0, 0, 0, &stream); status != GS_OK)
        return {status, "gs_stream_create"};
    Failure failure;
    std::atomic<int> got{GS_OK};
    failure = {gs_stream_launch_host(stream, call_back, &got), "gs_stream_launch_host"};
    if (failure.status == GS_OK) {
        while (got == GS_OK) sched_yield();
        if (got != GS_ERROR_NOT_PERMITTED) failure = {got, "gs_stream_query in a host function"};
        if (failure.status == GS_OK) failure = {gs_stream_synchronize(stream), "gs_stream_synchronize"};
    }
    if (const gs_status_t status = gs_stream_destroy(stream); status != GS_OK)
        return {status, "gs_stream_destroy (giving back)"};
    return failure;
}

} // namespace gs::test
