// SPDX-License-Identifier: Apache-2.0
// Copies of a batch where the backend or a capture takes them one by one.
#pragma once

#include "backend/backend.hpp"

namespace gs {

// One by one, in the stream's order. The text of a failure names the copy.
inline Status copy_each(Backend &backend, ThreadBlock &thread, StreamRef stream, const gs_copy_t *copies,
                        size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) {
        if (copies[i].bytes == 0) continue;
        const Status status = backend.memcpy_async(thread, stream, copies[i].dst, copies[i].src, copies[i].bytes);
        if (!status.ok()) return fail_element(status, "copies", i);
    }
    return kOk;
}

} // namespace gs
