// SPDX-License-Identifier: Apache-2.0
// The stream, event and device in the record of a failed call, against what its function is given.
#include <cstring>

#include "calls/calls.hpp"

namespace gs::test {

std::string wrong_objects(const gs_error_info_t &info) {
    for (const Call &call : call_table()) {
        if (std::strcmp(call.name, info.function) != 0) continue;
        if (call.given & kGivenSeveral) return "";
        const bool has_stream = info.stream != nullptr;
        const bool has_event = info.event != nullptr;
        if (has_stream != ((call.given & kGivenStream) != 0)) return has_stream ? "a stream" : "no stream";
        if (has_event != ((call.given & kGivenEvent) != 0)) return has_event ? "an event" : "no event";
        // An event has a device once it was recorded.
        if (call.given == 0 && info.device != GS_DEVICE_NONE) return "device " + std::to_string(info.device);
        if ((call.given & (kGivenStream | kGivenDevice)) != 0 && info.device < 0)
            return "no device, but " + std::to_string(info.device);
        return "";
    }
    return std::string("no function is called '") + info.function + "'";
}

} // namespace gs::test
