// SPDX-License-Identifier: Apache-2.0
// Texts for the user. The command finds the lines of their frames and writes them to stderr once the program has ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs::front {

// "gpustream: process 4711 (python3): WHAT\n"
std::string report_head(const char *what);
// Of this process, in the run's folder. Opened for each text: a program may close all descriptors, and use the number again.
class ReportFile {
public:
    ReportFile() noexcept;
    ~ReportFile();
    ReportFile(const ReportFile &) = delete;
    ReportFile &operator=(const ReportFile &) = delete;
    int fd() const noexcept { return fd_; }

private:
    int fd_ = 2; // stderr, where the folder is out of reach
};
void write_report(std::string_view text) noexcept;
bool is_front(uintptr_t address) noexcept; // code of this library
// The callers of this library's functions, one text: "(/path/libx.so+0x34) launch+0x12, from ...", and the line of Python that the thread
// is in, if there is one, ahead of them. May throw std::bad_alloc.
std::string callers_text();

} // namespace gs::front
