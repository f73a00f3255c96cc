// SPDX-License-Identifier: Apache-2.0
// The kernels of a cubin: for each there is a section ".text.NAME", and one ".nv.info.NAME" with its parameters.
#include <elf.h>

#include <cstring>

#include "simulated/kernel_image.hpp"

namespace gs::simulated {
namespace {

// A parameter as the section has it: 12 bytes behind the head of this attribute.
constexpr unsigned char kWithBytes = 0x04, kParameter = 0x17;

std::vector<size_t> parameters_in(const unsigned char *section, size_t bytes) {
    std::vector<size_t> found;
    for (size_t at = 0; at + 4 <= bytes;) {
        uint16_t length = 0;
        std::memcpy(&length, section + at + 2, sizeof length);
        const bool has_bytes = section[at] == kWithBytes;
        if (has_bytes && section[at + 1] == kParameter && at + 16 <= bytes) {
            uint16_t ordinal = 0;
            uint32_t flags = 0;
            std::memcpy(&ordinal, section + at + 8, sizeof ordinal);
            std::memcpy(&flags, section + at + 12, sizeof flags);
            if (found.size() <= ordinal) found.resize(ordinal + size_t{1});
            found[ordinal] = flags >> 18;
        }
        at += 4 + (has_bytes ? length : 0u);
    }
    return found;
}

} // namespace

std::vector<KernelEntry> read_cubin(const unsigned char *file) {
    std::vector<KernelEntry> entries;
    Elf64_Ehdr header;
    std::memcpy(&header, file, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64) return entries;
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    for (size_t i = 0; i < sections.size(); ++i)
        std::memcpy(&sections[i], file + header.e_shoff + i * header.e_shentsize, sizeof sections[i]);
    if (header.e_shstrndx >= sections.size()) return entries;
    const char *names = reinterpret_cast<const char *>(file) + sections[header.e_shstrndx].sh_offset;
    const std::string text = ".text.", info = ".nv.info.";
    std::map<std::string, std::vector<size_t>> parameters;
    for (const Elf64_Shdr &section : sections) {
        const std::string name = names + section.sh_name;
        if (name.starts_with(info))
            parameters[name.substr(info.size())] = parameters_in(file + section.sh_offset, section.sh_size);
    }
    for (const Elf64_Shdr &section : sections) {
        const std::string name = names + section.sh_name;
        if (name.starts_with(text)) entries.push_back({name.substr(text.size()), parameters[name.substr(text.size())]});
    }
    return entries;
}

} // namespace gs::simulated
