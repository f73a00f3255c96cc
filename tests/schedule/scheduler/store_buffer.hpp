// SPDX-License-Identifier: Apache-2.0
// The store buffer of a processor with total store order (x86). Stores wait in it, in their order, until the thread
// fences, executes a locked instruction, or the scheduler lets them go. The thread itself reads through it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs::schedule {

class StoreBuffer {
public:
    bool empty() const noexcept { return count_ == 0; }
    // The thread has read shared memory since the oldest of its stores here.
    bool read_past() const noexcept { return count_ != 0 && read_past_; }
    void note_read() noexcept { read_past_ = count_ != 0; }
    bool holds(uintptr_t address, size_t size) const noexcept {
        for (int i = 0; i < count_; ++i)
            if (entries_[i].address < address + size && address < entries_[i].address + entries_[i].size) return true;
        return false;
    }
    // The newest store to this address, if any.
    bool read(uintptr_t address, uint64_t *out) const noexcept {
        for (int i = count_; i-- > 0;) {
            if (entries_[i].address != address) continue;
            *out = entries_[i].value;
            return true;
        }
        return false;
    }
    void push(uintptr_t address, size_t size, uint64_t value) noexcept {
        if (count_ == kMost) drain();
        entries_[count_++] = {address, value, size};
    }
    void drain() noexcept {
        for (int i = 0; i < count_; ++i) write(entries_[i]);
        count_ = 0;
        read_past_ = false;
    }

private:
    struct Entry {
        uintptr_t address;
        uint64_t value;
        size_t size;
    };
    static void write(const Entry &entry) noexcept {
        switch (entry.size) {
        case 1: return store<uint8_t>(entry);
        case 2: return store<uint16_t>(entry);
        case 4: return store<uint32_t>(entry);
        default: return store<uint64_t>(entry);
        }
    }
    template <typename T>
    static void store(const Entry &entry) noexcept {
        __atomic_store_n(reinterpret_cast<T *>(entry.address), static_cast<T>(entry.value), __ATOMIC_SEQ_CST);
    }

    static constexpr int kMost = 64;
    Entry entries_[kMost];
    int count_ = 0;
    bool read_past_ = false;
};

} // namespace gs::schedule
