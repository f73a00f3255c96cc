// SPDX-License-Identifier: Apache-2.0
#include "fuzz/strange_files.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

std::string g_folder;

void write_file(const char *name, const void *bytes, size_t size) {
    std::ofstream file(g_folder + name, std::ios::binary);
    file.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size));
}

// The beginning of a shared object that says it is longer.
void write_cut_object(const char *name) {
    unsigned char bytes[sizeof(ElfW(Ehdr)) + sizeof(ElfW(Phdr))] = {};
    ElfW(Ehdr) header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(ElfW(Phdr));
    header.e_phnum = 1;
    ElfW(Phdr) segment{};
    segment.p_type = PT_LOAD;
    segment.p_filesz = segment.p_memsz = 1 << 20;
    std::memcpy(bytes, &header, sizeof header);
    std::memcpy(bytes + sizeof header, &segment, sizeof segment);
    write_file(name, bytes, sizeof bytes);
}

void remove_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(g_folder, ignored);
}

} // namespace

void make_strange_files() {
    g_folder = std::filesystem::temp_directory_path() / "gpustream-fuzz-XXXXXX";
    FUZZ_REQUIRE(mkdtemp(g_folder.data()), g_folder);
    std::atexit(remove_folder);
    FUZZ_REQUIRE(mkfifo((g_folder + "/0").c_str(), 0600) == 0, g_folder);
    write_cut_object("/1");
    write_file("/2", "", 0);
    write_file("/3", "no library", 10);
    FUZZ_REQUIRE(symlink("4", (g_folder + "/4").c_str()) == 0, g_folder);
    FUZZ_REQUIRE(mkdir((g_folder + "/5").c_str(), 0700) == 0, g_folder);
    write_file("/6", "not readable", 12);
    FUZZ_REQUIRE(chmod((g_folder + "/6").c_str(), 0) == 0, g_folder);
}

std::string strange_path(const std::string &text) {
    return text.size() == 2 && text[0] == '@' ? g_folder + "/" + text[1] : text;
}

} // namespace gs::fuzz
