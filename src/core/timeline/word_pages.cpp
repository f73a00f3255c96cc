// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/word_pages.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/lock.hpp"

namespace gs {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kWordStride = 64;

struct WordPage {
    char *host = nullptr;
    char *address = nullptr;
    size_t left = 0; // bytes at its end
};

Mutex g_pages_mutex;
WordPage g_word_pages[kMaxDevices] GS_GUARDED_BY(g_pages_mutex); // the newest of each device
// Mapped, but a driver failed to register it and may have done so nevertheless: it must not be unmapped.
char *g_unregistered[kMaxDevices] GS_GUARDED_BY(g_pages_mutex) = {};

bool take_from(WordPage &page, Word *out) noexcept {
    if (page.left == 0) return false;
    const size_t used = kPageBytes - page.left;
    *out = {reinterpret_cast<uint64_t *>(page.host + used), page.address + used};
    page.left -= kWordStride;
    return true;
}

Status map_page(Device &device, char **out) noexcept {
    {
        MutexLock lock(g_pages_mutex);
        *out = g_unregistered[device.index];
        g_unregistered[device.index] = nullptr;
    }
    if (*out) return kOk;
    // Shared: after a fork the parent's stores still go to the memory that the device knows.
    void *memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the words of timelines: %s", strerror(errno));
    *out = static_cast<char *>(memory);
    return kOk;
}

} // namespace

Status take_word(Device &device, Word *out) noexcept {
    {
        MutexLock lock(g_pages_mutex);
        if (take_from(g_word_pages[device.index], out)) return kOk;
    }
    char *host = nullptr;
    GS_TRY(map_page(device, &host));
    void *address = nullptr;
    const Status status = device.backend->register_words(device.ordinal, host, kPageBytes, &address);
    MutexLock lock(g_pages_mutex);
    if (!status.ok()) {
        // Two threads may fail at once; then one page stays mapped, which the driver may know as well.
        g_unregistered[device.index] = host;
        return status;
    }
    // Another thread may have added one: the words that are left in it are not used.
    WordPage &page = g_word_pages[device.index];
    page = {host, static_cast<char *>(address), kPageBytes};
    take_from(page, out);
    return kOk;
}

} // namespace gs
