// SPDX-License-Identifier: Apache-2.0
// What the streams of another process wait for: by its log file, else by the signal that makes it write a dump.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "commands.hpp"
#include "devices.hpp"

namespace command {
namespace {

int explain_file(const std::string &path) {
    std::fflush(stdout);
    if (gs_dump_log(path.c_str(), STDOUT_FILENO) == GS_OK) return 0;
    std::fprintf(stderr, "gpustream: %s\n", last_error_text().c_str());
    return 1;
}

// Opens regular files only: opening another kind may have effects.
bool is_log_file(const std::string &path) {
    struct stat file{};
    if (stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return false;
    char magic[8] = {};
    std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
    return std::memcmp(magic, "GPUSLOG", sizeof magic) == 0;
}

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

int explain_process(long number) {
    const std::string process = "/proc/" + std::to_string(number);
    if (kill(static_cast<pid_t>(number), 0) != 0) {
        std::fprintf(stderr, "gpustream: process %ld: %s\n", number, std::strerror(errno));
        return 1;
    }
    if (const std::string path = mapped_log_file(process); !path.empty()) return explain_file(path);
    const long signal_number = std::strtol(variable_of(process, "GPUSTREAM_DUMP_SIGNAL").c_str(), nullptr, 10);
    if (signal_number >= 1 && signal_number <= SIGRTMAX && maps_library(process) && catches(process, signal_number)) {
        if (kill(static_cast<pid_t>(number), static_cast<int>(signal_number)) == 0) {
            std::printf("process %ld writes a dump to its stderr: signal %ld was sent\n", number, signal_number);
            return 0;
        }
    }
    std::fprintf(
        stderr,
        "gpustream: process %ld has neither a log file that can be found nor a signal for dumps.\nStart it with "
        "GPUSTREAM_LOG_FILE=PATH or GPUSTREAM_DUMP_SIGNAL=NUMBER.\n",
        number);
    return 1;
}

} // namespace

int explain(const char *what) {
    if (*what != '\0' && std::strspn(what, "0123456789") == std::strlen(what) && access(what, F_OK) != 0) {
        errno = 0;
        const long number = std::strtol(what, nullptr, 10);
        if (errno == 0 && number > 0 && number <= INT32_MAX) return explain_process(number);
    }
    return explain_file(what);
}

} // namespace command
