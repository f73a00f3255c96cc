// SPDX-License-Identifier: Apache-2.0
// Which calls a host function may make: those that act on no device.
#include <cstring>
#include <string>

#include "calls/calls.hpp"
#include "conformance/conformance.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

bool allowed(const Call &call) { return call.in_host_function == InHostFunction::Allowed; }

// NVML may be missing: then the call says so, and not that it is not permitted here.
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

} // namespace

TEST_P(Conformance, Case14_CallsInsideAHostFunction) {
    Objects o = make_objects();
    Inside inside{o};
    Stream carrier = make_stream();
    const gs_stats_t before = read_stats();
    ASSERT_OK(gs_stream_launch_host(carrier, Inside::run, &inside));
    ASSERT_OK(gs_stream_synchronize(carrier));
    EXPECT_GE(inside.refused, 45);
    EXPECT_GE(inside.allowed, 40);
    // Nothing was done by the refused calls: every object lives and works, nothing was made.
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
