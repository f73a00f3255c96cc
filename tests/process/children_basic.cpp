// SPDX-License-Identifier: Apache-2.0
// Children that several tests start.
#include <cstdio>
#include <cstring>

#include "gpustream.h"
#include "support/child_process.hpp"

namespace gs::test {

// A healthy process: two streams, an event, a host function, in order.
GS_CHILD(works) {
    gs_stream_t a = nullptr, b = nullptr;
    gs_event_t event = nullptr;
    int value = 0;
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &a) == GS_OK);
    CHILD_REQUIRE(gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &b) == GS_OK);
    CHILD_REQUIRE(gs_event_create(0, &event) == GS_OK);
    CHILD_REQUIRE(gs_stream_sleep(a, 1'000'000) == GS_OK);
    CHILD_REQUIRE(gs_stream_launch_host(a, [](void *arg) { *static_cast<int *>(arg) = 1; }, &value) == GS_OK);
    CHILD_REQUIRE(gs_event_record(event, a) == GS_OK);
    CHILD_REQUIRE(gs_stream_wait_event(b, event) == GS_OK);
    CHILD_REQUIRE(gs_stream_synchronize(b) == GS_OK);
    CHILD_REQUIRE(value == 1);
    CHILD_REQUIRE(gs_event_destroy(event) == GS_OK);
    CHILD_REQUIRE(gs_stream_destroy(a) == GS_OK && gs_stream_destroy(b) == GS_OK);
    return 0;
}

// gs_init's status, and the text of the failure.
GS_CHILD(init) {
    const gs_status_t status = gs_init();
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    CHILD_REQUIRE(gs_last_error(&error) == GS_OK);
    std::printf("%s\n%d\n%d\n%s\n%s\n", gs_status_name(status), error.reason, error.backend, error.function,
                error.message);
    // A failed start is final, with the same detail.
    CHILD_REQUIRE(gs_init() == status);
    gs_error_info_t again{};
    again.struct_size = sizeof again;
    CHILD_REQUIRE(gs_last_error(&again) == GS_OK && std::strcmp(again.message, error.message) == 0 &&
                  again.reason == error.reason);
    return 0;
}

} // namespace gs::test
