// SPDX-License-Identifier: Apache-2.0
// A thread's own default stream of the host backend is made by the first call that uses it.
#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <thread>

#include "allocation_hook.hpp"
#include "backend/registry.hpp"
#include "base/status.hpp"
#include "support/launches.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

TEST(PerThreadStream, EachCallSaysThatThereIsNoMemoryForIt) {
    OWN_PROCESS({{"GPUSTREAM_BACKEND", "host"}});
    ASSERT_OK(gs_init());
    Backend &backend = *backend_instance(GS_BACKEND_HOST);
    const StreamRef own{0, kNativePerThreadStream};
    uintptr_t event = 0;
    ASSERT_TRUE(backend.event_create(0, 0, &event).ok());
    static char bytes[8];
    const auto nothing = [](void *) {};
    const gs_launch_config_t config = launch_of(1, 1);
    bool answer = false, freed = false;
    void *pointer = nullptr;
    const std::function<Status(ThreadBlock &)> calls[] = {
        [&](ThreadBlock &thread) { return backend.stream_query(thread, own, &answer); },
        [&](ThreadBlock &thread) { return backend.stream_synchronize(thread, own); },
        [&](ThreadBlock &thread) { return backend.stream_is_capturing(thread, own, &answer); },
        [&](ThreadBlock &thread) { return backend.stream_wait_event(thread, own, event, false); },
        [&](ThreadBlock &thread) { return backend.event_record(thread, event, own, false); },
        [&](ThreadBlock &thread) { return backend.launch_host(thread, own, nothing, nullptr); },
        [&](ThreadBlock &thread) { return backend.sleep(thread, own, 1); },
        [&](ThreadBlock &thread) { return backend.malloc_async(thread, own, 0, 8, &pointer); },
        [&](ThreadBlock &thread) { return backend.free_async(thread, own, bytes, &freed); },
        [&](ThreadBlock &thread) { return backend.memcpy_async(thread, own, bytes, bytes + 4, 4); },
        [&](ThreadBlock &thread) { return backend.memset_async(thread, own, bytes, 0, 8); },
        [&](ThreadBlock &thread) { return backend.kernel_launch(thread, own, 0, config, nullptr); },
    };
    // Each on a thread of its own that outlives the next: what an ended thread had serves another.
    const std::function<void(size_t)> from = [&](size_t number) {
        if (number == std::size(calls)) return;
        std::thread([&] {
            ThreadBlock &thread = *this_thread();
            fail_allocation(1, true);
            const Status status = calls[number](thread);
            stop_failing();
            EXPECT_EQ(status.code, GS_ERROR_OUT_OF_MEMORY) << "call " << number;
            EXPECT_TRUE(backend.stream_synchronize(thread, own).ok()) << "it is made as soon as there is memory";
            from(number + 1);
        }).join();
    };
    from(0);
    EXPECT_TRUE(backend.event_destroy(0, event).ok());
}

} // namespace
} // namespace gs::test
