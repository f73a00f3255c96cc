// SPDX-License-Identifier: Apache-2.0
// Which calls a host function may make: those that act on no device. And which a function may not make that others wait
// for: those that would wait.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "calls/calls.hpp"
#include "conformance/bridges.hpp"
#include "conformance/conformance.hpp"
#include "conformance/graphs.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

bool allowed(const Call &call) { return call.in_host_function == InHostFunction::Allowed; }

// NVML may be missing: the call then reports that, in place of NOT_PERMITTED.
void expect_allowed(const Call &call, const Objects &objects) {
    const gs_status_t status = call.call(objects);
    // A good one would end the timeline; the memory is no pool's.
    const bool bad_argument =
        std::strcmp(call.name, "gs_timeline_abort") == 0 || std::strcmp(call.name, "gs_memory_set_name") == 0;
    if (call.needs_inventory || bad_argument)
        EXPECT_NE(status, GS_ERROR_NOT_PERMITTED) << call.name;
    else
        EXPECT_OK(status) << call.name;
}

struct Inside {
    const Objects &objects; // alive, so that nothing but the place of the call can be wrong with it
    int refused = 0;
    int allowed = 0;

    static void run(void *self) {
        auto &inside = *static_cast<Inside *>(self);
        for (const Call &call : every_call()) {
            if (gs::test::allowed(call)) {
                expect_allowed(call, inside.objects);
                ++inside.allowed;
            }
            if (call.in_host_function != InHostFunction::Refused) continue;
            ++inside.refused;
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, call.call(inside.objects)) << call.name;
            const gs_error_info_t info = last_error();
            EXPECT_STREQ(info.function, call.name);
            EXPECT_NE(std::string(info.message).find("gs_stream_launch_host"), std::string::npos) << info.message;
            EXPECT_EQ(wrong_objects(info), "") << call.name;
        }
    }
};

// Makes every call whose cost is "wait" where others wait for the function that makes it.
struct Waiting {
    const Objects &objects;
    const char *text; // of the refusals
    int refused = 0;
    std::atomic<bool> done{false};

    static void run(void *self) { static_cast<Waiting *>(self)->make_calls(false); }
    static void notify(void *self, gs_status_t) { run(self); }
    void make_calls(bool holds) {
        for (const Call &call : every_call()) {
            const bool briefly = call.blocks == Blocks::Briefly;
            if (call.blocks == Blocks::Never || (briefly && !holds)) continue;
            ++refused;
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, call.call(objects)) << text << ": " << call.name;
            EXPECT_NE(std::string(last_error().message).find(text), std::string::npos)
                << call.name << ": " << last_error().message;
        }
        if (!holds) make_brief_calls();
        done = true;
    }
    void wait() const {
        while (!done) std::this_thread::yield();
        EXPECT_GE(refused, 19) << text;
    }

private:
    void make_brief_calls() const {
        EXPECT_OK(gs_free_host(nullptr)) << text;
        EXPECT_OK(gs_memcpy_async(objects.memory, objects.host_memory, 8, objects.stream)) << text;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_module_destroy(objects.module)) << text; // no live one, but permitted
    }
};

} // namespace

TEST_P(Conformance, CallsThatWaitInsideNotifications) {
    Objects o = make_objects();
    Stream stream = make_stream();
    Waiting notified{o, "a notification may not block"}, deferred{o, "a notification may not block"},
        kept{o, "a notification may not block"};
    ASSERT_OK(gs_stream_notify(stream, Waiting::notify, &notified));
    notified.wait();
    ASSERT_OK(gs_stream_defer(stream, Waiting::run, &deferred));
    ASSERT_OK(gs_trim());
    deferred.wait();
    Graph graph = make_graph();
    ASSERT_OK(gs_graph_keep(graph, Waiting::run, &kept));
    graph.reset();
    kept.wait();
    void *memory = nullptr; // what a deferred function is for
    ASSERT_OK(gs_malloc_host(64, &memory));
    std::atomic<gs_status_t> freed{-1};
    struct Release {
        void *memory;
        std::atomic<gs_status_t> *freed;
    } release{memory, &freed};
    ASSERT_OK(gs_stream_defer(
        stream,
        [](void *self) {
            auto *what = static_cast<Release *>(self);
            *what->freed = gs_free_host(what->memory);
        },
        &release));
    ASSERT_OK(gs_trim());
    while (freed == -1) std::this_thread::yield();
    EXPECT_OK(freed.load());
    destroy_objects(o);
}

