// SPDX-License-Identifier: Apache-2.0
// A program with the front in place of the driver.
#pragma once

#include <string>
#include <vector>

namespace command {

// A folder for what the program's processes leave; it is removed with its files.
class RunFolder {
public:
    explicit RunFolder(std::string *trouble);
    ~RunFolder();
    RunFolder(const RunFolder &) = delete;
    RunFolder &operator=(const RunFolder &) = delete;
    const std::string &path() const { return path_; } // "": it could not be made
    std::vector<std::string> files(const std::string &ending) const;

private:
    std::string path_;
};

std::string text_of_file(const std::string &path); // "": it cannot be read
// The program may run in another folder.
std::string whole_path(const std::string &path);

struct Launch {
    char **program = nullptr; // with its arguments, ended by nullptr
    std::string front, driver, folder;
    bool is_simulated = false;     // the driver is not the one of the machine's GPUs
    std::string settings;          // of GPUSTREAM_RUN behind the driver and the folder
    std::string output;            // the file that gets what it writes to stdout; "": the terminal
    bool is_quiet = false;         // its stderr goes to the same file, or nowhere; it has a process group of its own
    bool prints_to_stderr = false; // if no file gets its output
    bool has_input = true;         // of this process
    double limit_s = 0;            // 0: none
};
struct Ended {
    bool started = false, timed_out = false;
    int code = 0;         // as a shell has it: 128 and the signal's number for a program that a signal has ended
    int ended_by = 0;     // that signal
    int asked_to_end = 0; // the signal that this process got in the meantime
    double took_s = 0;
    std::string trouble; // why it was not started
};
// Waits for its end. Signals that ask this process to end are passed on.
Ended run_program(const Launch &launch);

} // namespace command
