// SPDX-License-Identifier: Apache-2.0
#include "tools/leaks/maker.hpp"

#include <atomic>

#include "base/log.hpp"
#include "base/thread_block.hpp"

namespace gs {

Maker this_maker() {
    ThreadBlock *thread = this_thread();
    return {thread ? os_id(*thread) : 0, capture_call_stack()};
}

std::string frame_lines(const Maker &maker) {
    std::string lines;
    for (const std::string &frame : describe_call_stack(maker.frames)) lines += "    " + frame + "\n";
    return lines;
}

void warn_of_unknown_maker() noexcept {
    static std::atomic<bool> warned{false};
    if (!warned.exchange(true, std::memory_order_relaxed))
        log_message(GS_LOG_WARNING,
                    "no memory to remember who made an object or allocated memory: the report at exit lacks it");
}

} // namespace gs
