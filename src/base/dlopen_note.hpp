// SPDX-License-Identifier: Apache-2.0
// Says in the library's file what it opens while it runs: packaging tools read these notes, where they cannot see a
// dependency (ELF package metadata of the UAPI group, "ELF dlopen metadata").
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

// At file scope: GS_DLOPEN_NOTE(name, feature, description, soname), all but the name as literals. A missing library
// takes the feature away, and nothing else.
#define GS_DLOPEN_NOTE(name, feature, description, soname)                                                             \
    __attribute__((section(".note.dlopen"), used, aligned(4)))                                                         \
    const ::gs::DlopenNote<sizeof(GS_DLOPEN_JSON(feature, description, soname))>                                       \
        name = {{4, sizeof(GS_DLOPEN_JSON(feature, description, soname)), 0x407c0c0a},                                 \
                "FDO",                                                                                                 \
                GS_DLOPEN_JSON(feature, description, soname)}
