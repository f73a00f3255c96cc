// SPDX-License-Identifier: Apache-2.0
// Progress of a long run, on stderr.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace pipeline {

class Progress {
public:
    // Shown when forced, else only for long files on a terminal. On a terminal one line is rewritten, elsewhere each
    // percent is a line.
    Progress(uint64_t file_bytes, bool forced);
    ~Progress(); // ends the line
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;

    // Starts a phase of so many bytes.
    void begin(const char *phase, uint64_t bytes);
    // More bytes of the phase are done; from any thread.
    void add(uint64_t bytes);

private:
    void show();

    const bool terminal_;
    const bool shown_;
    std::mutex mutex_;
    std::string phase_;
    uint64_t total_ = 0;
    uint64_t done_ = 0;
    uint64_t shown_percent_ = 0;
    bool line_open_ = false;
};

} // namespace pipeline
