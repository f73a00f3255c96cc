// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_holds.hpp"

#include <new>

#include "core/graph/keeps.hpp"

namespace gs {
namespace {

void let_go_of(void *holds) noexcept { static_cast<GraphHolds *>(holds)->let_go(); }

} // namespace

Status GraphHolds::add(Release release, void *what, bool *out_known) noexcept {
    for (const Entry *entry = first_; entry; entry = entry->next) {
        *out_known = entry->release == release && entry->what == what;
        if (*out_known) return kOk;
    }
    *out_known = false;
    return add_new(release, what);
}

Status GraphHolds::add_new(Release release, void *what) noexcept {
    auto *entry = new (std::nothrow) Entry{release, what, first_};
    if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph refers to");
    first_ = entry;
    return kOk;
}

void GraphHolds::let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

GraphHolds::~GraphHolds() {
    while (Entry *entry = first_) {
        first_ = entry->next;
        entry->release(entry->what);
        delete entry;
    }
}

Status holds_of(ThreadBlock &thread, GraphSlot &graph, GraphHolds **out) noexcept {
    GraphSlot &root = *graph.root.load(std::memory_order_relaxed);
    if (!root.holds) {
        auto *holds = new (std::nothrow) GraphHolds;
        if (!holds) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph refers to");
        const Status status = keep_for_graph(thread, root, let_go_of, holds);
        if (!status.ok() && status.code != GS_ERROR_NOT_SUPPORTED) {
            holds->let_go();
            return status;
        }
        // The driver does not report the end of a graph: the list is never released.
        root.holds = holds;
    }
    *out = root.holds;
    return kOk;
}

Status hold_as(ThreadBlock &thread, GraphSlot &graph, GraphSlot &other) noexcept {
    GraphHolds *theirs = other.root.load(std::memory_order_relaxed)->holds;
    if (!theirs) return kOk;
    GraphHolds *ours = nullptr;
    GS_TRY(holds_of(thread, graph, &ours));
    bool known = false;
    theirs->hold();
    const Status status = ours->add(let_go_of, theirs, &known);
    if (!status.ok() || known) theirs->let_go();
    return status;
}

} // namespace gs
