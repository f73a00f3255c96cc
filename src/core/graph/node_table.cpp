// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_table.hpp"

#include <atomic>
#include <new>

namespace gs {
namespace {

std::atomic<gs_node_t> g_next{1};

Status no_node_memory() noexcept {
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the numbers of a graph's nodes");
}

} // namespace

Status NodeTable::number_of(uintptr_t native, gs_node_t *out) noexcept {
    try {
        const auto [place, fresh] = numbers_.try_emplace(native, 0);
        if (place->second == 0) {
            const gs_node_t number = g_next.fetch_add(1, std::memory_order_relaxed);
            natives_.emplace(number, native);
            place->second = number;
        }
        *out = place->second;
        return kOk;
    } catch (const std::bad_alloc &) {
        return no_node_memory();
    }
}

Status NodeTable::native_of(gs_node_t node, uintptr_t *out) const noexcept {
    const auto found = natives_.find(node);
    if (found == natives_.end())
        return fail(GS_ERROR_INVALID_ARGUMENT, "%llu is no node of this graph", static_cast<unsigned long long>(node));
    *out = found->second;
    return kOk;
}

Status NodeTable::numbers_of(const uintptr_t *natives, size_t count, gs_node_t *out) noexcept {
    gs_node_t number = 0;
    for (size_t i = 0; i < count; ++i) GS_TRY(number_of(natives[i], &number));
    // All of them have one now, so the rest succeeds; a failure before has written nothing.
    for (size_t i = 0; i < count; ++i) out[i] = numbers_.find(natives[i])->second;
    return kOk;
}

Status NodeTable::natives_of(const gs_node_t *nodes, size_t count, std::vector<uintptr_t> *out) const noexcept {
    // A negative number that was cast on its way: there is no memory for it, and the array ends earlier.
    if (count > natives_.size())
        return fail(GS_ERROR_INVALID_ARGUMENT, "%zu predecessors: one is no node of this graph, or named twice", count);
    try {
        out->resize(count);
    } catch (const std::bad_alloc &) {
        return no_node_memory();
    }
    for (size_t i = 0; i < count; ++i) GS_TRY(native_of(nodes[i], &(*out)[i]));
    return kOk;
}

void NodeTable::forget(uintptr_t native) noexcept {
    const auto found = numbers_.find(native);
    if (found == numbers_.end()) return;
    natives_.erase(found->second);
    numbers_.erase(found);
}

void NodeTable::clear() noexcept {
    numbers_.clear();
    natives_.clear();
}

} // namespace gs
