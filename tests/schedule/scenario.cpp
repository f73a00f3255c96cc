// SPDX-License-Identifier: Apache-2.0
#include "schedule/scenario.hpp"

#include "core/completion/lanes.hpp"
#include "core/slots.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "schedule/scheduler/sharing.hpp"

namespace gs::schedule {

namespace {

// A slot that was given back last is taken first, so which one an object gets depends on the run before.
template <typename Map>
void treat_alike_in(const Map &map) {
    const auto *first = map.at(0);
    const auto begin = reinterpret_cast<uintptr_t>(first);
    sharing().treat_alike(begin, sizeof(*first) * Map::kChunkSlots, sizeof(*first), begin);
}

} // namespace

void treat_slots_alike() {
    treat_alike_in(event_slots());
    treat_alike_in(stream_slots());
    // The place of a lane's key depends on the handle, which is another one in each run.
    const auto keys = reinterpret_cast<uintptr_t>(&g_lane_keys);
    sharing().treat_alike(keys, sizeof g_lane_keys, sizeof(uint64_t), keys);
}

void OnModel::SetUpTestSuite() {
    take_over();
    model::install();
    ASSERT_EQ(gs_set_log_callback([](void *, int32_t, const char *) {}, nullptr), GS_OK);
    ASSERT_EQ(gs_init(), GS_OK);
    REQUIRE_OK(gs_event_destroy(new_event())); // there are slots now
    treat_slots_alike();
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