TEST_P(Conformance, CallsThatWaitInsideAFunctionOfABridge) {
    Objects o = make_objects();
    Waiting asked{o, "a function of a bridge may not block"};
    {
        Library library(GetParam(), "waits");
        ASSERT_OK(gs_bridge_lead(library.id, 1));
        library.inside = [&] {
            if (!asked.done) asked.make_calls(false);
        };
        uint64_t scope = 0;
        ASSERT_OK(gs_push_current_stream(o.recorder, &scope));
        library.inside = nullptr;
        ASSERT_OK(gs_pop_current_stream(scope));
    }
    asked.wait();
    EXPECT_OK(gs_stream_synchronize(o.stream));
    destroy_objects(o);
}

// What a language says of a thread on which it runs functions of the program.
TEST_P(Conformance, CallsThatWaitOnAMarkedThread) {
    Objects o = make_objects();
    Waiting serving{o, "a callback may not block"}, holding{o, "a host function may not block"};
    std::thread([&] {
        int32_t before = -1;
        ASSERT_OK(gs_forbid_sync(GS_FORBID_AS_NOTIFICATION, &before));
        EXPECT_EQ(before, 0);
        serving.make_calls(false);
        ASSERT_OK(gs_forbid_sync(GS_FORBID_AS_HOST_FUNCTION, &before));
        holding.make_calls(true);
        EXPECT_OK(gs_event_record(o.event, o.recorder)) << "it may submit work";
        ASSERT_OK(gs_forbid_sync(GS_FORBID_SYNC, &before)); // a guard of the program changes nothing
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize(o.stream));
        int32_t inside = -1;
        ASSERT_OK(gs_forbid_sync(before, &inside));
        EXPECT_EQ(inside, GS_FORBID_SYNC | GS_FORBID_AS_HOST_FUNCTION);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_synchronize(o.stream));
        ASSERT_OK(gs_forbid_sync(GS_FORBID_AS_NOTIFICATION, &before));
        EXPECT_OK(gs_memcpy_async(o.memory, o.host_memory, 8, o.stream)) << "the host function has ended";
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_forbid_sync(8, &before));
        ASSERT_OK(gs_forbid_sync(0, &before));
        EXPECT_EQ(before, GS_FORBID_AS_NOTIFICATION);
        EXPECT_OK(gs_stream_synchronize(o.stream));
        ASSERT_OK(gs_forbid_sync(GS_FORBID_AS_NOTIFICATION, &before)); // as the thread ends
    }).join();
    serving.wait();
    holding.wait();
    std::thread([&] { EXPECT_OK(gs_stream_synchronize(o.stream)); }).join(); // likely with that thread's block
    destroy_objects(o);
}

TEST_P(Conformance, Case14_CallsInsideAHostFunction) {
    Objects o = make_objects();
    Inside inside{o};
    Stream carrier = make_stream();
    const gs_stats_t before = read_stats();
    ASSERT_OK(gs_stream_launch_host(carrier, Inside::run, &inside));
    ASSERT_OK(gs_stream_synchronize(carrier));
    EXPECT_GE(inside.refused, 45);
    EXPECT_GE(inside.allowed, 40);
    // The refused calls changed nothing: every object lives and works, and the counts are as before.
    const gs_stats_t after = read_stats();
    EXPECT_EQ(after.streams_created, before.streams_created);
    EXPECT_EQ(after.events_created, before.events_created);
    EXPECT_EQ(after.records, before.records);
    EXPECT_OK(gs_event_record(o.event, o.stream));
    EXPECT_OK(gs_event_synchronize(o.event));
    // The refusal ends with the host function.
    for (const Call &call : every_call())
        if (allowed(call)) expect_allowed(call, o);
    EXPECT_OK(gs_device_synchronize(GS_DEVICE_CURRENT));
    destroy_objects(o);
}

} // namespace gs::test
