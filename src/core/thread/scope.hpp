// SPDX-License-Identifier: Apache-2.0
// Pushes and pops the current stream. A scope restores the device, the streams of both devices and the driver's context.
// The usual scope changes the stream of the device that is current: that is inline.
#pragma once

#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {

// Tokens are unique in the process, so that one never fits another scope, however many there have been.
inline constexpr uint64_t kTokenBlock = uint64_t{1} << 32; // what a thread takes at once
uint64_t token_of_next_block(CoreThread &core) noexcept __attribute__((cold));
inline uint64_t new_token(CoreThread &core) noexcept {
    if (core.last_token % kTokenBlock == 0) return token_of_next_block(core);
    return ++core.last_token;
}

constexpr bool needs_next_block(int32_t depth) noexcept {
    return depth != 0 && static_cast<uint32_t>(depth) % ScopeBlock::kScopes == 0;
}

// The stream is on another device, or the block of scopes is full, or the driver says which device is current.
Status push_with_care(ThreadBlock &thread, CoreThread &core, StreamSlot &stream, uint64_t handle,
                      uint64_t *out_token) noexcept;

// handle: the one under which the caller found the stream. INVALID_HANDLE when it is destroyed during the call.
[[gnu::always_inline]] inline Status push_scope(ThreadBlock &thread, CoreThread &core, StreamSlot &stream,
                                                uint64_t handle, uint64_t *out_token) noexcept {
    Device *device = stream.device;
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    if (known_device(core) != device || needs_next_block(depth))
        return push_with_care(thread, core, stream, handle, out_token);
    StreamSlot *entered = stream.kind == StreamKind::Default ? nullptr : &stream;
    if (entered) GS_TRY(announce_current(core, stream, handle));
    Scope &scope = core.top_block->scopes[static_cast<uint32_t>(depth) % ScopeBlock::kScopes];
    scope.token = new_token(core);
    scope.only_device = scope.source = scope.target = device;
    scope.context_backend = GS_BACKEND_DEFAULT;
    scope.device_was_set = core.device != nullptr;
    std::atomic<StreamSlot *> &entry = core.current[device->index];
    StreamSlot *previous = entry.load(std::memory_order_relaxed);
    {
        TableChange change(core);
        scope.source_stream.store(previous, std::memory_order_release);
        scope.target_stream.store(previous, std::memory_order_release);
        core.depth.store(depth + 1, std::memory_order_release);
        entry.store(entered, std::memory_order_release);
        core.entering.store(nullptr, std::memory_order_release);
    }
    *out_token = scope.token;
    return kOk;
}

// The scope is left: its place may be used again.
inline void leave_scope(CoreThread &core, int32_t depth) noexcept {
    core.depth.store(depth - 1, std::memory_order_release);
    if ((depth - 1) % ScopeBlock::kScopes == 0 && core.top_block->previous) core.top_block = core.top_block->previous;
}

// Restores everything even when the driver refuses its part, and reports the first refusal.
Status drop_across_devices(ThreadBlock &thread, CoreThread &core, Scope &scope, int32_t depth) noexcept;

// depth > 0. Usually the scope has changed the stream of the device that was current and still is, and not the driver's
// context.
[[gnu::always_inline]] inline Status drop_innermost(ThreadBlock &thread, CoreThread &core, int32_t depth) noexcept {
    Scope &scope = innermost_scope(core, depth);
    if (known_device(core) != scope.only_device) return drop_across_devices(thread, core, scope, depth);
    std::atomic<StreamSlot *> &entry = core.current[scope.target->index];
    StreamSlot *dropped = entry.load(std::memory_order_relaxed);
    {
        TableChange change(core);
        entry.store(scope.target_stream.load(std::memory_order_relaxed), std::memory_order_release);
        leave_scope(core, depth);
    }
    if (!scope.device_was_set) core.device = nullptr;
    settle_if_zombie(dropped);
    return kOk;
}

Status wrong_scope(const CoreThread &core, uint64_t token) noexcept __attribute__((cold));
// token 0: any scope.
inline bool is_innermost(CoreThread &core, int32_t depth, uint64_t token) noexcept {
    return depth != 0 && (token == 0 || innermost_scope(core, depth).token == token);
}

// token 0: the innermost scope. SCOPE, with no effect, unless it is this thread's innermost.
[[gnu::always_inline]] inline Status pop_scope(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    const int32_t depth = core.depth.load(std::memory_order_relaxed);
    if (!is_innermost(core, depth, token)) return wrong_scope(core, token);
    return drop_innermost(thread, core, depth);
}
// Pops all scopes up to and including the token's. SCOPE when this thread has no such scope.
Status unwind_scopes(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;

// What the scope restores; false: this thread has no scope at that depth, from 1.
bool scope_at(const CoreThread &core, int32_t depth, const Scope **out) noexcept;
// Ends the innermost scope without restoring anything: what was set inside it stays. depth > 0.
void keep_innermost(CoreThread &core) noexcept;

} // namespace gs
