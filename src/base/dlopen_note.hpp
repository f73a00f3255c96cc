// SPDX-License-Identifier: Apache-2.0
// Notes in the library's file which libraries it opens while it runs. Packaging tools read these notes, since they
// see only what is linked (ELF package metadata of the UAPI group, "ELF dlopen metadata").
#pragma once

#include <elf.h>

namespace gs {

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
