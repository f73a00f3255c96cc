// SPDX-License-Identifier: Apache-2.0
// Opens the library once per process, which all workers share.
#include "library.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "call.hpp"

namespace gs_node {
namespace {

constexpr const char *kName = "libgpustream.so.0";
std::atomic<bool> loaded{false};
std::mutex loading;
std::string why;  // of the last failure
std::string file; // in use

bool same_file(const std::string &one, const std::string &other) {
    std::error_code error;
    return std::filesystem::equivalent(one, other, error) && !error;
}

// A variable of the environment; ignored in a process with more rights than the user who set it.
std::string trusted_variable(const char *name) {
    const char *value = getauxval(AT_SECURE) ? nullptr : getenv(name);
    return value ? value : "";
}

// A copy that another language has loaded, the given file, the one of the environment, or the loader's.
void *open_one(std::string path) {
    if (void *there = dlopen(kName, RTLD_NOW | RTLD_NOLOAD)) return there;
    if (path.empty()) path = trusted_variable("GPUSTREAM_LIBRARY");
    if (path.empty()) path = kName;
    void *handle = dlopen(path.c_str(), RTLD_NOW);
    if (!handle) {
        const char *reason = dlerror();
        why = "libgpustream was not found: " + path + " (" + (reason ? reason : "no reason given") +
              "); set GPUSTREAM_LIBRARY to the file";
    }
    return handle;
}

Loaded open_first(const std::string &path) {
    void *handle = open_one(path);
    if (!handle) return Loaded::NotFound;
    auto *abi = reinterpret_cast<uint32_t (*)()>(dlsym(handle, "gs_abi_version"));
    Dl_info info{};
    const std::string found =
        abi && dladdr(reinterpret_cast<void *>(abi), &info) && info.dli_fname ? info.dli_fname : path;
    if (!abi) {
        why = found + ": this is not libgpustream";
        return Loaded::NotFound;
    }
    if (!path.empty() && !same_file(path, found)) {
        why = found + ": the process uses this file of the library already";
        return Loaded::Already;
    }
    if (const uint32_t version = abi(); version != GS_ABI_VERSION) {
        why =
            found + ": its ABI version is " + std::to_string(version) + ", wanted is " + std::to_string(GS_ABI_VERSION);
        return Loaded::WrongAbi;
    }
    for (size_t i = 0; i < entry_count; ++i) entries[i].address = dlsym(handle, entries[i].name);
    file = found;
    loaded.store(true, std::memory_order_release);
    return Loaded::Good;
}

} // namespace

Loaded load(const std::string &path, std::string *text) {
    const std::lock_guard<std::mutex> lock(loading);
    Loaded result = Loaded::Good;
    if (loaded.load(std::memory_order_relaxed)) {
        if (!path.empty() && !same_file(path, file)) {
            why = file + ": the process uses this file of the library already";
            result = Loaded::Already;
        }
    } else {
        result = open_first(path);
    }
    *text = result == Loaded::Good ? file : why;
    return result;
}

bool load_once() {
    if (loaded.load(std::memory_order_acquire)) return true;
    std::string text;
    return load({}, &text) == Loaded::Good;
}

} // namespace gs_node
