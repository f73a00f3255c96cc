// SPDX-License-Identifier: Apache-2.0
#include "backend/graphs.hpp"

namespace gs {
namespace {

Status without(const char *function) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "the backend has no %s", function);
}

} // namespace

Status Graphs::graph_create(ThreadBlock &, int32_t, uintptr_t *) noexcept { return without(__func__); }
Status Graphs::graph_destroy(ThreadBlock &, GraphRef) noexcept { return without(__func__); }
Status Graphs::graph_clone(ThreadBlock &, GraphRef, uintptr_t *) noexcept { return without(__func__); }
Status Graphs::graph_adopt(ThreadBlock &, GraphRef) noexcept { return without(__func__); }
Status Graphs::graph_keep(ThreadBlock &, uintptr_t, void (*)(void *), void *) noexcept { return without(__func__); }
Status Graphs::node_add(ThreadBlock &, GraphRef, const uintptr_t *, size_t, const NodeParams &, uintptr_t *) noexcept {
    return without(__func__);
}
Status Graphs::add_edges(ThreadBlock &, GraphRef, const uintptr_t *, const uintptr_t *, size_t) noexcept {
    return without(__func__);
}
Status Graphs::node_remove(ThreadBlock &, GraphRef, uintptr_t) noexcept { return without(__func__); }
Status Graphs::condition_create(ThreadBlock &, GraphRef, uint32_t, uint64_t *) noexcept { return without(__func__); }
Status Graphs::graph_nodes(ThreadBlock &, GraphRef, uintptr_t *, size_t, size_t *) noexcept {
    return without(__func__);
}
Status Graphs::graph_edges(ThreadBlock &, GraphRef, uintptr_t *, uintptr_t *, size_t, size_t *) noexcept {
    return without(__func__);
}
Status Graphs::node_params(ThreadBlock &, GraphRef, uintptr_t, NodeParams *) noexcept { return without(__func__); }
Status Graphs::instantiate(ThreadBlock &, GraphRef, uint32_t, uintptr_t *, GraphFailure *) noexcept {
    return without(__func__);
}
Status Graphs::exec_destroy(ThreadBlock &, GraphRef) noexcept { return without(__func__); }
Status Graphs::exec_launch(ThreadBlock &, GraphRef, StreamRef) noexcept { return without(__func__); }
Status Graphs::exec_upload(ThreadBlock &, GraphRef, StreamRef) noexcept { return without(__func__); }
Status Graphs::exec_update(ThreadBlock &, GraphRef, uintptr_t, GraphFailure *) noexcept { return without(__func__); }
Status Graphs::exec_set_node(ThreadBlock &, GraphRef, uintptr_t, const NodeParams &) noexcept {
    return without(__func__);
}
Status Graphs::exec_enable_node(ThreadBlock &, GraphRef, uintptr_t, bool) noexcept { return without(__func__); }
Status Graphs::exec_node_enabled(ThreadBlock &, GraphRef, uintptr_t, bool *) noexcept { return without(__func__); }

} // namespace gs
