// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/core_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/own_file.hpp"
#include "base/sort.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::recorder {

LogFileReader::LogFileReader(const char *path) noexcept {
    struct stat file{};
    if (stat(path, &file) != 0) return;
    fd_ = own_log_file(file);
    is_own_ = fd_ >= 0;
    if (!is_own_) fd_ = open_to_read(path);
}

LogFileReader::~LogFileReader() {
    if (fd_ >= 0 && !is_own_) close(fd_);
}

bool LogFileReader::is_being_written() const noexcept {
    struct flock whole{};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    return is_own_ || (fcntl(fd_, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK);
}

ssize_t LogFileReader::read(void *out, size_t bytes, size_t at) const noexcept {
    size_t got = 0;
    while (got < bytes) {
        const ssize_t more = pread(fd_, static_cast<char *>(out) + got, bytes - got, static_cast<off_t>(at + got));
        if (more == 0) break;
        if (more > 0)
            got += static_cast<size_t>(more);
        else if (errno != EINTR)
            return -1;
    }
    return static_cast<ssize_t>(got);
}

namespace {

constexpr size_t kMostPieces = size_t{1} << 20;
constexpr size_t kReadAtOnce = 256 * kLogPage;

template <typename T>
bool read_whole(const LogBytes &from, T *out, uint64_t at) noexcept {
    return at <= INT64_MAX && from.read(out, sizeof(T), at) == static_cast<ssize_t>(sizeof(T));
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char kOurData = ELFDATA2LSB;
#else
constexpr unsigned char kOurData = ELFDATA2MSB;
#endif

bool is_core(const Elf64_Ehdr &header) noexcept {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == kOurData && header.e_type == ET_CORE && header.e_phentsize == sizeof(Elf64_Phdr);
}

} // namespace

bool CoreFile::read_pieces() {
    Elf64_Ehdr header{};
    if (!read_whole(file_, &header, 0) || !is_core(header)) return false;
    uint64_t count = header.e_phnum;
    if (count == PN_XNUM) { // more than its field can say
        Elf64_Shdr first{};
        if (!read_whole(file_, &first, header.e_shoff)) return false;
        count = first.sh_info;
    }
    Elf64_Phdr part{};
    uint64_t end = 0; // pieces must not overlap: each byte of the file is read once
    for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostPieces); ++i) {
        if (!read_whole(file_, &part, header.e_phoff + i * sizeof part)) break; // cut off
        const bool wraps = part.p_filesz > UINT64_MAX - part.p_vaddr || part.p_filesz > INT64_MAX - part.p_offset;
        if (part.p_type != PT_LOAD || part.p_filesz == 0 || part.p_offset > INT64_MAX || wraps || part.p_offset < end)
            continue;
        end = part.p_offset + part.p_filesz;
        pieces_.push_back({part.p_vaddr, part.p_filesz, part.p_offset});
    }
    sort_elements(pieces_.data(), pieces_.size(), [](const Piece &a, const Piece &b) { return a.address < b.address; });
    return !pieces_.empty();
}

// A copy of the page, such as one that was being read from a log file, has another address than it says.
bool CoreFile::is_log_at(uint64_t address, const char *page) {
    std::memcpy(&header_, page, sizeof header_);
    if (std::memcmp(header_.magic, kLogMagic, sizeof kLogMagic) != 0 || header_.self != address) return false;
    const ssize_t got = read_memory(parts_, sizeof parts_, address + kLogPartsAt);
    return got == static_cast<ssize_t>(sizeof parts_);
}

bool CoreFile::find_in(const Piece &piece) {
    std::vector<char> pages(kReadAtOnce);
    for (uint64_t done = 0; done < piece.bytes; done += kReadAtOnce) {
        const auto wanted = static_cast<size_t>(std::min<uint64_t>(kReadAtOnce, piece.bytes - done));
        const ssize_t got = file_.read(pages.data(), wanted, piece.at + done);
        for (size_t at = 0; got > 0 && at + sizeof(LogFileHeader) <= static_cast<size_t>(got); at += kLogPage)
            if (is_log_at(piece.address + done + at, pages.data() + at)) return true;
        if (got < static_cast<ssize_t>(wanted)) return false; // cut off
    }
    return false;
}

bool CoreFile::find_log() {
    return read_pieces() &&
           std::any_of(pieces_.begin(), pieces_.end(), [this](const Piece &piece) { return find_in(piece); });
}

ssize_t CoreFile::read_memory(void *out, size_t bytes, uint64_t address) const noexcept {
    size_t got = 0;
    while (got < bytes) {
        const uint64_t from = address + got;
        const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), from,
                                           [](uint64_t place, const Piece &piece) { return place < piece.address; });
        const auto found = next == pieces_.begin() ? next : std::prev(next);
        const uint64_t inside = from - found->address; // wraps before the first one
        if (inside >= found->bytes) break;             // the kernel left it out
        const auto here = static_cast<size_t>(std::min<uint64_t>(bytes - got, found->bytes - inside));
        const ssize_t more = file_.read(static_cast<char *>(out) + got, here, found->at + inside);
        if (more <= 0) return more < 0 ? more : static_cast<ssize_t>(got);
        got += static_cast<size_t>(more);
    }
    return static_cast<ssize_t>(got);
}

// Places of the log file: its first pages are in one piece, and so is the part of each thread.
ssize_t CoreFile::read(void *out, size_t bytes, size_t at) const noexcept {
    if (at < kLogRingsAt) return read_memory(out, std::min(bytes, kLogRingsAt - at), header_.self + at);
    const size_t part_bytes = log_part_bytes(std::min(header_.entries, kMostLogEntries));
    const size_t part = (at - kLogRingsAt) / part_bytes, inside = (at - kLogRingsAt) % part_bytes;
    if (part >= kLogFileRings || parts_[part] == 0) return 0;
    return read_memory(out, std::min(bytes, part_bytes - inside), parts_[part] + inside);
}

} // namespace gs::recorder
