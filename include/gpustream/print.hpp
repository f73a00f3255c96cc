// SPDX-License-Identifier: Apache-2.0
// Objects as text, for ostream. Printing asks for numbers only and exports nothing.
#pragma once

#include <ostream>
#include <string>

#include "event.hpp"
#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE

inline std::string to_string(device which) {
    if (which == device::current()) return "device(current)";
    if (which == device::none()) return "device(none)";
    const char *kind = which.backend() == backend::host ? "host:" : which.backend() == backend::cuda ? "cuda:" : "";
    return std::string("device(") + kind + std::to_string(which.ordinal()) + ")";
}
/// "stream(id=3, device(0))"; "stream(invalid)" for one that does not live.
inline std::string to_string(stream_ref stream) {
    int64_t id = 0;
    gs_device_t on = 0;
    if (gs_stream_id(stream.get(), &id) != GS_OK || gs_stream_device(stream.get(), &on) != GS_OK)
        return "stream(invalid)";
    return "stream(id=" + std::to_string(id) + ", " + to_string(device(on)) + ")";
}
inline std::string to_string(event_ref event) {
    uint64_t id = 0;
    if (gs_event_id(event.get(), &id) != GS_OK) return "event(invalid)";
    return "event(id=" + std::to_string(id) + ")";
}
inline std::string to_string(status value) { return std::string(name(value)); }

inline std::ostream &operator<<(std::ostream &out, device which) { return out << to_string(which); }
inline std::ostream &operator<<(std::ostream &out, stream_ref stream) { return out << to_string(stream); }
inline std::ostream &operator<<(std::ostream &out, event_ref event) { return out << to_string(event); }
inline std::ostream &operator<<(std::ostream &out, status value) { return out << name(value); }
/// An owner has better matches above than the conversion of a stream to a cudaStream_t.
inline std::ostream &operator<<(std::ostream &out, const stream &owned) { return out << to_string(stream_ref(owned)); }
inline std::ostream &operator<<(std::ostream &out, const error &failure) { return out << failure.what(); }

GPUSTREAM_END_NAMESPACE
