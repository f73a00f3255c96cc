// SPDX-License-Identifier: Apache-2.0
// Processes that make tokens and wait for them, driven by lines of text.
#pragma once

#include "stream_peer.hpp"

namespace gs::test {

inline std::string token_hex(const gs_token_t &token) { return hex_of(token); }
inline gs_token_t token_from_hex(const std::string &text) { return from_hex<gs_token_t>(text); }

class TokenPeer : public StreamPeer {
public:
    explicit TokenPeer(const Variables &variables, const std::vector<std::string> &under = {})
        : StreamPeer("token", variables, under) {}

    // Of the stream's present end.
    std::string token() {
        const std::string answer = say("token");
        EXPECT_EQ(answer.substr(0, 6), "GS_OK ") << answer;
        return answer.size() > 6 ? answer.substr(6) : "";
    }
    // Until the status is another one than GS_NOT_READY: what the last call returned, and the status.
    std::string settled(const std::string &token) { return say("settle " + token); }
};

} // namespace gs::test
