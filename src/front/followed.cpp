// SPDX-License-Identifier: Apache-2.0
#include "front/delays.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "front/copied_memory.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/learnt_uses.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

struct Followed {
    bool open = false;
    uint64_t stream = 0;             // the driver's
    std::vector<uint64_t> addresses; // that the call was given
    std::set<uint64_t> behind;       // streams whose work comes after it
    std::set<uint64_t> events;       // that such streams have recorded
    int best = -1;                   // of what has overtaken it so far
};

Followed *g_followed GS_GUARDED_BY(g_followed_mutex) = nullptr;

uint64_t allocation_of(uint64_t address) noexcept {
    CUdeviceptr base = 0;
    return g_real.get_range && g_real.get_range(&base, nullptr, address) == CUDA_SUCCESS ? base : 0;
}

int match_of(const std::vector<uint64_t> &one, const std::vector<uint64_t> &other) noexcept {
    int best = 0;
    for (const uint64_t a : one)
        for (const uint64_t b : other) {
            if (a == b) return 2;
            const uint64_t base = allocation_of(a);
            if (base != 0 && base == allocation_of(b)) best = 1;
        }
    return best;
}

bool is_blocking(uint64_t stream) noexcept {
    unsigned flags = 0;
    return stream > 2 && g_real.get_stream_flags &&
           g_real.get_stream_flags(reinterpret_cast<CUstream>(stream), &flags) == CUDA_SUCCESS &&
           (flags & CU_STREAM_NON_BLOCKING) == 0;
}

// The legacy stream waits for blocking ones and they for it.
bool comes_behind(const Followed &followed, uint64_t stream) noexcept {
    if (followed.behind.count(stream) != 0) return true;
    if (stream == 1)
        return std::any_of(followed.behind.begin(), followed.behind.end(),
                           [](uint64_t one) { return is_blocking(one); });
    return followed.behind.count(1) != 0 && (stream == 2 || is_blocking(stream));
}

bool overtakes(DriverCall kind) noexcept { return is_work(kind) || kind == DriverCall::Free; }

// A thread has seen that the late call is done.
bool ends(const Followed &followed, const Call &call, uint64_t stream) noexcept {
    switch (call.row->kind) {
    case DriverCall::SyncContext:
    case DriverCall::FreeNow: return true;
    case DriverCall::SyncStream:
    case DriverCall::QueryStream: return followed.behind.count(stream) != 0;
    case DriverCall::SyncEvent:
    case DriverCall::QueryEvent: return followed.events.count(call.object) != 0;
    default: return false;
    }
}

void look(Followed &followed, const Call &call, uint64_t number) {
    const uint64_t stream = driver_stream(call);
    const bool is_ordered = comes_behind(followed, stream);
    const DriverCall kind = call.row->kind;
    if (ends(followed, call, stream)) {
        followed.open = false;
        return;
    }
    if (kind == DriverCall::Record) {
        if (is_ordered)
            followed.events.insert(call.object);
        else
            followed.events.erase(call.object);
    }
    if (kind == DriverCall::Wait && followed.events.count(call.object) != 0) followed.behind.insert(stream);
    if (overtakes(kind) && is_ordered) followed.behind.insert(stream);
    if (!overtakes(kind) || is_ordered) return;
    const int match = match_of(followed.addresses, addresses_of(call));
    if (match <= followed.best) return;
    followed.best = match;
    tell("ahead %d %llu %s|%s", match, static_cast<unsigned long long>(number), call.row->symbol,
         callers_text().c_str());
}

void begin(const Call &call, const CallName &name, uint64_t stream) {
    using U = unsigned long long;
    tell("late %llu %llu %llu %llu %s|%s", U{name.process}, U{name.thread}, U{name.call}, U{stream}, call.row->symbol,
         callers_text().c_str());
    MutexLock lock(g_followed_mutex);
    delete g_followed;
    g_followed = new Followed{true, driver_stream(call), addresses_of(call), {driver_stream(call)}, {}, -1};
}

} // namespace

// A parameter may be a plain number, which rarely matches another call's.
std::vector<uint64_t> addresses_of(const Call &call) {
    std::vector<uint64_t> found;
    if (call.row->kind == DriverCall::Kernel)
        for (const KernelWord &word : words_of(call)) found.push_back(word.value);
    else if (call.arguments)
        for (const Transfer &transfer : transfers_of(call))
            found.insert(found.end(), {transfer.from.address, transfer.to.address});
    else
        found = {call.object, call.other};
    found.erase(std::remove_if(found.begin(), found.end(), [](uint64_t one) { return one < 4096; }), found.end());
    return found;
}

void follow(const Call &call, const CallName &name, uint64_t stream) noexcept {
    try {
        begin(call, name, stream);
    } catch (const std::bad_alloc &) {
        tell("late 0 0 0 0 |no memory to follow it");
    }
}

void saw_followed(const Call &call) noexcept {
    if (call.result != CUDA_SUCCESS) return;
    try {
        const uint64_t number = overtakes(call.row->kind) ? number_of_stream(call) : 0;
        MutexLock lock(g_followed_mutex);
        if (g_followed && g_followed->open) look(*g_followed, call, number);
    } catch (const std::bad_alloc &) {
        tell("ahead 0 0 |no memory to follow it");
    }
}

} // namespace gs::front
