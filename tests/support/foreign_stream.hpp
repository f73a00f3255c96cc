// SPDX-License-Identifier: Apache-2.0
// Driver streams that are not in the library's tables, as if another library had created them.
#pragma once

#include <gtest/gtest.h>

#include "backend/registry.hpp"

namespace gs::test {

class ForeignStream {
public:
    ForeignStream(gs_backend_t kind, int32_t ordinal, bool blocking = false)
        : backend_(backend_instance(kind)), ordinal_(ordinal) {
        StreamNative made{};
        EXPECT_TRUE(backend_->stream_create({ordinal, 0, blocking}, &made).ok());
        native_ = made.native;
    }
    ~ForeignStream() {
        if (native_) EXPECT_TRUE(backend_->stream_destroy({ordinal_, native_}).ok());
    }
    ForeignStream(const ForeignStream &) = delete;
    ForeignStream &operator=(const ForeignStream &) = delete;
    uintptr_t native() const { return native_; }
    // For a release function: the driver's stream ends now.
    static void release(void *self) {
        auto &stream = *static_cast<ForeignStream *>(self);
        EXPECT_NE(stream.native_, 0u) << "released twice";
        EXPECT_TRUE(stream.backend_->stream_destroy({stream.ordinal_, stream.native_}).ok());
        stream.native_ = 0;
    }
    bool released() const { return native_ == 0; }

private:
    Backend *backend_;
    int32_t ordinal_;
    uintptr_t native_ = 0;
};

} // namespace gs::test
