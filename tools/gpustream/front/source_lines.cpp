// SPDX-License-Identifier: Apache-2.0
#include "front/source_lines.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

namespace command {
namespace {

struct Frame {
    size_t at, end; // in the text
    std::string file, symbol;
    uint64_t offset;

    std::string plain() const {
        const std::string place = "(" + file.substr(file.rfind('/') + 1) + hex(offset) + ")";
        return symbol.empty() ? place : symbol + " " + place;
    }
    static std::string hex(uint64_t number) {
        char text[24];
        std::snprintf(text, sizeof text, "+%#llx", static_cast<unsigned long long>(number));
        return text;
    }
};

std::vector<Frame> frames_in(const std::string &text) {
    std::vector<Frame> found;
    for (size_t at = text.find("(/"); at != std::string::npos; at = text.find("(/", at + 1)) {
        const size_t close = text.find(')', at), plus = text.rfind("+0x", close);
        if (close == std::string::npos || plus == std::string::npos || plus < at) continue;
        const size_t end = std::min({text.find(", from ", close), text.find('\n', close), text.size()});
        const std::string symbol = text.substr(close + 1, end - close - 1);
        found.push_back({at, end, text.substr(at + 1, plus - at - 1), symbol.substr(symbol.empty() ? 0 : 1),
                         std::strtoull(text.c_str() + plus + 1, nullptr, 16)});
    }
    return found;
}

template <typename Item>
bool read_items(std::ifstream &file, uint64_t at, std::vector<Item> &out) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(
        file.read(reinterpret_cast<char *>(out.data()), static_cast<std::streamsize>(out.size() * sizeof(Item))));
}

// Whether it has DWARF: symbolizers take long for large files without. *out_base: the address of what is loaded first.
bool has_lines(const std::string &path, uint64_t *out_base) {
    std::ifstream file(path, std::ios::binary);
    std::vector<Elf64_Ehdr> head(1);
    if (!read_items(file, 0, head) || std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) != 0) return false;
    std::vector<Elf64_Phdr> segments(head[0].e_phnum);
    std::vector<Elf64_Shdr> sections(head[0].e_shnum);
    if (!read_items(file, head[0].e_phoff, segments) || !read_items(file, head[0].e_shoff, sections)) return false;
    if (head[0].e_shstrndx >= sections.size()) return false;
    std::vector<char> names(sections[head[0].e_shstrndx].sh_size + 1);
    names.pop_back();
    if (!read_items(file, sections[head[0].e_shstrndx].sh_offset, names)) return false;
    names.push_back('\0');
    const auto first =
        std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr &one) { return one.p_type == PT_LOAD; });
    *out_base = first == segments.end() ? 0 : first->p_vaddr & ~uint64_t{0xFFF};
    return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr &one) {
        return one.sh_name < names.size() && std::strcmp(names.data() + one.sh_name, ".debug_line") == 0;
    });
}

std::string quoted(const std::string &path) {
    std::string text = "'";
    for (const char one : path) text += one == '\'' ? std::string("'\\''") : std::string(1, one);
    return text + "'";
}

// The function and the place of an address, a line each.
std::string symbolizer(const std::string &path, const std::vector<uint64_t> &offsets, uint64_t base) {
    std::string arguments = " -C -f -e " + quoted(path);
    for (const uint64_t offset : offsets) arguments += " " + Frame::hex(base + offset).substr(1);
    return "{ addr2line" + arguments + " || llvm-symbolizer --output-style=GNU --no-inlines" + arguments +
           "; } 2>/dev/null";
}

std::string next_line(std::FILE *from) {
    std::string line;
    for (int one = std::fgetc(from); one != EOF && one != '\n'; one = std::fgetc(from)) line += static_cast<char>(one);
    return line;
}

// By offset, what is known.
std::map<uint64_t, std::string> lines_of(const std::string &path, std::vector<uint64_t> offsets) {
    std::map<uint64_t, std::string> found;
    uint64_t base = 0;
    if (!has_lines(path, &base)) return found;
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    std::FILE *answers = popen(symbolizer(path, offsets, base).c_str(), "r");
    if (!answers) return found;
    for (const uint64_t offset : offsets) {
        const std::string function = next_line(answers), place = next_line(answers);
        const size_t colon = place.rfind(':');
        if (colon == std::string::npos || place[0] == '?' || !std::strchr("123456789", place[colon + 1])) continue;
        const size_t slash = place.rfind('/', colon);
        const size_t name = slash == std::string::npos ? 0 : slash + 1;
        found[offset] = place.substr(name, place.find(' ', colon) - name) + " in " + function; // no discriminators
    }
    pclose(answers);
    return found;
}

} // namespace

std::string with_source_lines(const std::string &text) {
    const std::vector<Frame> frames = frames_in(text);
    std::map<std::string, std::vector<uint64_t>> asked;
    for (const Frame &frame : frames) asked[frame.file].push_back(frame.offset);
    std::map<std::string, std::map<uint64_t, std::string>> known;
    for (const auto &[file, offsets] : asked) known[file] = lines_of(file, offsets);
    std::string out;
    size_t done = 0;
    for (const Frame &frame : frames) {
        const auto line = known[frame.file].find(frame.offset);
        out += text.substr(done, frame.at - done) + (line != known[frame.file].end() ? line->second : frame.plain());
        done = frame.end;
    }
    return out + text.substr(done);
}

} // namespace command
