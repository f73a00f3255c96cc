// SPDX-License-Identifier: Apache-2.0
#include "tools/call_stack.hpp"

#include <unwind.h>

#include <cstdio>
#include <cstring>

#include "base/dynlib.hpp"
#include "base/rare_state.hpp"
#include "tools/demangle.hpp"

namespace gs {
namespace {

constexpr size_t kMostFrames = 28;

struct Walk {
    uintptr_t frames[kMostFrames];
    size_t count = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context *context, void *arg) {
    auto &walk = *static_cast<Walk *>(arg);
    const uintptr_t address = _Unwind_GetIP(context);
    if (address == 0 || walk.count == kMostFrames) return _URC_END_OF_STACK;
    walk.frames[walk.count++] = address;
    return _URC_NO_REASON;
}

std::string describe_frame(uintptr_t frame, const CodeAddress &place) {
    char offset[48];
    if (!place.file) {
        std::snprintf(offset, sizeof offset, "%#zx", static_cast<size_t>(frame));
        return offset;
    }
    std::string text;
    if (place.symbol) {
        std::snprintf(offset, sizeof offset, "+%#zx ", static_cast<size_t>(place.symbol_offset));
        text = demangle(place.symbol) + offset;
    }
    const char *slash = std::strrchr(place.file, '/');
    std::snprintf(offset, sizeof offset, "+%#zx)", static_cast<size_t>(place.file_offset));
    return text + "(" + (slash ? slash + 1 : place.file) + offset;
}

// The frames inside the tools and the library are of no use to its caller: the first one to show is that of the exported function.
size_t first_shown(const Frames &frames) noexcept {
    const CodeAddress tools = code_address(reinterpret_cast<uintptr_t>(&capture_call_stack));
    const CodeAddress core = code_address(reinterpret_cast<uintptr_t>(&g_rare_state));
    for (size_t i = 0; i < frames.size(); ++i) {
        const CodeAddress place = code_address(frames[i] - 1);
        if (place.base != tools.base && place.base != core.base) break;
        if (place.symbol && std::strncmp(place.symbol, "gs_", 3) == 0) return i;
    }
    return 0;
}

} // namespace

Frames capture_call_stack() {
    Walk walk;
    _Unwind_Backtrace(visit, &walk);
    const size_t own = walk.count > 0 ? 1 : 0; // this function
    return {walk.frames + own, walk.frames + walk.count};
}

std::vector<std::string> describe_call_stack(const Frames &frames) {
    std::vector<std::string> texts;
    // A return address may lie behind the end of its function: the call is before it.
    for (size_t i = first_shown(frames); i < frames.size(); ++i)
        texts.push_back(describe_frame(frames[i], code_address(frames[i] - 1)));
    return texts;
}

} // namespace gs
