// SPDX-License-Identifier: Apache-2.0
// The text of gs_dump().
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "support/objects.hpp"

namespace gs::check::test {

using gs::test::Event;
using gs::test::make_event;
using gs::test::make_stream;
using gs::test::Stream;
using Timeline = gs::test::Owner<gs_timeline_t, gs_timeline_destroy>;

// A file without a name.
class TextFile {
public:
    TextFile() : fd_(memfd_create("text", MFD_CLOEXEC)) { EXPECT_GE(fd_, 0); }
    ~TextFile() { close(fd_); }
    TextFile(const TextFile &) = delete;
    TextFile &operator=(const TextFile &) = delete;

    int fd() const { return fd_; }
    std::string text() const {
        std::string all(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
        EXPECT_EQ(pread(fd_, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
        return all;
    }

private:
    const int fd_;
};

inline std::string dumped() {
    const TextFile file;
    EXPECT_OK(gs_dump(file.fd()));
    return file.text();
}

inline Stream named_stream(const char *name) {
    Stream stream = make_stream(0);
    EXPECT_OK(gs_stream_set_name(stream, name));
    return stream;
}
inline Event named_event(const char *name) {
    Event event = make_event();
    EXPECT_OK(gs_event_set_name(event, name));
    return event;
}
inline Timeline make_timeline(uint32_t flags = 0) {
    gs_timeline_t timeline = nullptr;
    EXPECT_OK(gs_timeline_create(0, 0, flags, &timeline));
    return Timeline(timeline);
}

// The line about the stream with that name, without the numbers of handles.
inline std::string line_about(const std::string &text, const std::string &name) {
    const size_t named = text.find("(\"" + name + "\") ");
    const size_t begin = named == std::string::npos ? named : text.rfind('\n', named) + 1;
    if (begin == std::string::npos || text.compare(begin, 7, "stream ") != 0) return "";
    std::string line = text.substr(begin, text.find('\n', begin) - begin);
    for (size_t at = 0; (at = line.find("0x", at)) != std::string::npos;)
        line.erase(at, line.find_first_not_of("0123456789abcdef", at + 2) - at);
    return line;
}

} // namespace gs::check::test
