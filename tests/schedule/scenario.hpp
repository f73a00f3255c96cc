// SPDX-License-Identifier: Apache-2.0
// What the scenarios share: the library on the model of a driver, checks of calls, seeded bugs.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gpustream.h"
#include "schedule/model/model_backend.hpp"
#include "schedule/scheduler/explore.hpp"
#include "support/seeded.hpp"

namespace gs::schedule {

inline void require_ok(gs_status_t status, const char *call) {
    require(status == GS_OK, std::string(call) + " returned " + gs_status_name(status));
}
#define REQUIRE_OK(call) ::gs::schedule::require_ok((call), #call)

// The object may have been destroyed by another thread in the meantime. Returns true if it lived.
inline bool lived(gs_status_t status, const char *call) {
    require(status == GS_OK || status == GS_ERROR_INVALID_HANDLE,
            std::string(call) + " returned " + gs_status_name(status));
    return status == GS_OK;
}
#define LIVED(call) ::gs::schedule::lived((call), #call)

using testing::Seeded;

// The library on the model, with two streams.
class OnModel : public ::testing::Test {
protected:
    static void SetUpTestSuite();
};

// Once there are slots of events and streams: which one an object gets does not matter to the scheduler.
void treat_slots_alike();

gs_stream_t new_stream(uint32_t flags = 0);
gs_event_t new_event(uint32_t flags = 0);
uintptr_t native_of(gs_stream_t stream);
bool done(gs_event_t event);
// Returns everything that waits for a grace period, so that each run begins with the same stock.
void clean_up();

} // namespace gs::schedule
