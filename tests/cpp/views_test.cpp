// SPDX-License-Identifier: Apache-2.0
// Conversions to cudaStream_t and to classes that hold one. The classes are named and shaped as CCCL's and RMM's are.
#include <gtest/gtest.h>

#include <gpustream.hpp>

using namespace gpustream;

namespace {

using cudaStream_t = CUstream_st *; // NOLINT(readability-identifier-naming): CUDA's name

// cuda::stream_ref: made from a cudaStream_t, which get() returns.
class cccl_stream_ref {
public:
    cccl_stream_ref(cudaStream_t stream) noexcept : stream_(stream) {}
    cccl_stream_ref(std::nullptr_t) = delete;
    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }

private:
    cudaStream_t stream_;
};
// rmm::cuda_stream_view: the same by value(), with implicit conversions.
class rmm_stream_view {
public:
    rmm_stream_view(cudaStream_t stream) noexcept : stream_(stream) {}
    rmm_stream_view(std::nullptr_t) = delete;
    [[nodiscard]] cudaStream_t value() const noexcept { return stream_; }
    operator cudaStream_t() const noexcept { return stream_; }
    operator cccl_stream_ref() const noexcept { return stream_; }

private:
    cudaStream_t stream_;
};
// That of RMM 26, which has both.
class newer_rmm_stream_view : public rmm_stream_view {
public:
    using rmm_stream_view::rmm_stream_view;
    [[nodiscard]] cudaStream_t get() const noexcept { return value(); }
};

uintptr_t takes(cudaStream_t stream) { return reinterpret_cast<uintptr_t>(stream); }

TEST(Views, OfCuda) {
    const stream work = stream::create();
    EXPECT_EQ(takes(work), work.native());
    EXPECT_EQ(takes(stream_ref(work)), work.native());
    EXPECT_EQ(takes(work.cuda_stream()), work.native());
    EXPECT_EQ(takes(default_stream(0)), 0u);
    EXPECT_THROW(takes(stream_ref()), error);
    const stream back = stream::from_native(0, work.cuda_stream());
    EXPECT_TRUE(back == work);
}

TEST(Views, OfOtherLibraries) {
    const stream work = stream::create();
    const auto theirs = work.as<cccl_stream_ref>();
    EXPECT_EQ(takes(theirs.get()), work.native());
    const auto rmms = work.as<rmm_stream_view>();
    EXPECT_EQ(takes(rmms.value()), work.native());
    EXPECT_TRUE(stream::from_view(theirs) == work);
    EXPECT_TRUE(stream::from_view(rmms, 0) == work);
    EXPECT_TRUE(stream::from_view(work.as<newer_rmm_stream_view>()) == work);
    // Their own constructors take a stream, too.
    const cccl_stream_ref direct(static_cast<cudaStream_t>(work));
    EXPECT_TRUE(stream::from_view(direct) == work);
    EXPECT_THROW(static_cast<void>(stream_ref().as<cccl_stream_ref>()), error);
}

TEST(Views, WrongDeviceOrNumber) {
    const stream work = stream::create(0);
    EXPECT_THROW(static_cast<void>(stream::from_native(1, work.native())), error);
    EXPECT_THROW(static_cast<void>(stream::from_native(0, uintptr_t{77})), error);
    const event mark = event::create();
    work.record(mark);
    EXPECT_EQ(event::from_native(0, mark.cuda_event()).native(), mark.native());
}

} // namespace
