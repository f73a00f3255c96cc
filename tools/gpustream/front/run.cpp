// SPDX-License-Identifier: Apache-2.0
// `gpustream run`: any program, seen from in front of the driver.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "commands.hpp"
#include "front/front_folder.hpp"
#include "front/launch.hpp"
#include "front/source_lines.hpp"

namespace command {
namespace {

constexpr const char *kSwitches[] = {"stats", "syncs", "leaks", "captures", "check", "log", "device-times"};

int wrong(const std::string &what) {
    std::fprintf(stderr, "gpustream run: %s\n", what.c_str());
    return 2;
}

// "": the option is none of run's.
std::string setting_of(const char *option) {
    for (const char *name : kSwitches)
        if (std::strcmp(option + 2, name) == 0) return std::string(name) + ";";
    if (std::strcmp(option, "--check=kernels") == 0) return "check;check-kernels;";
    if (std::strncmp(option, "--log=", 6) != 0 || option[6] == '\0') return "";
    const std::string file = whole_path(option + 6);
    return file.find(';') == file.npos ? "log;file=" + file + ";" : "";
}

// The option's file; "": there is none.
std::string file_of(int count, char **arguments, int *at) {
    if (++*at == count || std::strcmp(arguments[*at], "--") == 0 || *arguments[*at] == '\0') return "";
    const std::string file = whole_path(arguments[*at]);
    return file.find(';') == file.npos ? file : "";
}

// Asked ahead of the program, which may run for hours. "": nothing speaks against it.
std::string why_unwritable(const std::string &file) {
    struct stat found{};
    const bool exists = stat(file.c_str(), &found) == 0;
    if (exists && !S_ISREG(found.st_mode)) return "'" + file + "' cannot be written: it is a folder or a device";
    if (access(exists ? file.c_str() : file.substr(0, file.rfind('/') + 1).c_str(), W_OK) == 0) return "";
    return "'" + file + "' cannot be written: " + std::strerror(errno);
}

bool is_exit_code(const char *text) {
    char *end = nullptr;
    const long code = std::strtol(text, &end, 10);
    return *end == '\0' && code >= 1 && code <= 255;
}

// The front has what writes a trace: it is opened here as in a program, with nothing to watch.
void write_traces(const Launch &launch, const RunFolder &folder, const char *file) {
    setenv("GPUSTREAM_RUN", ("driver=" + launch.driver).c_str(), 1);
    const char *(*write)(const char *const *logs, size_t count, const char *file, int device_times) = nullptr;
    void *front = dlopen((launch.front + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (front) *reinterpret_cast<void **>(&write) = dlsym(front, "gs_front_write_traces");
    const std::vector<std::string> logs = folder.files(".log");
    std::vector<const char *> paths;
    for (const std::string &log : logs) paths.push_back(log.c_str());
    const int device_times = launch.settings.find("device-times;") != std::string::npos ? 1 : 0;
    const char *trouble = write ? write(paths.data(), paths.size(), file, device_times) : dlerror();
    if (trouble) std::fprintf(stderr, "gpustream run: no trace: %s\n", trouble);
}

} // namespace

int run(int count, char **arguments) {
    Launch launch;
    const char *code_of_races = nullptr;
    ChosenDriver driver;
    std::string trouble, trace;
    int at = 0;
    for (; at < count && std::strcmp(arguments[at], "--") != 0; ++at) {
        if (std::strncmp(arguments[at], "--", 2) != 0) break; // the program, without "--" ahead of it
        if (std::strcmp(arguments[at], "--trace") == 0) {
            trace = file_of(count, arguments, &at);
            if (trace.empty()) return wrong("--trace needs a file, whose name has no ';'");
            if (trouble = why_unwritable(trace); !trouble.empty()) return wrong(trouble);
            launch.settings += "log;trace;";
            continue;
        }
        if (std::strcmp(arguments[at], "--error-exitcode") == 0) {
            if (++at == count || !is_exit_code(arguments[at]))
                return wrong("--error-exitcode needs a number from 1 to 255");
            code_of_races = arguments[at];
            continue;
        }
        if (std::strcmp(arguments[at], "--learn") == 0) {
            const std::string file = file_of(count, arguments, &at);
            if (file.empty()) return wrong("--learn needs a file, whose name has no ';'");
            if (trouble = why_unwritable(file); !trouble.empty()) return wrong(trouble);
            launch.settings += "learn=" + file + ";";
            continue;
        }
        if (std::strcmp(arguments[at], "--learnt") == 0) {
            const std::string file = file_of(count, arguments, &at);
            if (file.empty() || access(file.c_str(), R_OK) != 0)
                return wrong("--learnt needs a file that `gpustream run --learn` has written");
            launch.settings += "learnt=" + file + ";";
            continue;
        }
        if (driver.take(count, arguments, &at, &trouble)) continue;
        if (!trouble.empty()) return wrong(trouble);
        const std::string setting = setting_of(arguments[at]);
        if (setting.empty()) {
            report_unknown("option of run", arguments[at],
                           {"--stats", "--syncs", "--leaks", "--captures", "--check", "--check=kernels", "--log",
                            "--device-times", "--trace", "--error-exitcode", "--learn", "--learnt", "--simulate",
                            "--kernel-time", "--kernels"});
            return 2;
        }
        launch.settings += setting;
    }
    if (at < count && std::strcmp(arguments[at], "--") == 0) ++at;
    if (at == count) return wrong("a program is needed: gpustream run [OPTIONS] -- PROGRAM [ARGUMENTS]");
    if (!trace.empty() && launch.settings.find("file=") != std::string::npos)
        return wrong("--trace keeps a log of its own: it goes with --log, and not with --log=FILE");
    if (trace.empty() && launch.settings.find("device-times;") != std::string::npos)
        return wrong("--device-times is for --trace");
    if (launch.settings.find("learnt=") != std::string::npos &&
        launch.settings.find("check-kernels;") == std::string::npos)
        return wrong("--learnt is for --check=kernels");
    if (code_of_races && launch.settings.find("check;") == std::string::npos)
        return wrong("--error-exitcode is for --check");
    launch.program = arguments + at;
    const bool watches = !launch.settings.empty();
    launch.settings += driver.settings();
    launch.front = front_folder(&trouble);
    if (trouble.empty()) launch.driver = driver.path(&trouble);
    launch.is_simulated = driver.is_simulated();
    const RunFolder folder(&trouble);
    if (!trouble.empty()) return std::fprintf(stderr, "gpustream run: %s\n", trouble.c_str()), 125;
    launch.folder = folder.path();
    const Ended ended = run_program(launch);
    if (!ended.started) return std::fprintf(stderr, "gpustream run: %s\n", ended.trouble.c_str()), 127;
    for (const std::string &report : folder.files(".report"))
        std::fputs(with_source_lines(text_of_file(report)).c_str(), stderr);
    if (folder.files(".seen").empty())
        std::fprintf(stderr,
                     "gpustream run: '%s' ended without opening libcuda.so.1 by its name, so no call was seen\n",
                     launch.program[0]);
    else if (!trace.empty())
        write_traces(launch, folder, trace.c_str());
    else if (watches && folder.files(".used").empty())
        std::fprintf(
            stderr,
            "gpustream run: '%s' opened libcuda.so.1 and called none of the functions that are watched; calls by "
            "another way, as through the driver's path, are not seen\n",
            launch.program[0]);
    if (!folder.files(".unchecked").empty()) return 125; // the front has said why
    return code_of_races && !folder.files(".raced").empty() ? std::atoi(code_of_races) : ended.code;
}

} // namespace command
