// SPDX-License-Identifier: Apache-2.0
// Driver events that are not in the library's tables, as if another library had created them.
#pragma once

#include <gtest/gtest.h>

#include "backend/registry.hpp"
#include "gpustream.h"
#include "support/status_matchers.hpp"

namespace gs::test {

class ForeignEvent {
public:
    explicit ForeignEvent(gs_backend_t kind, int32_t ordinal = 0)
        : backend_(backend_instance(kind)), ordinal_(ordinal) {
        EXPECT_OK(gs_device_synchronize(ordinal));
        EXPECT_TRUE(backend_->event_create(ordinal, GS_EVENT_TIMING, &native_).ok());
    }
    ~ForeignEvent() {
        if (native_) EXPECT_TRUE(backend_->event_destroy(ordinal_, native_).ok());
    }
    ForeignEvent(const ForeignEvent &) = delete;
    ForeignEvent &operator=(const ForeignEvent &) = delete;
    uintptr_t native() const { return native_; }
    static void release(void *self) {
        auto &event = *static_cast<ForeignEvent *>(self);
        EXPECT_NE(event.native_, 0u) << "released twice";
        EXPECT_TRUE(event.backend_->event_destroy(event.ordinal_, event.native_).ok());
        event.native_ = 0;
    }

private:
    Backend *backend_;
    int32_t ordinal_;
    uintptr_t native_ = 0;
};

} // namespace gs::test
