// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/foreign.hpp"

#include "backend/registry.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {

Foreign g_foreign;

void make_foreign() {
    gs_backend_t kind = GS_BACKEND_DEFAULT;
    FUZZ_REQUIRE(gs_default_backend(&kind) == GS_OK, "the default backend");
    Backend &backend = *backend_instance(kind);
    for (const int32_t ordinal : {0, 1}) {
        StreamNative stream{};
        FUZZ_REQUIRE(backend.stream_create({ordinal, 0, ordinal == 1}, &stream).ok(), "a foreign stream");
        g_foreign.streams.push_back(stream.native);
        uintptr_t event = 0;
        FUZZ_REQUIRE(backend.event_create(ordinal, GS_EVENT_TIMING, &event).ok(), "a foreign event");
        g_foreign.events.push_back(event);
    }
}

} // namespace gs::fuzz
