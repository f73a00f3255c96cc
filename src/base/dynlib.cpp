// SPDX-License-Identifier: Apache-2.0
#include "base/dynlib.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace gs {
namespace {

// The loader names the system call that was refused, but not the reason. musl's loader reports only the text of
// EPERM.
const char *advice_on(const char *reason) noexcept {
    const bool refused =
        reason && (std::strstr(reason, "failed to map segment") || std::strstr(reason, "Operation not permitted"));
    return refused ? "; its file system seems to be mounted noexec" : "";
}

#if !defined(__GLIBC__)
struct NamedLibrary {
    const char *name;
    const char *path = nullptr;
};

int compare_name(dl_phdr_info *info, size_t, void *opaque) {
    auto &wanted = *static_cast<NamedLibrary *>(opaque);
    const char *slash = info->dlpi_name ? std::strrchr(info->dlpi_name, '/') : nullptr;
    if (!slash || std::strcmp(slash + 1, wanted.name) != 0) return 0;
    wanted.path = info->dlpi_name;
    return 1;
}

// glibc finds each loaded library by its SONAME. musl finds a library that was loaded by a path by the same path alone. musl
// never unloads a library, so the path stays valid.
const char *path_of_loaded(const char *name) noexcept {
    NamedLibrary wanted{name};
    if (!std::strchr(name, '/')) dl_iterate_phdr(compare_name, &wanted);
    return wanted.path ? wanted.path : name;
}

int is_in_code(dl_phdr_info *info, size_t, void *opaque) {
    const auto address = reinterpret_cast<uintptr_t>(opaque);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        if (address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz) return 1;
    }
    return 0;
}
#endif

} // namespace

Status open_library(const char *path, void **out) noexcept {
    *out = nullptr;
    if (!check_object_file(path).ok()) {
        char reason[256]; // the new record would overwrite the text it is made from
        std::snprintf(reason, sizeof reason, "%s", pending_text());
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT, "cannot load '%s': %s", path, reason);
    }
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out) return kOk;
    const char *reason = dlerror();
    GS_TRY(check_resources_for(path));
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT, "cannot load '%s': %s%s", path,
                            reason ? reason : "no reason given by the loader", advice_on(reason));
}

void *loaded_library(const char *path) noexcept {
    // To compare the file with the loaded libraries, the loader opens it, and would block on a FIFO.
    if (!may_be_object_file(path)) return nullptr;
#if !defined(__GLIBC__)
    path = path_of_loaded(path);
#endif
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

void *find_symbol(void *library, const char *name) noexcept { return dlsym(library, name); }

void *find_symbol_anywhere(const char *name) noexcept { return dlsym(RTLD_DEFAULT, name); }

bool is_data(const void *symbol) noexcept {
#if defined(__GLIBC__)
    Dl_info info{};
    void *entry = nullptr;
    // The entry may describe a neighbour: functions chosen at load (IFUNC) need not be in the table themselves.
    if (dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 || !entry || info.dli_saddr != symbol) return false;
    const unsigned char type = ELF64_ST_TYPE(static_cast<const ElfW(Sym) *>(entry)->st_info); // the same in 32 bits
    return type == STT_OBJECT || type == STT_COMMON || type == STT_TLS;
#else
    // musl does not report the type of a symbol. A function lies in a segment of code.
    return dl_iterate_phdr(is_in_code, const_cast<void *>(symbol)) == 0;
#endif
}

void close_library(void *library) noexcept { dlclose(library); }

CodeAddress code_address(uintptr_t address) noexcept {
    CodeAddress found;
    Dl_info info{};
    if (dladdr(reinterpret_cast<void *>(address), &info) == 0) return found;
    found.file = info.dli_fname;
    found.base = reinterpret_cast<uintptr_t>(info.dli_fbase);
    found.file_offset = address - found.base;
    found.symbol = info.dli_sname;
    if (info.dli_sname) found.symbol_offset = address - reinterpret_cast<uintptr_t>(info.dli_saddr);
    return found;
}

CodeText describe_caller(uintptr_t return_address) noexcept {
    CodeText out;
    const CodeAddress place = code_address(return_address - 1);
    const char *slash = place.file ? std::strrchr(place.file, '/') : nullptr;
    const char *file = slash ? slash + 1 : place.file;
    if (!file)
        std::snprintf(out.text, sizeof out.text, "code at %#zx", static_cast<size_t>(return_address));
    else if (place.symbol)
        std::snprintf(out.text, sizeof out.text, "%s (%s+%#zx)", place.symbol, file,
                      static_cast<size_t>(place.file_offset));
    else
        std::snprintf(out.text, sizeof out.text, "%s+%#zx", file, static_cast<size_t>(place.file_offset));
    return out;
}

bool mapped_file(uintptr_t address, char *out, size_t capacity) noexcept {
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    if (!maps) return false;
    char line[PATH_MAX + 100];
    bool found = false;
    while (!found && std::fgets(line, sizeof line, maps)) {
        unsigned long begin = 0, end = 0;
        const char *path = std::strchr(line, '/');
        if (!path || std::sscanf(line, "%lx-%lx", &begin, &end) != 2 || address < begin || address >= end) continue;
        const size_t length = std::strcspn(path, "\n");
        if (length >= capacity) break;
        std::memcpy(out, path, length);
        out[length] = '\0';
        found = true;
    }
    std::fclose(maps);
    return found;
}

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
