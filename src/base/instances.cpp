// SPDX-License-Identifier: Apache-2.0
#include "base/instances.hpp"

#include <elf.h>
#include <link.h>

namespace gs {
namespace {

// Every copy of the library carries this ELF note. Copies are recognised by its owner name.
struct Note {
    ElfW(Nhdr) header;
    char owner[12];
    uint32_t abi;
};
__attribute__((section(".note.gpustream"), used, aligned(4)))
const Note kNote = {{10, sizeof(uint32_t), 1}, "gpustream", 1};

bool is_our_name(const char *name) noexcept __attribute__((no_sanitize_address));
bool has_our_note(const char *notes, size_t size) noexcept __attribute__((no_sanitize_address));

// By hand, since AddressSanitizer checks every memcmp().
bool is_our_name(const char *name) noexcept {
    for (size_t i = 0; i < sizeof "gpustream"; ++i)
        if (name[i] != "gpustream"[i]) return false;
    return true;
}

// A whole segment, with the bytes between its notes: clang's AddressSanitizer puts red zones there.
bool has_our_note(const char *notes, size_t size) noexcept {
    size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= size) {
        const auto &header =
            *reinterpret_cast<const ElfW(Nhdr) *>(notes + at); // aligned to four bytes, as all its fields
        const size_t name = at + sizeof header;
        if (header.n_namesz == 10 && name + 10 <= size && is_our_name(notes + name)) return true;
        at = name + ((header.n_namesz + 3u) & ~size_t{3}) + ((header.n_descsz + 3u) & ~size_t{3});
    }
    return false;
}

int count_one(dl_phdr_info *info, size_t, void *opaque) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &header = info->dlpi_phdr[i];
        if (header.p_type != PT_NOTE) continue;
        if (!has_our_note(reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr), header.p_memsz)) continue;
        ++*static_cast<int32_t *>(opaque);
        return 0;
    }
    return 0;
}

} // namespace

int32_t count_instances() noexcept {
    int32_t count = 0;
    dl_iterate_phdr(count_one, &count);
    return count;
}

const char *advice_about_instances() noexcept {
    if (count_instances() <= 1) return "";
    return "; this process has loaded several copies of libgpustream.so, each with handles of its own: let all its "
           "parts use one (gs_instance_count)";
}

} // namespace gs
