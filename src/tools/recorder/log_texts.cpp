// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_notes.hpp"
#include "tools/tool_locks.hpp"

#include <atomic>
#include <cstring>
#include <new>

namespace gs::recorder {
namespace {

constexpr uint32_t kMostTexts = 4096; // the first one is for all that have no number of their own
constexpr uint32_t kBuckets = 2 * kMostTexts;

struct KeptText {
    char given[kNameBytes]; // without a NUL if there are more bytes, which do not tell texts apart
    char text[kNameBytes];
};

std::atomic<KeptText *> g_kept_texts[kMostTexts];
std::atomic<uint32_t> g_text_buckets[kBuckets]; // open addressing; 0: free
uint32_t g_text_count GS_GUARDED_BY(g_texts_mutex) = 1;

uint64_t hash_of_text(const char *text) noexcept {
    uint64_t hash = 0xCBF29CE484222325;
    for (size_t i = 0; i < kNameBytes && text[i] != '\0'; ++i)
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001B3;
    return hash ^ hash >> 32;
}

bool is_kept(const KeptText &kept, const char *text) noexcept {
    return std::strncmp(kept.given, text, kNameBytes) == 0;
}

// 0: none. Ends: there are twice as many buckets as texts.
uint32_t find_text(const char *text, uint64_t hash, uint32_t *out_bucket) noexcept {
    for (auto bucket = static_cast<uint32_t>(hash % kBuckets);; bucket = (bucket + 1) % kBuckets) {
        *out_bucket = bucket;
        // Both as model first_record_is_seen_whole.
        const uint32_t number = g_text_buckets[bucket].load(std::memory_order_acquire);
        if (number == 0) return 0;
        if (is_kept(*g_kept_texts[number].load(std::memory_order_acquire), text)) return number;
    }
}

} // namespace

uint32_t log_text(const char *text) noexcept {
    const uint64_t hash = hash_of_text(text);
    uint32_t bucket = 0;
    if (const uint32_t number = find_text(text, hash, &bucket)) return number;
    guard_tool_locks();
    MutexLock lock(g_texts_mutex);
    if (const uint32_t number = find_text(text, hash, &bucket)) return number;
    if (g_text_count == kMostTexts) return 0;
    auto *kept = new (std::nothrow) KeptText();
    if (!kept) return 0;
    std::memcpy(kept->given, text, strnlen(text, kNameBytes));
    make_printable_name(text, kept->text);
    const uint32_t number = g_text_count++;
    // Readers come from the bucket, or with a number that they have from an entry of the log: in both cases plain memory is
    // published as in model first_record_is_seen_whole.
    g_kept_texts[number].store(kept, std::memory_order_release);
    g_text_buckets[bucket].store(number, std::memory_order_release);
    return number;
}

const char *text_with_number(uint32_t number) noexcept {
    // As model first_record_is_seen_whole.
    const KeptText *kept = number < kMostTexts ? g_kept_texts[number].load(std::memory_order_acquire) : nullptr;
    return kept ? kept->text : "...";
}

} // namespace gs::recorder
