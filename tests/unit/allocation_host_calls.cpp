// SPDX-License-Identifier: Apache-2.0
// Host functions when memory is out. The thread that runs one may have failed to get any state: device calls in the function
// are refused all the same, and the function runs.
#include <sched.h>

#include <atomic>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"

namespace gs::test {
namespace {

void no_op(void *) {}

// Memory is there again when the function calls the library, which gets the thread its state.
void call_back(void *arg) {
    stop_failing();
    static_cast<std::atomic<int> *>(arg)->store(gs_stream_query(GS_STREAM_CURRENT, nullptr));
}

} // namespace

Failure host_functions() {
    Failure failure;
    gs_stream_t made = nullptr;
    std::atomic<int> told{0};
    STEP(gs_stream_create, 0, 0, 0, &made);
    STEP(gs_stream_launch_host, made, no_op, nullptr);
    STEP(gs_stream_notify, made, [](void *arg, gs_status_t) { *static_cast<std::atomic<int> *>(arg) = 1; }, &told);
    if (failure.status == GS_OK) {
        stop_failing(); // an accepted notification runs as soon as the dispatcher has the memory it needs
        while (told == 0) sched_yield();
    }
    STEP(gs_stream_synchronize, made);
    GIVE_BACK(gs_stream_destroy, made);
    return failure;
}

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
