// SPDX-License-Identifier: Apache-2.0
// Random state that tests set and read.
#pragma once

#include <cstring>
#include <ostream>

#include "conformance/captures.hpp"

namespace gs::test {

struct RandomState {
    uint64_t seed, offset;
    bool operator==(const RandomState &other) const { return seed == other.seed && offset == other.offset; }
    friend std::ostream &operator<<(std::ostream &out, const RandomState &state) {
        return out << '{' << state.seed << ", " << state.offset << '}';
    }
};

inline RandomState state_of(gs_device_t device) {
    RandomState state{};
    EXPECT_OK(gs_rng_get_state(device, &state.seed, &state.offset));
    return state;
}

inline gs_philox_t reserve(gs_stream_t stream, uint64_t count) {
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    EXPECT_OK(gs_rng_reserve(stream, count, &philox));
    return philox;
}

// Puts the device's state back: other tests share the process.
class KeepRandomState {
public:
    explicit KeepRandomState(gs_device_t device) : device_(device), state_(state_of(device)) {}
    ~KeepRandomState() { EXPECT_OK(gs_rng_set_state(device_, state_.seed, state_.offset)); }
    KeepRandomState(const KeepRandomState &) = delete;
    KeepRandomState &operator=(const KeepRandomState &) = delete;

private:
    gs_device_t device_;
    RandomState state_;
};

} // namespace gs::test
