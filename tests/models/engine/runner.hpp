// SPDX-License-Identifier: Apache-2.0
// What the hooks (hooks.cpp) need of the run in progress.
#pragma once

#include <cstdint>

#include "models/engine/memory.hpp"

namespace gs::models {

enum class Kind { Start, Read, Write, Update, Fence, FenceAll, Lock, Unlock, Yield };

// The next access of a thread. Its turn decides when it happens.
struct Access {
    Kind kind = Kind::Start;
    uintptr_t object = 0;
    bool strict = false; // sequentially consistent
};

// Nothing is modelled while no model runs, and outside of its threads.
bool in_model() noexcept;
int current() noexcept; // the thread, in a model
// True: the object is known to be shared; the access must go through memory(), after its turn. False: it is not, and the
// access goes to the real memory at once.
bool is_shared(uintptr_t object, bool writes) noexcept;
void await_turn(const Access &access) noexcept;
Memory &memory() noexcept;
// The order that the access has: as it is written, or weakened.
int order_of(int order, const void *code) noexcept;
void note_site(const char *doing, int order, const void *code); // order: as it is written
void trace(const char *doing, uintptr_t object, uint64_t value, int order, const void *code);
void fail_run(const std::string &why) noexcept;

} // namespace gs::models
