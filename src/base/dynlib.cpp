// SPDX-License-Identifier: Apache-2.0
#include "base/dynlib.hpp"

#include <dlfcn.h>
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

bool lies_in(void *library, const void *symbol) noexcept {
    link_map *wanted = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &wanted) != 0) return true; // one-sided: the handle is dlopen's
#if defined(__GLIBC__)
    Dl_info info{};
    void *found = nullptr;
    return dladdr1(symbol, &info, &found, RTLD_DL_LINKMAP) != 0 && found == wanted;
#else
    return code_address(reinterpret_cast<uintptr_t>(symbol)).base == wanted->l_addr;
#endif
}

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

} // namespace gs
