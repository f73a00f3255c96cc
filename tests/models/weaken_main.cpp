// SPDX-License-Identifier: Apache-2.0
// For weaken.py, which knows the lines behind the addresses of the code.
//   list                          every access to shared memory in the models: MODEL ADDRESS WHAT ORDER
//   try MODEL ORDER ADDRESS...    explores the model with these accesses weakened; "found" or "sound"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "models/models.hpp"
#include "schedule/scheduler/weak.hpp"

namespace {

using gs::models::Model;

constexpr uint64_t kMostRuns = 30'000; // a weakened order shows soon or, mostly, never

std::vector<Model> all() {
    std::vector<Model> models = gs::models::short_models();
    const std::vector<Model> &more = gs::models::long_models();
    models.insert(models.end(), more.begin(), more.end());
    return models;
}

int list() {
    for (size_t i = 0; const Model &model : all()) {
        gs::schedule::forget_sites();
        (void)gs::models::explore_world(model, 2000);
        for (const auto &[code, site] : gs::schedule::sites())
            std::printf("%zu:%s %" PRIxPTR " %s %d\n", i, model.name.c_str(), reinterpret_cast<uintptr_t>(code),
                        site.doing, site.order);
        ++i;
    }
    return 0;
}

int attempt(int count, char **arguments) {
    const std::vector<Model> models = all();
    const size_t number = std::strtoul(arguments[0], nullptr, 10);
    if (number >= models.size()) return 2;
    std::vector<const void *> code;
    for (int i = 2; i < count; ++i)
        code.push_back(reinterpret_cast<const void *>(std::strtoull(arguments[i], nullptr, 16)));
    gs::schedule::weaken(code, std::atoi(arguments[1]));
    const gs::models::Outcome outcome = gs::models::explore_world(models[number], kMostRuns);
    std::printf("%s %" PRIu64 "\n", outcome.failed ? "found" : "sound", outcome.schedules);
    return 0;
}

} // namespace

int main(int count, char **arguments) {
    if (count == 2 && std::strcmp(arguments[1], "list") == 0) return list();
    if (count > 4 && std::strcmp(arguments[1], "try") == 0) return attempt(count - 2, arguments + 2);
    std::fprintf(stderr, "usage: %s list | try MODEL ORDER ADDRESS...\n", arguments[0]);
    return 2;
}
