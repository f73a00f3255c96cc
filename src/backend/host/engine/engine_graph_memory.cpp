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
    auto *block = new (std::nothrow) GraphBlock(pointer);
    if (!block) {
        MemoryTable::release(pointer);
        return Result::OutOfMemory;
    }
    NodeBody body;
    body.kind = NodeKind::Alloc;
    body.block = Ref<GraphBlock>(block);
    {
        MutexLock lock(graph_mutex_);
        try {
            blocks_.reserve(blocks_.size() + 1);
        } catch (const std::bad_alloc &) {
            return Result::OutOfMemory;
        }
        sweep_blocks();
        blocks_.push_back(body.block);
    }
    result = capture_node(stream, std::move(body));
    if (result == Result::Ok) *out = pointer;
    return result;
}

// Removes those that only the list refers to.
void Engine::sweep_blocks() noexcept {
    blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), [](const auto &block) { return block->alone(); }),
                  blocks_.end());
}

Result Engine::capture_free(Stream &stream, void *pointer) noexcept {
    NodeBody body;
    body.kind = NodeKind::Free;
    {
        MutexLock lock(graph_mutex_);
        if (!stream.member) return Result::NotCapturing;
        GraphBlock *block = find_block(pointer);
        if (!block) return Result::InvalidValue; // as CUDA: only what the graph has allocated
        block->retain();
        body.block = Ref<GraphBlock>(block);
    }
    return capture_node(stream, std::move(body));
}

// A live stream frees what a launch has left, behind the work that may still use it. InvalidValue: there is no such
// memory.
Result Engine::free_block(Stream &stream, void *pointer) noexcept {
    struct Freed {
        Engine *engine;
        GraphBlock *block;
    };
    MutexLock lock(graph_mutex_);
    GraphBlock *block = find_block(pointer);
    if (!block || !block->live || stream.member) return Result::InvalidValue;
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

// Memory that an earlier launch left allocated must have been freed, or this launch must free it.
Result Engine::check_blocks(const GraphExec &exec) noexcept {
    bool left = false;
    each_block(*exec.definition, [&](const GraphBlock &block, bool alloc) { left = left || (alloc && block.live); });
    return left && (exec.flags & kExecAutoFree) == 0 ? Result::InvalidValue : Result::Ok;
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
