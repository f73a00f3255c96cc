// SPDX-License-Identifier: Apache-2.0
// Bridges in forked children, and switched by one thread while others use them.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

std::atomic<int> g_calls{0};

int32_t register_counted(gs_backend_t backend) {
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "counted";
    bridge.backend = backend;
    bridge.get = [](void *, int32_t, uintptr_t *out) {
        ++g_calls;
        *out = 0;
        return 0;
    };
    bridge.set = [](void *, int32_t, uintptr_t) {
        ++g_calls;
        return 0;
    };
    int32_t id = 0;
    EXPECT_OK(gs_bridge_register(&bridge, &id));
    EXPECT_OK(gs_bridge_lead(id, 1));
    EXPECT_OK(gs_bridge_follow(id));
    return id;
}

template <typename Body>
void in_forked_child(Body &&body) {
    const pid_t pid = fork();
    if (pid == 0) _exit(body() ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace

// Such a child may use devices, but bridges do not pass to it.
TEST_P(ConformanceProcess, Init_BridgesDoNotPassToAForkedChild) {
    OWN_PROCESS();
    const int32_t id = register_counted(GetParam());
    in_forked_child([&] {
        int32_t found = 0;
        gs_stream_t stream = nullptr;
        return gs_bridge_lead(id, 1) == GS_ERROR_INVALID_ARGUMENT &&
               gs_bridge_find("counted", &found) == GS_ERROR_INVALID_ARGUMENT &&
               gs_default_stream(GS_DEVICE_CURRENT, &stream) == GS_OK && gs_set_current_stream(stream) == GS_OK &&
               gs_current_stream(GS_DEVICE_CURRENT, &stream) == GS_OK && g_calls == 0;
    });
    EXPECT_OK(gs_bridge_unregister(id)) << "the parent keeps its own";
}

TEST_P(ConformanceProcess, Bridges_AForkedChildCallsNothing) {
    OWN_PROCESS();
    const int32_t id = register_counted(GetParam());
    Stream a = make_stream(0);
    uint64_t scope = 0;
    ASSERT_OK(gs_push_current_stream(a, &scope));
    const int before = g_calls;
    EXPECT_GT(before, 0);
    in_forked_child([&] {
        gs_stream_t stream = nullptr;
        void *work = nullptr;
        return gs_current_stream(0, &stream) == GS_ERROR_BAD_FORK && gs_set_current_stream(a) == GS_ERROR_BAD_FORK &&
               gs_pop_current_stream(scope) == GS_ERROR_BAD_FORK && gs_bridge_unregister(id) == GS_ERROR_BAD_FORK &&
               gs_dlpack_current_work_stream(2, 0, &work) == -1 && g_calls == before;
    });
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_GT(g_calls, before) << "the parent goes on";
}

// Leading and following are switched while threads use the current stream. Nothing is lost, and every thread ends.
TEST_P(ConformanceProcess, Bridges_SwitchedWhileInUse) {
    OWN_PROCESS();
    struct Theirs {
        std::atomic<int> entered{0};
        static uintptr_t &mine() {
            static thread_local uintptr_t stream = 0;
            return stream;
        }
    } theirs;
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "switched";
    bridge.backend = GetParam();
    bridge.get = [](void *arg, int32_t, uintptr_t *out) {
        ++static_cast<Theirs *>(arg)->entered;
        *out = Theirs::mine();
        return 0;
    };
    bridge.set = [](void *arg, int32_t, uintptr_t native) {
        ++static_cast<Theirs *>(arg)->entered;
        Theirs::mine() = native;
        return 0;
    };
    bridge.arg = &theirs;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            Stream a = make_stream(0), b = make_stream(0);
            Event event = make_event();
            while (!stop) {
                uint64_t outer = 0, inner = 0;
                ASSERT_OK(gs_push_current_stream(a, &outer));
                ASSERT_OK(gs_push_current_stream(b, &inner));
                ASSERT_EQ(current_stream(0), b.get());
                ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
                ASSERT_OK(gs_pop_current_stream(inner));
                ASSERT_OK(gs_pop_current_stream(outer));
                ASSERT_OK(gs_set_current_stream(default_stream(0)));
            }
        });
    for (int round = 0; round < 40; ++round) {
        int32_t id = 0;
        ASSERT_OK(gs_bridge_register(&bridge, &id));
        ASSERT_OK(gs_bridge_lead(id, 1));
        const int seen = theirs.entered;
        while (theirs.entered == seen) std::this_thread::yield();
        if (round % 2) ASSERT_OK(gs_bridge_lead(id, 0));
        ASSERT_OK(gs_bridge_unregister(id));
        const int after = theirs.entered;
        std::this_thread::yield();
        ASSERT_EQ(theirs.entered, after) << "a function ran after gs_bridge_unregister";
    }
    stop = true;
    for (std::thread &thread : threads) thread.join();
}

} // namespace gs::test
