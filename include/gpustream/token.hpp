// SPDX-License-Identifier: Apache-2.0
// Tokens: points of streams as bytes. Each function is the C function that it calls: its errors and its thread rule are in
// gpustream.h.
#pragma once

#include <cstring>

#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// The present end of a stream, for this process and others on the machine. The point is reached when the work that the
/// stream had is done. A token is 128 bytes and trivially copyable: send get(), and token(bytes) is as good as the first.
/// It is leased: until one process has waited and the point is reached, or GPUSTREAM_TOKEN_LEASE_MS milliseconds are over
/// and it is reached. After that it is status::invalid_handle, and it never means another point. So make one for each
/// process that is to wait.
class [[nodiscard]] token {
public:
    /// None: status::invalid_argument where it is used.
    token() noexcept = default;
    explicit token(const gs_token_t &bytes) noexcept : bytes_(bytes) {}
    /// gs_token_create()
    static outcome<token> create(stream_ref stream) {
        token made;
        const gs_status_t status = detail::with_abi(gs_token_create, stream.get(), &made.bytes_);
        return detail::value(status, made);
    }
    /// The bytes to send.
    const gs_token_t &get() const noexcept { return bytes_; }

    /// gs_token_wait(): later work of the stream waits for the point. status::peer_lost: the process that made the token
    /// ended before.
    outcome<void> wait(stream_ref stream) const {
        return detail::done(detail::with_abi(gs_token_wait, stream.get(), &bytes_));
    }
    /// gs_token_status(): whether the point is reached; status::peer_lost as above. Who sees false takes part in the lease
    /// until it waits, or sees true.
    outcome<bool> query() const {
        gs_status_t seen = GS_NOT_READY;
        gs_status_t status = detail::with_abi(gs_token_status, &bytes_, &seen);
        if (status == GS_OK && seen != GS_NOT_READY) status = seen;
        return detail::value(status, seen == GS_OK);
    }
    friend bool operator==(const token &left, const token &right) noexcept {
        return std::memcmp(left.bytes_.data, right.bytes_.data, sizeof left.bytes_.data) == 0;
    }
    friend bool operator!=(const token &left, const token &right) noexcept { return !(left == right); }

private:
    gs_token_t bytes_{};
};

GPUSTREAM_END_NAMESPACE
