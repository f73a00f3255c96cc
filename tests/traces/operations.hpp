// SPDX-License-Identifier: Apache-2.0
// One operation of each kind that logs and traces have, and calls with something wrong, which they leave out.
#pragma once

#include <cstring>

#include "support/nodes.hpp"
#include "support/objects.hpp"
#include "support/timelines.hpp"

namespace gs::check::test {

class Operations {
public:
    Operations() {
        EXPECT_OK(gs_malloc_host(64, &host_));
        std::memset(host_, 0, 64);
        EXPECT_OK(gs_graph_create(0, 0, &graph_));
        gs_node_t node = 0;
        EXPECT_OK(gs_graph_add_node(graph_, nullptr, 0, gs::test::fill_node(host_, 0, 8), &node));
        EXPECT_OK(gs_graph_set_name(graph_, "step"));
        EXPECT_OK(gs_graph_instantiate(graph_, 0, &exec_));
    }
    ~Operations() {
        EXPECT_OK(gs_graph_exec_destroy(exec_));
        EXPECT_OK(gs_graph_destroy(graph_));
        EXPECT_OK(gs_free_host(host_));
    }
    Operations(const Operations &) = delete;
    Operations &operator=(const Operations &) = delete;

    template <typename After = void (*)()>
    void do_all(After &&after = [] {}) {
        void *memory = nullptr;
        auto *word = static_cast<uint64_t *>(host_) + 4;
        *word = 0;
        EXPECT_OK(gs_malloc_async(64, stream, &memory));
        after();
        EXPECT_OK(gs_memset_async(memory, 1, 64, stream));
        after();
        EXPECT_OK(gs_memcpy_async(host_, memory, 8, stream));
        after();
        EXPECT_OK(gs_free_async(memory, stream));
        after();
        EXPECT_OK(gs_stream_launch_host(stream, [](void *) {}, nullptr));
        after();
        EXPECT_OK(gs_graph_exec_launch(exec_, stream));
        after();
        EXPECT_OK(gs_stream_write_value(stream, word, 1, 0));
        after();
        EXPECT_OK(gs_stream_wait_value(other, word, 1, GS_VALUE_GEQ));
        after();
        EXPECT_OK(gs_event_record(event, stream));
        after();
        EXPECT_OK(gs_stream_wait_event(other, event));
        after();
        EXPECT_OK(gs_stream_wait_stream(other, stream));
        after();
        EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 1));
        after();
        EXPECT_OK(gs_timeline_synchronize(timeline, 1, -1));
        after();
        EXPECT_OK(gs_timeline_signal(timeline, 2));
        after();
        EXPECT_OK(gs_stream_wait_timeline(other, timeline, 2));
        after();
        EXPECT_OK(gs_event_synchronize(event));
        after();
        EXPECT_OK(gs_stream_synchronize(stream));
        after();
        EXPECT_OK(gs_stream_synchronize(other));
        after();
    }
    void fail_all() {
        void *memory = nullptr;
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_malloc_async(SIZE_MAX, stream, &memory));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_memset_async(host_, 256, 64, stream));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_memcpy_async(host_, nullptr, 8, stream));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_launch(nullptr, stream));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_write_value(stream, nullptr, 1, 0));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_value(other, nullptr, 1, GS_VALUE_GEQ));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_record(nullptr, stream));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_event(nullptr, event));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_stream(other, nullptr));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_signal_timeline(stream, nullptr, 1));
        EXPECT_STATUS(GS_ERROR_TIMEOUT, gs_timeline_synchronize(timeline, 3, 0));
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, 0));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_wait_timeline(other, nullptr, 2));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_synchronize(nullptr));
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_synchronize(nullptr));
    }

    const gs::test::Stream stream = gs::test::make_stream(0), other = gs::test::make_stream(0);
    const gs::test::Event event = gs::test::make_event();
    const gs::test::Timeline timeline;

private:
    void *host_ = nullptr;
    gs_graph_t graph_ = nullptr;
    gs_graph_exec_t exec_ = nullptr;
};

} // namespace gs::check::test
