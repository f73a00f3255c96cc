// SPDX-License-Identifier: Apache-2.0
// Captures: a stream's calls as a graph.
#pragma once

#include "graph.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// Captures a stream from construction to end(). A capture that is not ended, because of an exception for example, is
/// aborted: the stream is usable again. With GPUSTREAM_NOEXCEPT, status() says whether it began.
class capture {
public:
    GPUSTREAM_NAMED explicit capture(stream_ref stream, capture_mode mode = capture_mode::global)
        : stream_(stream), status_(detail::with_abi(gs_stream_begin_capture, stream.get(), static_cast<int32_t>(mode))),
          open_(status_ == GS_OK) {
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
    }
    /// Into an existing graph, behind some of its nodes.
    GPUSTREAM_NAMED capture(stream_ref stream, graph_ref into, nodes &&after, capture_mode mode = capture_mode::global)
        : stream_(stream), status_(detail::with_abi(gs_stream_begin_capture_to, stream.get(), into.get(), after.data(),
                                                    after.size(), static_cast<int32_t>(mode))),
          open_(status_ == GS_OK) {
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
    }
    ~capture() {
        if (open_) static_cast<void>(gs_stream_abort_capture(stream_.get()));
    }
    capture(const capture &) = delete;
    capture &operator=(const capture &) = delete;

    /// The graph, or why the capture broke.
    outcome<graph> end() {
        gs_graph_t handle = nullptr;
        const gs_status_t status = gs_stream_end_capture(stream_.get(), &handle);
        if (status == GS_OK || (open_ && is_over())) open_ = false;
        return detail::value(status, graph(handle));
    }
    gpustream::status status() const noexcept { return static_cast<gpustream::status>(status_); }

private:
    /// A failed end is the end of a broken capture, but not of one that it was refused for. What the stream captures later
    /// is not this object's to abort.
    bool is_over() const noexcept {
        int32_t is_captured = 0;
        return gs_stream_is_capturing(stream_.get(), &is_captured) == GS_OK && is_captured == 0;
    }

    stream_ref stream_;
    gs_status_t status_;
    bool open_;
};

/// The state of a stream's capture, and who broke it if someone did.
inline outcome<gs_capture_info_t> capture_info(stream_ref stream) {
    gs_capture_info_t found{};
    found.struct_size = sizeof found;
    const gs_status_t status = gs_stream_capture_info(stream.get(), &found);
    return detail::value(status, found);
}
/// The nodes that the next call on a stream being captured will follow.
inline outcome<std::vector<node>> capture_nodes(stream_ref stream) {
    std::vector<node> found;
    size_t count = 0;
    gs_status_t status = gs_stream_capture_nodes(stream.get(), nullptr, 0, &count);
    // Another thread may work on the stream between the calls.
    while (status == GS_OK && count > found.size()) {
        found.resize(count);
        status = gs_stream_capture_nodes(stream.get(), found.data(), found.size(), &count);
    }
    found.resize(status == GS_OK ? count : 0);
    return detail::value(status, std::move(found));
}
/// Puts nodes of the graph in their place: how nodes that were added by hand enter a capture.
inline outcome<void> set_capture_nodes(stream_ref stream, nodes &&next) {
    return detail::done(gs_stream_set_capture_nodes(stream.get(), next.data(), next.size(), 0));
}
/// Adds them to those that the stream follows already.
inline outcome<void> add_capture_nodes(stream_ref stream, nodes &&more) {
    return detail::done(gs_stream_set_capture_nodes(stream.get(), more.data(), more.size(), 1));
}

GPUSTREAM_END_NAMESPACE
