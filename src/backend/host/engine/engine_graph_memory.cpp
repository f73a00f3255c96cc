// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate and free. It exists at its address from the capture on; a launch changes only its
// owner.
#include <algorithm>
#include <memory>
#include <new>

#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {
namespace {

template <typename Visit>
void each_block(const Graph &definition, Visit &&visit) noexcept {
    for (const auto &node : definition.nodes)
        if (node->body.block) visit(*node->body.block, node->body.kind == NodeKind::Alloc);
}

// As CUDA: only what a graph has allocated, once in a graph, and in no other if its own graph frees it.
Result check_captured_free(const Graph &graph, const Stream &stream, const GraphBlock *block) noexcept {
    if (!block) return Result::InvalidValue;
    if (block->device != stream.device) return Result::WrongDevice;
    const bool elsewhere = block->freed_inside && block->graph != graph.id;
    return elsewhere || graph.freed.count(block) != 0 ? Result::InvalidValue : Result::Ok;
}

} // namespace

GraphBlock *Engine::find_block(const void *pointer) noexcept {
    for (const auto &block : blocks_)
        if (block->pointer == pointer) return block.get();
    return nullptr;
}

Result Engine::capture_malloc(Stream &stream, size_t bytes, void **out) noexcept {
    void *pointer = nullptr;
    Result result = MemoryTable::reserve(bytes, &pointer);
    if (result != Result::Ok) return result;
    NodeBody body;
    body.kind = NodeKind::Alloc;
    MutexLock lock(graph_mutex_);
    auto *block = stream.member ? new (std::nothrow)
                                      GraphBlock(pointer, stream.device, stream.member->capture->graph->id)
                                : nullptr;
    if (!block) {
        MemoryTable::release(pointer);
        return stream.member ? Result::OutOfMemory : Result::NotCapturing;
    }
    body.block = Ref<GraphBlock>(block);
    try {
        blocks_.reserve(blocks_.size() + 1);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    result = add_captured(stream, body);
    if (result != Result::Ok) return result;
    sweep_blocks();
    blocks_.push_back(body.block);
    *out = pointer;
    return Result::Ok;
}

// Removes those that only the list refers to.
void Engine::sweep_blocks() noexcept {
    blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), [](const auto &block) { return block->alone(); }),
                  blocks_.end());
}

Result Engine::capture_free(Stream &stream, void *pointer) noexcept {
    NodeBody body;
    body.kind = NodeKind::Free;
    MutexLock lock(graph_mutex_);
    if (!stream.member) return Result::NotCapturing;
    Graph &graph = *stream.member->capture->graph;
    GraphBlock *block = find_block(pointer);
    Result result = check_captured_free(graph, stream, block);
    if (result != Result::Ok) return result;
    block->retain();
    body.block = Ref<GraphBlock>(block);
    try {
        graph.freed.insert(block);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    result = add_captured(stream, body);
    if (result != Result::Ok)
        graph.freed.erase(block);
    else if (block->graph == graph.id)
        block->freed_inside = true;
    return result;
}

// A live stream frees what a launch has left, behind the work that may still use it. InvalidValue: there is no such
// memory. WrongDevice: it is another device's.
Result Engine::free_block(Stream &stream, void *pointer) noexcept {
    struct Freed {
        Engine *engine;
        GraphBlock *block;
    };
    MutexLock lock(graph_mutex_);
    GraphBlock *block = find_block(pointer);
    if (!block || !block->live || stream.member) return Result::InvalidValue;
    if (block->device != stream.device) return Result::WrongDevice;
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok) return submission.status();
    if (submission.idle()) {
        block->live = false;
        block->release();
        sweep_blocks();
        return Result::Ok;
    }
    auto *freed = new (std::nothrow) Freed{this, block};
    if (!freed) return Result::OutOfMemory;
    Op op(Op::Kind::Task);
    op.task = {[](void *) {},
               [](void *opaque) {
                   const std::unique_ptr<Freed> mine(static_cast<Freed *>(opaque));
                   MutexLock graphs(mine->engine->graph_mutex_);
                   mine->block->release();
                   mine->engine->sweep_blocks();
               },
               freed};
    const Result result = submission.push(op);
    if (result == Result::Ok)
        block->live = false; // the operation has its reference
    else
        delete freed;
    return result;
}

// Memory that an earlier launch left allocated must have been freed, or this launch must free it. What the graph frees
// without allocating it must be allocated.
Result Engine::check_blocks(const GraphExec &exec) noexcept {
    bool left = false, missing = false;
    each_block(*exec.definition, [&](const GraphBlock &block, bool alloc) {
        left = left || (alloc && block.live);
        missing = missing || (!alloc && !block.live && block.graph != exec.source);
    });
    if (missing) return Result::NothingToFree;
    return left && (exec.flags & kExecAutoFree) == 0 ? Result::MemoryLeft : Result::Ok;
}

void Engine::take_blocks(const GraphExec &exec) noexcept {
    each_block(*exec.definition, [](GraphBlock &block, bool alloc) {
        if (!alloc || block.live) return;
        block.live = true;
        block.retain();
    });
    each_block(*exec.definition, [](GraphBlock &block, bool alloc) {
        if (alloc || !block.live) return;
        block.live = false;
        block.release();
    });
}

} // namespace gs::host
