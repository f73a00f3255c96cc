// SPDX-License-Identifier: Apache-2.0
#include "front/learnt_uses.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <utility>

#include "base/log.hpp"
#include "base/own_file.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"

namespace gs::front {
namespace {

constexpr size_t kMostArgumentBytes = 4096; // of an argument: reductions of PyTorch have their addresses behind 600
constexpr uint64_t kFirstAddress = 4096;

// Programs of the runtime launch a CUkernel, which cuFuncGetParamInfo refuses.
std::vector<size_t> sizes_of_parameters(uintptr_t kernel) {
    std::vector<size_t> sizes;
    size_t offset = 0, bytes = 0;
    while (g_real.get_parameter(reinterpret_cast<CUfunction>(kernel), sizes.size(), &offset, &bytes) == CUDA_SUCCESS)
        sizes.push_back(bytes);
    if (!sizes.empty() || !g_real.get_kernel_parameter) return sizes;
    while (g_real.get_kernel_parameter(reinterpret_cast<CUkernel>(kernel), sizes.size(), &offset, &bytes) ==
           CUDA_SUCCESS)
        sizes.push_back(bytes);
    return sizes;
}

} // namespace

std::vector<KernelWord> words_of(const Call &launch) {
    std::vector<KernelWord> found;
    if (!g_real.get_parameter || launch.other == 0) return found;
    void *const *values = reinterpret_cast<void *const *>(launch.other);
    const std::vector<size_t> sizes = sizes_of_parameters(launch.object);
    for (uint32_t i = 0; i < sizes.size(); ++i)
        for (uint32_t at = 0; sizes[i] % 8 == 0 && at < sizes[i] && at < kMostArgumentBytes; at += 8) {
            uint64_t value = 0;
            std::memcpy(&value, static_cast<const char *>(values[i]) + at, sizeof value);
            if (value >= kFirstAddress) found.push_back({i, at, value});
        }
    return found;
}

std::string name_of_kernel(const Call &launch) {
    const char *name = nullptr;
    if (g_real.get_function_name &&
        g_real.get_function_name(&name, reinterpret_cast<CUfunction>(launch.object)) == CUDA_SUCCESS && name)
        return name;
    if (g_real.get_kernel_name &&
        g_real.get_kernel_name(&name, reinterpret_cast<CUkernel>(launch.object)) == CUDA_SUCCESS && name)
        return name;
    return "";
}

namespace {

using Place = std::pair<uint32_t, uint32_t>; // argument and offset

// Never freed: threads may run until the very end. An entry stays where it is.
std::map<std::string, std::map<Place, Use>> *g_uses GS_GUARDED_BY(g_uses_mutex) = nullptr;

constexpr char kRanks[] = "srwu-";
ptrdiff_t rank_of(Use use) noexcept { return std::strchr(kRanks, static_cast<char>(use)) - kRanks; }

// True: it is news.
bool add_use(const std::string &kernel, Place place, Use use) {
    MutexLock lock(g_uses_mutex);
    if (!g_uses) g_uses = new std::map<std::string, std::map<Place, Use>>;
    const auto [known, is_new] = (*g_uses)[kernel].try_emplace(place, use);
    if (!is_new && rank_of(known->second) >= rank_of(use)) return false;
    known->second = use;
    return true;
}

// A program may close all descriptors, and other processes add to the file as well.
void append_to(const char *path, const std::string &text) noexcept {
    const char *problem = nullptr;
    const int fd = open_own_file(path, O_WRONLY | O_CREAT | O_APPEND, &problem);
    if (fd < 0) return log_message(GS_LOG_ERROR, "'%s' cannot be written: %s", path, problem);
    if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        log_message(GS_LOG_ERROR, "'%s' cannot be written", path);
    close(fd);
}

} // namespace

void read_uses(const char *path) {
    std::FILE *file = std::fopen(path, "re");
    if (!file) return;
    char use = 0, *line = nullptr;
    size_t room = 0;
    unsigned argument = 0, offset = 0;
    int name = 0;
    while (getline(&line, &room, file) > 0) {
        line[std::strcspn(line, "\n")] = '\0';
        if (std::sscanf(line, "%c %u %u %n", &use, &argument, &offset, &name) == 3 && std::strchr(kRanks, use))
            add_use(line + name, {argument, offset}, static_cast<Use>(use));
    }
    std::free(line);
    std::fclose(file);
}

void begin_uses(const char *path) {
    append_to(path, ""); // --learnt takes it, although no kernel has told anything
    read_uses(path);
}

Use use_of(const std::string &kernel, const KernelWord &word) {
    MutexLock lock(g_uses_mutex);
    if (!g_uses) return Use::WriteElsewhere;
    const auto found = g_uses->find(kernel);
    if (found == g_uses->end()) return Use::WriteElsewhere;
    const auto use = found->second.find({word.argument, word.offset});
    return use == found->second.end() ? Use::NoAddress : use->second;
}

void note_use(const std::string &kernel, const KernelWord &word, Use use, const char *path) {
    if (!add_use(kernel, {word.argument, word.offset}, use)) return;
    append_to(path, std::string(1, static_cast<char>(use)) + " " + std::to_string(word.argument) + " " +
                        std::to_string(word.offset) + " " + kernel + "\n");
}

} // namespace gs::front
