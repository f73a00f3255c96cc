// SPDX-License-Identifier: Apache-2.0
// Buffers and kernels.
#include <gtest/gtest.h>

#include <gpustream.hpp>

using namespace gpustream;

namespace {

TEST(Memory, CopiesAndFillsInOrder) {
    const stream work = stream::create();
    buffer on_device = buffer::create(256, work);
    const host_buffer from = host_buffer::create(256);
    const host_buffer to = host_buffer::create(256);
    EXPECT_EQ(on_device.size(), 256u);
    EXPECT_TRUE(on_device.stream() == work);
    for (size_t i = 0; i < 256; ++i) from.as<unsigned char>()[i] = static_cast<unsigned char>(i);
    copy(on_device.data(), from.data(), 256, work);
    fill(on_device.data(), 0xab, 16, work);
    copy(to.data(), on_device.data(), 256, work);
    const gs_copy_t halves[] = {{to.data(), on_device.data(), 128},
                                {to.as<char>() + 128, on_device.as<char>() + 128, 128}};
    copy_batch(halves, 2, work, access_order::stream);
    work.synchronize();
    EXPECT_EQ(to.as<unsigned char>()[15], 0xab);
    EXPECT_EQ(to.as<unsigned char>()[16], 16);
    on_device.close();
    EXPECT_EQ(on_device.data(), nullptr);
    on_device.close();
}

TEST(Memory, BuffersKeepTheirStream) {
    buffer kept;
    gs_stream_t handle = nullptr;
    {
        const stream work = stream::create();
        handle = work.get();
        kept = buffer::create(64, work);
    }
    int64_t id = 0;
    EXPECT_EQ(gs_stream_id(handle, &id), GS_OK);
    kept = buffer();
    EXPECT_NE(gs_stream_id(handle, &id), GS_OK);
}

TEST(Memory, TheCurrentStreamIsTheOneAtTheAllocation) {
    const stream work = stream::create();
    buffer made;
    {
        const stream_guard guard(work);
        made = buffer::create(64, stream_ref::current());
    }
    EXPECT_TRUE(made.stream() == work);
}

TEST(Memory, MovesAndRefusals) {
    const stream work = stream::create();
    buffer first = buffer::create(64, work);
    void *address = first.data();
    buffer second = std::move(first);
    EXPECT_EQ(second.data(), address);
    EXPECT_EQ(first.data(), nullptr); // NOLINT(bugprone-use-after-move): what is left is specified
    EXPECT_EQ(first.size(), 0u);
    EXPECT_EQ(buffer::create(0, work).data(), nullptr);
    EXPECT_THROW(static_cast<void>(buffer::create(64, stream_ref())), error);
    EXPECT_EQ(host_buffer::create(0).data(), nullptr);
    host_buffer pinned = host_buffer::create(64);
    host_buffer moved = std::move(pinned);
    EXPECT_EQ(pinned.data(), nullptr); // NOLINT(bugprone-use-after-move)
    moved.close();
    EXPECT_THROW(copy(nullptr, address, 64, work), error);
    const gs_copy_t wrong{nullptr, address, 64};
    EXPECT_THROW(copy_batch(&wrong, 1, work), error);
}

TEST(Kernels, TakeTheirArguments) {
    const stream work = stream::create();
    const gpustream::module loaded = gpustream::module::load_file(0, CPP_TEST_KERNELS);
    const kernel scale = loaded.kernel("parity_scale");
    const buffer out = buffer::create(64 * sizeof(uint32_t), work);
    const uint32_t factor = 3;
    scale.launch(work, {{2}, {32}}, out.as<uint32_t>(), factor);
    work.synchronize();
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(out.as<uint32_t>()[i], 3 * i);
}

TEST(Kernels, RefusalsAreErrors) {
    EXPECT_THROW(static_cast<void>(gpustream::module::load_file(0, "/no/such/file.so")), error);
    const gpustream::module loaded = gpustream::module::load_file(0, CPP_TEST_KERNELS);
    EXPECT_THROW(static_cast<void>(loaded.kernel("no_such_kernel")), error);
    const stream work = stream::create();
    EXPECT_THROW(kernel().launch(work, {}), error);
    EXPECT_THROW(loaded.kernel("parity_scale").launch(work, {{0}, {1}}, nullptr, 1u), error);
}

} // namespace
