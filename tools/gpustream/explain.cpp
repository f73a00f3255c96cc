// SPDX-License-Identifier: Apache-2.0
// What the streams of another process wait for: by its log file, else by the signal that makes it write a dump.
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "commands.hpp"
#include "devices.hpp"
#include "explain_picture.hpp"

namespace command {
namespace {

int failed(const std::string &why) {
    std::fprintf(stderr, "gpustream: %s\n", why.c_str());
    return 1;
}

int explain_files(const std::vector<std::string> &paths) {
    std::fflush(stdout);
    for (const std::string &path : paths)
        if (gs_dump_log(path.c_str(), STDOUT_FILENO) != GS_OK) return failed(last_error_text());
    return 0;
}

std::string content_of(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int draw_text(const std::string &text, const std::string &path) {
    const std::vector<Picture> pictures = pictures_of(text);
    if (pictures.empty()) return failed("'" + path + "' has neither a dump nor a report of a race");
    std::fputs(svg_of(pictures).c_str(), stdout);
    return 0;
}

bool begins_with(const std::string &path, const char *magic, size_t bytes) {
    char begin[8] = {};
    std::ifstream(path, std::ios::binary).read(begin, static_cast<std::streamsize>(bytes));
    return std::memcmp(begin, magic, bytes) == 0;
}

bool is_regular(const std::string &path) {
    struct stat file{};
    return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode);
}

// Log or core files as their text.
int draw_logs(const std::vector<std::string> &paths) {
    // The oldest glibc has no function for it.
    const int text = static_cast<int>(syscall(SYS_memfd_create, "explained", MFD_CLOEXEC));
    if (text < 0) return failed(std::strerror(errno));
    for (const std::string &path : paths)
        if (gs_dump_log(path.c_str(), text) != GS_OK) return failed(last_error_text());
    return draw_text(content_of("/proc/self/fd/" + std::to_string(text)), paths[0]);
}

// Any other file is a text already.
int draw_file(const std::string &path) {
    const bool is_read = is_regular(path) && access(path.c_str(), R_OK) == 0;
    if (!is_read || begins_with(path, "GPUSLOG", 8) || begins_with(path, "\177ELF", 4)) return draw_logs({path});
    return draw_text(content_of(path), path);
}

// Opens regular files only: opening another kind may have effects.
bool is_log_file(const std::string &path) { return is_regular(path) && begins_with(path, "GPUSLOG", 8); }

// The path of a log file that the process has mapped, as this process reaches it; "": none was found.
std::string mapped_log_file(const std::string &process) {
    std::ifstream maps(process + "/maps");
    for (std::string line, last; std::getline(maps, line);) {
        const size_t slash = line.find('/');
        // "address rw-s ...": written to and shared.
        if (slash == std::string::npos || line.find(" rw-s ") == std::string::npos) continue;
        const std::string file = line.substr(slash);
        if (file == last) continue;
        last = file;
        for (const std::string &path : {process + "/root" + file, file})
            if (is_log_file(path)) return path;
    }
    return "";
}

// Else those of what it has started, as a shell, a launcher or `gpustream run` has.
void find_log_files(const std::string &number, std::vector<std::string> &found) {
    const std::string process = "/proc/" + number;
    if (const std::string path = mapped_log_file(process); !path.empty()) return found.push_back(path);
    std::ifstream children(process + "/task/" + number + "/children");
    for (std::string child; children >> child;) find_log_files(child, found);
}

// The value of a variable that the process was started with; "" if it has none.
std::string variable_of(const std::string &process, const std::string &name) {
    std::ifstream file(process + "/environ", std::ios::binary);
    for (std::string one; std::getline(file, one, '\0');)
        if (one.compare(0, name.size() + 1, name + "=") == 0) return one.substr(name.size() + 1);
    return "";
}

// A signal that the process does not catch would end it.
bool catches(const std::string &process, long signal_number) {
    std::ifstream status(process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.compare(0, 7, "SigCgt:") == 0)
            return (std::strtoull(line.c_str() + 7, nullptr, 16) >> (signal_number - 1) & 1) != 0;
    return false;
}

bool maps_library(const std::string &process) {
    std::ifstream maps(process + "/maps");
    const std::string all{std::istreambuf_iterator<char>(maps), {}};
    return all.find("gpustream") != std::string::npos;
}

int explain_process(long number, bool as_svg) {
    const std::string process = "/proc/" + std::to_string(number);
    if (kill(static_cast<pid_t>(number), 0) != 0)
        return failed("process " + std::to_string(number) + ": " + std::strerror(errno));
    std::vector<std::string> logs;
    find_log_files(std::to_string(number), logs);
    if (!logs.empty()) return as_svg ? draw_logs(logs) : explain_files(logs);
    const long signal_number = std::strtol(variable_of(process, "GPUSTREAM_DUMP_SIGNAL").c_str(), nullptr, 10);
    if (signal_number >= 1 && signal_number <= SIGRTMAX && maps_library(process) && catches(process, signal_number)) {
        if (kill(static_cast<pid_t>(number), static_cast<int>(signal_number)) == 0) {
            std::fprintf(as_svg ? stderr : stdout, "process %ld writes a dump to its stderr: signal %ld was sent\n",
                         number, signal_number);
            return as_svg ? failed("the picture is made from that text: gpustream explain --svg FILE") : 0;
        }
    }
    std::fprintf(
        stderr,
        "gpustream: process %ld has neither a log file that can be found nor a signal for dumps.\nStart it with "
        "GPUSTREAM_LOG_FILE=PATH or GPUSTREAM_DUMP_SIGNAL=NUMBER, or by `gpustream run --log`.\n",
        number);
    return 1;
}

} // namespace

int explain(const char *what, bool as_svg) {
    if (*what != '\0' && std::strspn(what, "0123456789") == std::strlen(what) && access(what, F_OK) != 0) {
        errno = 0;
        const long number = std::strtol(what, nullptr, 10);
        if (errno == 0 && number > 0 && number <= INT32_MAX) return explain_process(number, as_svg);
    }
    return as_svg ? draw_file(what) : explain_files({what});
}

} // namespace command
