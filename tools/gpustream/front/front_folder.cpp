// SPDX-License-Identifier: Apache-2.0
#include "front/front_folder.hpp"

#include <dlfcn.h>
#include <gpustream.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace command {
namespace {

std::string value_of(const char *variable) {
    const char *value = std::getenv(variable);
    return value ? value : "";
}

// The command may itself be started by `gpustream run`: the loader then finds the front, which has been told what is behind it.
std::string driver_of_outer_run() {
    const std::string settings = ";" + value_of("GPUSTREAM_RUN");
    const size_t at = settings.find(";driver=");
    return at == std::string::npos ? "" : settings.substr(at + 8, settings.find(';', at + 8) - at - 8);
}

std::string real_path(const std::string &path) {
    char resolved[PATH_MAX];
    return realpath(path.c_str(), resolved) ? resolved : path;
}

} // namespace

std::string front_folder(std::string *trouble) {
    Dl_info library{};
    if (dladdr(reinterpret_cast<void *>(&gs_version_string), &library) == 0 || !library.dli_fname) {
        *trouble = "the loader does not say where libgpustream.so.0 is";
        return "";
    }
    const std::string path = real_path(library.dli_fname);
    const std::string folder = path.substr(0, path.rfind('/')) + "/gpustream/front";
    if (access((folder + "/libcuda.so.1").c_str(), R_OK) == 0) return folder;
    *trouble = "'" + folder + "/libcuda.so.1' cannot be read: it comes with the package of the command";
    return "";
}

std::string driver_path(std::string *trouble) {
    if (const std::string outer = driver_of_outer_run(); !outer.empty()) return outer;
    if (const std::string chosen = value_of("GPUSTREAM_LIBCUDA"); !chosen.empty()) return real_path(chosen);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    link_map *map = nullptr;
    if (driver && dlinfo(driver, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/') return map->l_name;
    const char *why = driver ? nullptr : dlerror();
    *trouble = std::string("there is no CUDA driver here: ") + (why ? why : "the loader does not say where it is");
    return "";
}

} // namespace command
