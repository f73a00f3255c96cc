// SPDX-License-Identifier: Apache-2.0
#include "schedule/scenario.hpp"

#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {

void OnModel::SetUpTestSuite() {
    take_over();
    model::install();
    ASSERT_EQ(gs_init(), GS_OK);
}

gs_stream_t new_stream(uint32_t flags) {
    gs_stream_t stream = nullptr;
    REQUIRE_OK(gs_stream_create(0, 0, flags, &stream));
    return stream;
}

gs_event_t new_event(uint32_t flags) {
    gs_event_t event = nullptr;
    REQUIRE_OK(gs_event_create(flags, &event));
    return event;
}

uintptr_t native_of(gs_stream_t stream) {
    uintptr_t native = 0;
    REQUIRE_OK(gs_stream_native(stream, &native));
    return native;
}

bool done(gs_event_t event) {
    int32_t is_done = 0;
    REQUIRE_OK(gs_event_query(event, &is_done));
    return is_done != 0;
}

void clean_up() {
    model::finish_all();
    for (int i = 0; i < 3; ++i) REQUIRE_OK(gs_trim());
}

} // namespace gs::schedule
