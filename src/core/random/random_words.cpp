// SPDX-License-Identifier: Apache-2.0
#include "core/random/random_words.hpp"

#include <new>
#include <utility>

#include "base/log.hpp"
#include "core/event/event_calls.hpp"

namespace gs {
namespace {

Mutex g_random_state_mutex; // of those who set a state

} // namespace

RandomGenerator g_random_generators[kMaxDevices];

// The stores of seed and offset release the odd version: a reservation that reads one of them sees that the version has changed.
void set_random_state(const Device &device, RandomState state) noexcept {
    RandomGenerator &generator = g_random_generators[device.index];
    MutexLock lock(g_random_state_mutex);
    const uint32_t version = generator.version.load(std::memory_order_relaxed);
    generator.version.store(version + 1, std::memory_order_release);
    generator.seed.store(state.seed, std::memory_order_release);
    generator.offset.store(state.offset, std::memory_order_release);
    generator.version.store(version + 2, std::memory_order_release);
}

RandomState random_state(const Device &device) noexcept { return reserve_random(device, 0); }

namespace {

struct alignas(64) DeviceWords {
    Mutex mutex; // of launches with random numbers on the device
    RandomWords *spare = nullptr;
};
DeviceWords g_random_words[kMaxDevices]; // by Device::index

// Writes a word, in halves where streams of the device cannot write 64 bits.
Status write_word(ThreadBlock &thread, StreamSlot &stream, char *address, uint64_t value) noexcept {
    Backend &backend = *stream.backend;
    bool wide = false;
    GS_TRY(backend.has_wide_values(stream.ordinal, &wide));
    if (wide) return backend.write_value(thread, stream.ref(), address, value, 0);
    GS_TRY(backend.write_value(thread, stream.ref(), address, value & UINT32_MAX, GS_VALUE_32));
    return backend.write_value(thread, stream.ref(), address + 4, value >> 32, GS_VALUE_32);
}

} // namespace

Mutex &RandomWords::lock_of(const Device &device) noexcept { return g_random_words[device.index].mutex; }

RandomWords *RandomWords::take_spare(const Device &device) noexcept {
    DeviceWords &all = g_random_words[device.index];
    MutexLock lock(all.mutex);
    RandomWords **place = &all.spare;
    while (*place && (*place)->unordered_) place = &(*place)->next_; // a new graph's streams could not use these
    RandomWords *words = *place;
    if (words) *place = words->next_;
    return words;
}

Status RandomWords::take(Device &device, RandomWords **out) noexcept {
    RandomWords *words = take_spare(device);
    if (words) {
        words->holders_.restart();
        words->total_.store(0, std::memory_order_relaxed);
        *out = words;
        return kOk;
    }
    words = new (std::nothrow) RandomWords(device);
    if (!words) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the random state of a graph");
    const Status status = take_word(device, &words->word_); // last: it cannot be given back
    if (!status.ok()) return delete words, status;
    *out = words;
    return kOk;
}

void RandomWords::let_go_later() noexcept {
    if (!holders_.release()) return;
    DeviceWords &all = g_random_words[device_.index];
    MutexLock lock(all.mutex);
    next_ = all.spare;
    all.spare = this;
}

Status RandomWords::write_for(ThreadBlock &thread, StreamSlot &stream) noexcept {
    if (event_ == 0) GS_TRY(take_native_event(device_, 0, &event_));
    const bool in_order = stream.uid != kUnknownStream && stream.uid == last_uid_;
    if (unordered_ && !in_order)
        return fail_native(
            GS_ERROR_DRIVER, {stream.backend->kind(), failed_record_, ""},
            "recording an earlier launch of the graph in another stream failed (error %d), and this one could "
            "overwrite its random numbers: launch the graph there again, or capture it again",
            failed_record_);
    if (recorded_ && !in_order) GS_TRY(stream.backend->stream_wait_event(thread, stream.ref(), event_, false));
    const RandomState begin = reserve_random(device_, total_.load(std::memory_order_relaxed));
    char *const address = static_cast<char *>(word_.address);
    GS_TRY(write_word(thread, stream, address, begin.seed));
    return write_word(thread, stream, address + sizeof begin.seed, begin.offset);
}

Status RandomWords::read_by(ThreadBlock &thread, StreamSlot &stream) noexcept {
    if (event_ == 0) return kOk;
    last_uid_ = stream.uid;
    const Status status = stream.backend->event_record(thread, event_, stream.ref(), false);
    unordered_ = !status.ok();
    if (status.ok())
        recorded_ = true;
    else
        failed_record_ = thread.pending.native_code;
    return status;
}

void RandomWords::trim(ThreadBlock &thread) noexcept {
    for (DeviceWords &all : g_random_words) {
        LaterMessages later;
        MutexLock lock(all.mutex); // held during queries: launches wait, which gs_trim() may make them do
        for (RandomWords *words = all.spare; words; words = words->next_) {
            if (words->event_ == 0) continue;
            Device &device = words->device_;
            bool done = !words->recorded_;
            if (!done && !device.backend->event_query(thread, device.ordinal, words->event_, &done).ok()) continue;
            if (!done) continue;
            give_native_event(device, 0, std::exchange(words->event_, 0));
            words->recorded_ = false;
        }
    }
}

} // namespace gs
