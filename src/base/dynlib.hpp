// SPDX-License-Identifier: Apache-2.0
// The only user of <dlfcn.h>. Libraries stay open. close_library is only for shared objects of kernels, which the user
// can unload, and for what loaded_library found.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/status.hpp"

namespace gs {

// Opens with RTLD_NOW | RTLD_LOCAL. On failure *out is nullptr and the loader's text is in the pending record:
// UNAVAILABLE (reason NO_LIBRARY), or SYSTEM or OUT_OF_MEMORY when the process lacks a resource that loading needs.
Status open_library(const char *path, void **out) noexcept;
// Returns nullptr unless the process has loaded the library already.
void *loaded_library(const char *path) noexcept;
void *find_symbol(void *library, const char *name) noexcept; // nullptr when absent
// In any library that the whole process sees; `library` need not be one of these.
void *find_symbol_anywhere(const char *name) noexcept;
// The same, of the type of *out, which is nullptr when absent.
template <typename Pointer>
bool find_symbol_anywhere(Pointer *out, const char *name) noexcept {
    void *found = find_symbol_anywhere(name);
    std::memcpy(out, &found, sizeof found);
    return found != nullptr;
}
// False: the address that find_symbol returned lies in a library that this one needs.
bool lies_in(void *library, const void *symbol) noexcept;
// Whether the address that find_symbol returned belongs to a variable. False when the loader does not know.
bool is_data(const void *symbol) noexcept;
void close_library(void *library) noexcept;

// Where an address of code lies. Members that the loader does not know are null and 0.
struct CodeAddress {
    const char *file = nullptr; // the loader's; lives as long as the file is mapped
    const char *symbol = nullptr;
    uintptr_t base = 0;
    uintptr_t file_offset = 0, symbol_offset = 0;
};
CodeAddress code_address(uintptr_t address) noexcept;
// "main (train+0x11c4)", for people and addr2line.
struct CodeText {
    char text[160];
};
CodeText describe_caller(uintptr_t return_address) noexcept;
// The address to which the function that contains this returns.
#define GS_CALLED_FROM() reinterpret_cast<uintptr_t>(__builtin_return_address(0))
// The path of the file that is mapped there, as the kernel has it: whole, and with all links resolved. False: nothing is mapped there, or `out` is too small.
bool mapped_file(uintptr_t address, char *out, size_t capacity) noexcept;

// Notes in the library's file which libraries it opens while it runs. Packaging tools read these notes, since they
// see only what is linked (ELF package metadata of the UAPI group, "ELF dlopen metadata").

// An aggregate: GCC puts objects that have constructors into writable sections.
template <unsigned Size>
struct DlopenNote {
    Elf64_Nhdr header;
    char owner[4];
    char json[(Size + 3) / 4 * 4];
};

} // namespace gs

#define GS_DLOPEN_JSON(feature, description, soname)                                                                   \
    "[{\"feature\":\"" feature "\",\"description\":\"" description                                                     \
    "\",\"priority\":\"recommended\",\"soname\":[\"" soname "\"]}]"

// At file scope: GS_DLOPEN_NOTE(name, feature, description, soname), all but the name as literals. Without the named
// library the feature is missing, and all else works.
#define GS_DLOPEN_NOTE(name, feature, description, soname)                                                             \
    __attribute__((section(".note.dlopen"), used, aligned(4)))                                                         \
    const ::gs::DlopenNote<sizeof(GS_DLOPEN_JSON(feature, description, soname))>                                       \
        name = {{4, sizeof(GS_DLOPEN_JSON(feature, description, soname)), 0x407c0c0a},                                 \
                "FDO",                                                                                                 \
                GS_DLOPEN_JSON(feature, description, soname)}

namespace gs {

// The system's loader trusts a shared object: it blocks on a FIFO, and a truncated file causes SIGBUS. Files are
// therefore checked first, and a bad file is distinguished from a lack of resources. This is no defence against
// malicious objects, or objects that change between the check and the load.

// INVALID_ARGUMENT where the bytes are a cut-off shared object. OK for bytes of another kind: the loader says why it
// refuses them.
Status check_object_in_memory(const void *image, size_t bytes) noexcept;
// The same for a file. INVALID_ARGUMENT also for a directory, a FIFO or a device. OK where no file of this name can
// be opened: the loader searches its folders, and says why it fails.
Status check_object_file(const char *path) noexcept;
// False for directories, FIFOs and devices. The file is not opened.
bool may_be_object_file(const char *path) noexcept;
// Called after the loader refused the file. SYSTEM where file descriptors are used up, OUT_OF_MEMORY where the address
// space has no room for the object, OK where another cause explains the refusal.
Status check_resources_for(const char *path) noexcept;

} // namespace gs
