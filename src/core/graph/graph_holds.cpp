// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_holds.hpp"

#include <new>

#include "core/graph/keeps.hpp"

namespace gs {
namespace {

void let_go_of(void *holds) noexcept { static_cast<GraphHolds *>(holds)->let_go(); }

} // namespace

bool GraphHolds::has(Release release, const void *what) const noexcept {
    for (const Entry *entry = first_; entry; entry = entry->next)
        if (entry->thing->release == release && entry->thing->what == what) return true;
    return false;
}

Status GraphHolds::add(Release release, void *what, bool *out_known) noexcept {
    *out_known = has(release, what);
    return *out_known ? kOk : add_new(release, what);
}

Status GraphHolds::add_new(Release release, void *what) noexcept {
    auto *thing = new (std::nothrow) Thing{release, what};
    auto *entry = thing ? new (std::nothrow) Entry{thing, first_} : nullptr;
    if (!entry) {
        delete thing;
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph refers to");
    }
    first_ = entry;
    return kOk;
}

Status GraphHolds::add_all(const GraphHolds &others) noexcept {
    for (const Entry *entry = others.first_; entry; entry = entry->next) {
        if (has(entry->thing->release, entry->thing->what)) continue;
        auto *mine = new (std::nothrow) Entry{entry->thing, first_};
        if (!mine) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for what a graph refers to");
        entry->thing->holders.fetch_add(1, std::memory_order_relaxed);
        first_ = mine;
    }
    return kOk;
}

void GraphHolds::let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

GraphHolds::~GraphHolds() {
    while (Entry *entry = first_) {
        first_ = entry->next;
        Thing *thing = entry->thing;
        delete entry;
        if (thing->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        thing->release(thing->what);
        delete thing;
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
    const GraphHolds *theirs = other.root.load(std::memory_order_relaxed)->holds;
    if (!theirs) return kOk;
    GraphHolds *ours = nullptr;
    GS_TRY(holds_of(thread, graph, &ours));
    return ours->add_all(*theirs);
}

} // namespace gs
