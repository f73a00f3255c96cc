// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_holds.hpp"

#include <new>

#include "core/graph/capture_calls.hpp"

namespace gs {
namespace {

Status no_memory_for_random() noexcept {
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the random state of a graph");
}

GraphSlot &outermost(const GraphSlot &graph) noexcept { return *graph.root.load(std::memory_order_relaxed); }

// The list of the graph, made at the first use. Under the graph's mutex.
Status random_of(GraphSlot &root, RandomList **out) noexcept {
    if (!root.random) {
        root.random = new (std::nothrow) RandomList;
        if (!root.random) return no_memory_for_random();
        if (root.shared) root.random->hold();
    }
    *out = root.random;
    return kOk;
}

// The graph's own words, beside those of its child graphs.
Status own_words(GraphSlot &root, RandomWords **out) noexcept {
    *out = root.random_words;
    if (*out) return kOk;
    RandomList *list = nullptr;
    GS_TRY(random_of(root, &list));
    RandomWords *words = nullptr;
    GS_TRY(RandomWords::take(*root.device, &words));
    const Status status = list->add(*words);
    words->let_go_later(); // the list holds it
    if (status.ok()) *out = root.random_words = words;
    return status;
}

} // namespace

Status reserve_captured(ThreadBlock &thread, StreamSlot &stream, uint64_t numbers, gs_philox_t *out) noexcept {
    LockedGraph graph;
    uint64_t capture = 0;
    GS_TRY(graph_around(thread, stream, graph, &capture));
    if (capture == 0)
        return fail(GS_ERROR_CAPTURING, "the stream is in a capture that other code began: the library would not "
                                        "see the launches, each of which needs numbers of its own");
    if (graph->use == GraphUse::Inside)
        return fail(GS_ERROR_CAPTURING, "the stream is captured into the body of a condition, which may run several "
                                        "times in a launch: it would draw the same numbers each time");
    RandomWords *words = nullptr;
    GS_TRY(own_words(*graph, &words));
    out->captured = 1;
    out->seed_address = words->seed_address();
    out->offset_address = words->offset_address();
    out->offset_in_graph = words->add(numbers);
    return kOk;
}

void take_random(ExecSlot &exec, const GraphSlot &graph) noexcept {
    RandomList *theirs = outermost(graph).random;
    if (exec.random == theirs) return;
    let_go_of(exec.random);
    exec.random = theirs;
    if (theirs) theirs->hold();
}

Status add_random(ExecSlot &exec, const GraphSlot &graph) noexcept {
    const RandomList *theirs = outermost(graph).random;
    if (!theirs || theirs == exec.random) return kOk;
    if (!exec.random) exec.random = new (std::nothrow) RandomList;
    return exec.random ? exec.random->add_all(*theirs) : no_memory_for_random();
}

Status hold_random_of(GraphSlot &graph, const GraphSlot &other) noexcept {
    const RandomList *theirs = outermost(other).random;
    if (!theirs) return kOk;
    RandomList *ours = nullptr;
    GS_TRY(random_of(outermost(graph), &ours));
    return ours->add_all(*theirs);
}

void share_random(GraphSlot &graph) noexcept {
    const GraphSlot &root = outermost(graph);
    if (!root.shared && root.random) root.random->hold_for_ever();
}

// The device's lock keeps two launches from writing the same words between each other's. The driver's calls that are
// made here neither come back into the library nor wait for work.
Status launch_with_random(ThreadBlock &thread, ExecSlot &exec, StreamSlot &stream) noexcept {
    MutexLock lock(RandomWords::lock_of(*exec.device));
    Status status = exec.random->for_each([&](RandomWords &words) { return words.write_for(thread, stream); });
    if (status.ok()) status = exec.graphs->exec_launch(thread, exec.ref(), stream.ref());
    const gs_error_info_t failure = thread.pending;
    const Status read = exec.random->for_each([&](RandomWords &words) { return words.read_by(thread, stream); });
    if (status.ok()) return read;
    thread.pending = failure;
    return status;
}

} // namespace gs
