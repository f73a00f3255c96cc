// SPDX-License-Identifier: Apache-2.0
#include "core/thread/scope.hpp"

#include <cinttypes>
#include <iterator>
#include <new>

#include "core/lookup.hpp"

namespace gs {
namespace {

constexpr int kScopes = ScopeBlock::kScopes;

// The place for one more scope when the innermost block is full. Blocks of 16 scopes are never freed.
Scope *place_in_next_block(CoreThread &core) noexcept {
    ScopeBlock *next = core.top_block->next.load(std::memory_order_relaxed);
    if (!next) {
        next = new (std::nothrow) ScopeBlock;
        if (!next) return nullptr;
        next->previous = core.top_block;
        core.top_block->next.store(next, std::memory_order_release);
    }
    core.top_block = next;
    return &next->scopes[0];
}

// Called before the scope is on the stack, or after it has left.
Status restore_context(ThreadBlock &thread, CoreThread &core, const Scope &scope) noexcept {
    if (scope.context_backend == GS_BACKEND_DEFAULT) return kOk;
    Backend &backend = *started_device(scope.context_backend, 0)->backend;
    const Status status = backend.restore_current(thread, scope.previous_context);
    if (status.ok() || status.code == GS_ERROR_CONTEXT_LOST) return status; // a lost context is not tried again
    if (core.depth.load(std::memory_order_relaxed) > 0) {
        // The scope around it began in the same context, unless it saved another one, so its pop tries again.
        save_context(core, backend, scope.previous_context);
        return status;
    }
    // No scope is left whose end would try again: what the driver refused once, as when it is short of memory, it may do now.
    const gs_error_info_t refused = thread.pending;
    backend.restore_current(thread, scope.previous_context).ignore();
    thread.pending = refused;
    return status;
}

std::atomic<uint64_t> g_token_blocks{0};

// Who took each of the last blocks: the block's number and the operating system's number of the thread, 32 bits each.
std::atomic<uint64_t> g_takers[1024];

constexpr uint64_t block_of(uint64_t token) noexcept { return (token - 1) / kTokenBlock; }

// 0: the block was not taken, or the taker is forgotten.
uint64_t thread_that_opened(uint64_t token) noexcept {
    const uint64_t block = block_of(token);
    const uint64_t taker = g_takers[block % std::size(g_takers)].load(std::memory_order_relaxed);
    return taker >> 32 == (block & UINT32_MAX) ? taker & UINT32_MAX : 0;
}

// How many scopes are open inside the thread's scope with the token; -1: it has none.
int32_t scopes_inside(const CoreThread &core, uint64_t token) noexcept {
    const int32_t open = core.depth.load(std::memory_order_relaxed);
    const Scope *scope = nullptr;
    for (int32_t depth = open; scope_at(core, depth, &scope); --depth)
        if (scope->token == token) return open - depth;
    return -1;
}

} // namespace

uint64_t token_of_next_block(CoreThread &core) noexcept {
    core.last_token = g_token_blocks.fetch_add(kTokenBlock, std::memory_order_relaxed) + 1; // 0 is no token
    const uint64_t block = block_of(core.last_token);
    g_takers[block % std::size(g_takers)].store(block << 32 | (os_id(*this_thread()) & UINT32_MAX),
                                                std::memory_order_relaxed);
    return core.last_token;
}

Status wrong_scope(const CoreThread &core, uint64_t token) noexcept {
    const auto printed = static_cast<unsigned long long>(token);
    if (token == 0) return fail(GS_ERROR_SCOPE, "this thread has no open scope");
    if (const int32_t inside = scopes_inside(core, token); inside > 0)
        return fail(
            GS_ERROR_SCOPE,
            "scope %#llx is not this thread's innermost: %d opened after it are still open; end those first, or "
            "all at once with gs_unwind_current_stream",
            printed, inside);
    const uint64_t opener = thread_that_opened(token);
    if (opener == 0)
        return fail(GS_ERROR_SCOPE, "there is no scope %#llx: only what a push returned ends one", printed);
    if (opener == os_id(*this_thread())) return fail(GS_ERROR_SCOPE, "scope %#llx has ended already", printed);
    return fail(GS_ERROR_SCOPE, "scope %#llx was opened by thread %" PRIu64 ", which alone can end it", printed,
                opener);
}

Status drop_across_devices(ThreadBlock &thread, CoreThread &core, Scope &scope, int32_t depth) noexcept {
    StreamSlot *source_stream = scope.source_stream.load(std::memory_order_relaxed);
    StreamSlot *target_stream = scope.target_stream.load(std::memory_order_relaxed);
    std::atomic<StreamSlot *> &target_entry = core.current[scope.target->index];
    std::atomic<StreamSlot *> &source_entry = core.current[scope.source->index];
    StreamSlot *dropped_target = target_entry.load(std::memory_order_relaxed);
    StreamSlot *dropped_source = source_entry.load(std::memory_order_relaxed);
    {
        TableChange change(core);
        target_entry.store(target_stream, std::memory_order_release);
        source_entry.store(source_stream, std::memory_order_release);
        leave_scope(core, depth);
    }
    core.device = scope.device_was_set ? scope.source : nullptr;
    const Status status = restore_context(thread, core, scope);
    settle_if_zombie(dropped_target);
    if (dropped_source != dropped_target) settle_if_zombie(dropped_source);
    return status;
}

Status push_with_care(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                      uint64_t *out_token) noexcept {
    Device *known = known_device(core);
    Device *source = known;
    if (!source) GS_TRY(current_device(thread, &source));
    Device *target = stream.device;
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    Scope *scope = needs_next_block(depth) ? place_in_next_block(core)
                                           : &core.top_block->scopes[static_cast<uint32_t>(depth) % kScopes];
    if (!scope) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for scope number %d", depth + 1);
    scope->context_backend = GS_BACKEND_DEFAULT;
    if (source != target) {
        bool changed = false;
        const Status status =
            target->backend->make_current(thread, target->ordinal, &scope->previous_context, &changed);
        if (!status.ok()) {
            if (needs_next_block(depth)) core.top_block = core.top_block->previous;
            return status;
        }
        if (changed)
            scope->context_backend = target->kind;
        else
            core.contextless = target;
    }
    scope->token = new_token(core);
    scope->only_device = known == target ? target : nullptr;
    scope->device_was_set = core.device != nullptr;
    scope->source = source;
    scope->target = target;
    StreamSlot *entered = stream.kind == StreamKind::Default ? nullptr : &stream;
    if (const Status status = entered ? announce_current(core, stream, handle) : kOk; !status.ok()) {
        if (needs_next_block(depth)) core.top_block = core.top_block->previous;
        restore_context(thread, core, *scope).ignore();
        return status;
    }
    {
        TableChange change(core);
        scope->source_stream.store(core.current[source->index].load(std::memory_order_relaxed),
                                   std::memory_order_release);
        scope->target_stream.store(core.current[target->index].load(std::memory_order_relaxed),
                                   std::memory_order_release);
        core.depth.store(depth + 1, std::memory_order_release);
        core.current[target->index].store(entered, std::memory_order_release);
        core.entering.store(nullptr, std::memory_order_release);
    }
    if (known != target) core.device = target;
    *out_token = scope->token;
    return kOk;
}

bool scope_at(const CoreThread &core, int32_t depth, const Scope **out) noexcept {
    const int32_t open = core.depth.load(std::memory_order_relaxed);
    if (depth < 1 || depth > open) return false;
    const ScopeBlock *block = core.top_block;
    for (int32_t above = (open - 1) / kScopes; above > (depth - 1) / kScopes; --above) block = block->previous;
    *out = &block->scopes[(depth - 1) % kScopes];
    return true;
}

void keep_innermost(CoreThread &core) noexcept {
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    Scope &scope = innermost_scope(core, depth);
    StreamSlot *source_stream = scope.source_stream.load(std::memory_order_relaxed);
    StreamSlot *target_stream = scope.target_stream.load(std::memory_order_relaxed);
    {
        TableChange change(core);
        leave_scope(core, depth);
    }
    if (scope.context_backend != GS_BACKEND_DEFAULT)
        save_context(core, *started_device(scope.context_backend, 0)->backend, scope.previous_context);
    settle_if_zombie(source_stream);
    if (target_stream != source_stream) settle_if_zombie(target_stream);
}

Status unwind_scopes(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    const ScopeBlock *block = core.top_block;
    int32_t found = 0;
    for (int32_t d = depth; d > 0 && found == 0; --d) {
        if (block->scopes[(d - 1) % kScopes].token == token) found = d;
        if ((d - 1) % kScopes == 0 && block->previous) block = block->previous;
    }
    if (found == 0 || token == 0) return wrong_scope(core, token);
    Status first = kOk;
    for (int32_t d = depth; d >= found; --d) {
        const Status status = drop_innermost(thread, core, d);
        if (first.ok()) first = status;
    }
    return first;
}

} // namespace gs
