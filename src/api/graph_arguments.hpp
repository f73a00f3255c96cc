// SPDX-License-Identifier: Apache-2.0
// Arguments that both the functions for nodes of graphs and those for nodes of executables take.
#pragma once

#include <cstdint>

#include "api/with.hpp"
#include "backend/graphs.hpp"

namespace gs::api {

inline Status check_node_bytes(size_t bytes) noexcept {
    if (bytes >= 1 && bytes <= static_cast<size_t>(PTRDIFF_MAX)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes: a node works on at least one, and no object is that large",
                bytes);
}

inline Status copy_params(void *dst, const void *src, size_t bytes, NodeParams *out) noexcept {
    GS_INPUT(dst);
    GS_INPUT(src);
    GS_TRY(check_node_bytes(bytes));
    out->kind = GS_NODE_MEMCPY;
    out->copy = {dst, src, bytes};
    return kOk;
}

inline Status fill_params(void *dst, int32_t value, size_t bytes, NodeParams *out) noexcept {
    GS_INPUT(dst);
    GS_TRY(check_node_bytes(bytes));
    if (value < 0 || value > 0xFF)
        return fail(GS_ERROR_INVALID_ARGUMENT, "value %d does not fit into a byte (0 to 255)", value);
    out->kind = GS_NODE_MEMSET;
    out->fill = {dst, static_cast<uint8_t>(value), bytes};
    return kOk;
}

} // namespace gs::api
