// SPDX-License-Identifier: Apache-2.0
#include <new>

#include "tools/trace/trace_json.hpp"

namespace gs::trace {

Status write_trace(ThreadBlock &thread, WriteFunction write, void *arg) noexcept {
    try {
        Snapshot snapshot;
        GS_TRY(take_snapshot(&snapshot));
        const Regions regions = snapshot.device_times ? resolve_regions(thread) : Regions{};
        return write_json(snapshot, regions, make_parts(snapshot, regions), write, arg);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to write a trace");
    }
}

} // namespace gs::trace
