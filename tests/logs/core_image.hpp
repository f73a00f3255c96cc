// SPDX-License-Identifier: Apache-2.0
// Writes the core file of a process as debuggers do: its writable private memory, by /proc.
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace gs::check::test {

struct MappedMemory {
    unsigned long begin = 0, end = 0;
};

inline constexpr Elf64_Phdr kEmpty{};

// What the kernel's own core files have by default, too.
inline std::vector<MappedMemory> writable_memory(pid_t process) {
    std::vector<MappedMemory> all;
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        MappedMemory one;
        char rights[5] = {};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &one.begin, &one.end, rights) != 3) continue;
        if (one.end - one.begin > (1ul << 30)) continue; // a sanitizer's
        if (rights[0] == 'r' && rights[1] == 'w' && rights[3] == 'p') all.push_back(one);
    }
    return all;
}

// False: the memory cannot be read. many: the memory comes after more pieces than the header's field can count, as in very large
// processes.
inline bool write_core(pid_t process, const std::string &path, bool many = false) {
    const std::vector<MappedMemory> memory = writable_memory(process);
    const size_t empty = many ? PN_XNUM : 0, pieces = empty + memory.size();
    const int from = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    std::ofstream out(path, std::ios::binary);
    if (from < 0 || memory.empty()) return false;
    Elf64_Ehdr header{};
    const unsigned char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    for (size_t i = 0; i < sizeof ident; ++i) header.e_ident[i] = ident[i];
    header.e_type = ET_CORE;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phoff = sizeof header + (many ? sizeof(Elf64_Shdr) : 0);
    header.e_phnum = many ? PN_XNUM : static_cast<Elf64_Half>(memory.size());
    header.e_shoff = many ? sizeof header : 0;
    out.write(reinterpret_cast<const char *>(&header), sizeof header);
    Elf64_Shdr first{};
    first.sh_info = static_cast<Elf64_Word>(pieces);
    if (many) out.write(reinterpret_cast<const char *>(&first), sizeof first);
    size_t at = header.e_phoff + pieces * sizeof(Elf64_Phdr);
    for (size_t i = 0; i < empty; ++i) out.write(reinterpret_cast<const char *>(&kEmpty), sizeof kEmpty);
    for (const MappedMemory &one : memory) {
        Elf64_Phdr part{};
        part.p_type = PT_LOAD;
        part.p_vaddr = one.begin;
        part.p_offset = at;
        part.p_filesz = part.p_memsz = one.end - one.begin;
        at += part.p_filesz;
        out.write(reinterpret_cast<const char *>(&part), sizeof part);
    }
    std::vector<char> page(65536);
    for (const MappedMemory &one : memory)
        for (unsigned long address = one.begin; address < one.end; address += page.size()) {
            const size_t wanted = std::min<size_t>(page.size(), one.end - address);
            const ssize_t got = pread(from, page.data(), wanted, static_cast<off_t>(address));
            if (got < static_cast<ssize_t>(wanted))
                std::fill(page.begin() + std::max<ssize_t>(got, 0), page.end(), '\0');
            out.write(page.data(), static_cast<std::streamsize>(wanted));
        }
    close(from);
    return out.good();
}

} // namespace gs::check::test
