// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: what a stream waits for in a word of memory, and what it writes there.
#pragma once

#include <cstdint>

namespace gs::host {

enum class WordTest : uint8_t { Geq, Eq, And, Nor };

struct WordWait {
    const void *address;
    uint64_t value;
    WordTest test;
    uint8_t bytes; // 4 or 8
};

struct WordWrite {
    void *address;
    uint64_t value;
    uint8_t bytes;
};

// Sequentially consistent, as is write_word(): see WordWaits.
inline bool is_met(const WordWait &wait) noexcept {
    const bool wide = wait.bytes == 8;
    const uint64_t word = wide ? __atomic_load_n(static_cast<const uint64_t *>(wait.address), __ATOMIC_SEQ_CST)
                               : __atomic_load_n(static_cast<const uint32_t *>(wait.address), __ATOMIC_SEQ_CST);
    switch (wait.test) {
    case WordTest::Geq:
        return wide ? static_cast<int64_t>(word - wait.value) >= 0 : static_cast<int32_t>(word - wait.value) >= 0;
    case WordTest::Eq: return word == wait.value;
    case WordTest::And: return (word & wait.value) != 0;
    case WordTest::Nor: break;
    }
    return (wide ? ~(word | wait.value) : ~static_cast<uint32_t>(word | wait.value)) != 0;
}

inline void write_word(const WordWrite &write) noexcept {
    if (write.bytes == 8)
        __atomic_store_n(static_cast<uint64_t *>(write.address), write.value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(static_cast<uint32_t *>(write.address), static_cast<uint32_t>(write.value), __ATOMIC_SEQ_CST);
}

} // namespace gs::host
