// SPDX-License-Identifier: Apache-2.0
#include "front/front_folder.hpp"

#include <dlfcn.h>
#include <gpustream.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace command {
namespace {

std::string value_of(const char *variable) {
    const char *value = std::getenv(variable);
    return value ? value : "";
}

// The command may itself be started by `gpustream run`: the loader then finds the front, which has been told what is behind it.
std::string part_of_outer_run(const char *name) {
    const std::string settings = ";" + value_of("GPUSTREAM_RUN"), wanted = std::string(";") + name + "=";
    const size_t at = settings.find(wanted), begin = at + wanted.size();
    return at == std::string::npos ? "" : settings.substr(begin, settings.find(';', begin) - begin);
}

std::string real_path(const std::string &path) {
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) ? resolved : path;
}

// The folder of that name, which comes with the library: one libcuda.so.1 for the loader.
std::string folder_of(const char *name, std::string *trouble) {
    Dl_info library{};
    if (dladdr(reinterpret_cast<void *>(&gs_version_string), &library) == 0 || !library.dli_fname) {
        *trouble = "the loader does not say where libgpustream.so.0 is";
        return "";
    }
    const std::string path = real_path(library.dli_fname);
    const std::string folder = path.substr(0, path.rfind('/')) + "/gpustream/" + name;
    if (access((folder + "/libcuda.so.1").c_str(), R_OK) == 0) return folder;
    *trouble = "'" + folder + "/libcuda.so.1' cannot be read: it comes with the package of the command";
    return "";
}

// The driver that programs get without the front.
std::string real_driver_path(std::string *trouble) {
    if (const std::string outer = part_of_outer_run("driver"); !outer.empty()) return outer;
    if (const std::string chosen = value_of("GPUSTREAM_LIBCUDA"); !chosen.empty()) return real_path(chosen);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    link_map *map = nullptr;
    if (driver && dlinfo(driver, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/') return map->l_name;
    const char *why = driver ? nullptr : dlerror();
    *trouble = std::string("there is no CUDA driver here: ") + (why ? why : "the loader does not say where it is");
    return "";
}

// "50us" in nanoseconds; below 0: it is no time.
double nanoseconds(const char *text) {
    char *unit = nullptr;
    const double number = std::strtod(text, &unit);
    constexpr std::pair<const char *, double> kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (const auto &[name, ns] : kUnits)
        if (unit != text && std::strcmp(unit, name) == 0 && number >= 0 && number * ns <= 1e15) return number * ns;
    return -1;
}

} // namespace

std::string front_folder(std::string *trouble) { return folder_of("front", trouble); }

bool ChosenDriver::take(int count, char **arguments, int *at, std::string *trouble) {
    const char *option = arguments[*at], *value = *at + 1 < count ? arguments[*at + 1] : nullptr;
    const bool has_number = std::strncmp(option, "--simulate=", 11) == 0;
    if (has_number || std::strcmp(option, "--simulate") == 0) {
        char *end = nullptr;
        const long devices = std::strtol(has_number ? option + 11 : "1", &end, 10);
        if (*end != '\0' || devices < 1 || devices > 64) *trouble = "--simulate has from 1 to 64 devices";
        devices_ = devices;
    } else if (std::strcmp(option, "--kernel-time") == 0) {
        const double ns = value ? nanoseconds(value) : -1;
        if (ns < 0) *trouble = "--kernel-time needs a time with its unit, such as 50us";
        settings_ += "kernel-ns=" + std::to_string(static_cast<int64_t>(ns)) + ";";
        ++*at;
    } else if (std::strcmp(option, "--kernels") == 0) {
        const std::string library = value ? real_path(value) : "";
        if (library.empty() || access(library.c_str(), R_OK) != 0 || library.find(';') != library.npos)
            *trouble = std::string("--kernels needs a shared library that can be read") +
                       (value ? ", unlike '" + library + "'" : "");
        settings_ += "kernels=" + library + ";";
        ++*at;
    } else {
        return false;
    }
    return trouble->empty();
}

// The simulated driver of an outer run reads its settings in the programs of this one.
std::string ChosenDriver::settings() const {
    if (is_simulated()) return "simulated-devices=" + std::to_string(devices_) + ";" + settings_;
    std::string outer;
    for (const char *name : {"simulated-devices", "kernel-ns", "kernels"})
        if (const std::string part = part_of_outer_run(name); !part.empty())
            outer += std::string(name) + "=" + part + ";";
    return outer;
}

std::string ChosenDriver::path(std::string *trouble) const {
    if (!is_simulated()) {
        if (!settings_.empty()) *trouble = "--kernel-time and --kernels are for the driver of --simulate";
        return settings_.empty() ? real_driver_path(trouble) : "";
    }
    const std::string folder = folder_of("simulated", trouble);
    return folder.empty() ? "" : folder + "/libcuda.so.1";
}

} // namespace command
