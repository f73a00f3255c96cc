// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph/capture_watch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "fuzz/api/driver_faults.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

bool same(const gs_capture_info_t &one, const gs_capture_info_t &other) {
    return one.state == other.state && one.id == other.id && one.graph == other.graph && one.origin == other.origin &&
           one.thread == other.thread && one.mode == other.mode && one.broken_code == other.broken_code;
}

std::string text_of(const gs_capture_info_t &info) {
    constexpr const char *kStates[] = {"no capture", "a capture", "a broken capture"};
    std::string text = kStates[info.state];
    if (info.broken_code != 0)
        text += std::string(" (by ") + info.broken_function + ", native code " + std::to_string(info.broken_code) + ")";
    return text;
}

} // namespace

CaptureWatch CaptureWatch::now(const Model &model) {
    const WithoutFaults asking;
    CaptureWatch seen;
    seen.thread_ = static_cast<uint64_t>(syscall(SYS_gettid));
    for (const Object &object : model.objects()) {
        if (object.kind != "stream" || model.alive(object.handle, "stream") == Alive::No) continue;
        gs_capture_info_t info{};
        info.struct_size = sizeof info;
        const gs_status_t status =
            gs_stream_capture_info(reinterpret_cast<gs_stream_t>(object.handle), &info); // NOLINT
        if (status == GS_ERROR_INVALID_HANDLE && model.alive(object.handle, "stream") == Alive::Unsure) continue;
        FUZZ_REQUIRE(status == GS_OK, std::string("gs_stream_capture_info: ") + gs_status_name(status));
        FUZZ_REQUIRE(info.state != GS_CAPTURE_STATE_INVALIDATED,
                     model.name(object.handle) + " takes part in " + text_of(info));
        seen.streams_[object.handle] = info;
    }
    return seen;
}

const gs_capture_info_t *CaptureWatch::of(uint64_t stream) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : &found->second;
}

bool CaptureWatch::capturing(uint64_t stream) const {
    const gs_capture_info_t *info = of(stream);
    return info && info->state != GS_CAPTURE_STATE_NONE;
}

// Whether the call may have ended the capture that the stream takes part in. An end that fails ends it, too, unless it comes
// from the wrong stream or thread.
bool CaptureWatch::may_end(uint64_t stream, Effect effect, gs_status_t status) const {
    if (!capturing(stream)) return false;
    const gs_capture_info_t &info = *of(stream);
    if (reinterpret_cast<uint64_t>(info.origin) != stream) return false;
    if (effect == Effect::Aborts) return status == GS_OK;
    const bool right_thread = info.mode == GS_CAPTURE_RELAXED || info.thread == thread_;
    return effect == Effect::Ends && right_thread && status != GS_ERROR_INVALID_ARGUMENT;
}

void CaptureWatch::check(const CaptureWatch &after, Effect effect, uint64_t stream, gs_status_t status,
                         const std::string &detail) const {
    const bool ends = may_end(stream, effect, status);
    for (const auto &[handle, before] : streams_) {
        const gs_capture_info_t *now = after.of(handle);
        if (!now || same(before, *now)) continue; // it may have been destroyed
        const std::string change = detail + ": " + text_of(before) + " became " + text_of(*now);
        const bool has_ended = before.state != GS_CAPTURE_STATE_NONE && now->state == GS_CAPTURE_STATE_NONE;
        const bool has_begun = before.state == GS_CAPTURE_STATE_NONE && now->state == GS_CAPTURE_STATE_ACTIVE;
        const bool joins = has_begun && handle == stream && status == GS_OK && effect == Effect::Begins;
        // The capture of a stream that was destroyed ends when the stream's place is needed.
        const bool given_up = !of(reinterpret_cast<uint64_t>(before.origin));
        FUZZ_REQUIRE(joins || (has_ended && (given_up || (ends && before.id == of(stream)->id))), change);
    }
    if (!ends || status != GS_OK) return;
    for (const auto &[handle, now] : after.streams_)
        FUZZ_REQUIRE(now.state == GS_CAPTURE_STATE_NONE || now.id != of(stream)->id, detail + ": it has not ended");
}

} // namespace gs::fuzz
