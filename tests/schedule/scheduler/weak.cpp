// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler/weak.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gs::schedule {
namespace {

struct Step {
    int thread;
    const char *doing;
    uintptr_t object;
    uint64_t value;
    int order;
    const void *code;
};

std::vector<Step> g_steps;
Sites g_sites;
std::vector<const void *> g_weakened;
int g_weakened_order = __ATOMIC_SEQ_CST;

} // namespace

const Sites &sites() noexcept { return g_sites; }
void forget_sites() noexcept { g_sites.clear(); }
void note_site(const char *doing, int order, const void *code) { g_sites.try_emplace(code, Site{doing, order}); }

void weaken(std::vector<const void *> code, int order) {
    g_weakened = std::move(code);
    g_weakened_order = order;
}

int order_of(int order, const void *code) noexcept {
    return std::find(g_weakened.begin(), g_weakened.end(), code) == g_weakened.end() ? order : g_weakened_order;
}

void forget_steps() noexcept { g_steps.clear(); }

void note_step(int thread, const char *doing, uintptr_t object, uint64_t value, int order, const void *code) {
    g_steps.push_back({thread, doing, object, value, order, code});
}

std::string describe_steps() {
    std::string text;
    char line[160];
    for (const Step &step : g_steps) {
        std::snprintf(line, sizeof line, "\n  %*sthread %d: %s %#zx = %#llx (order %d) at %p", step.thread * 4, "",
                      step.thread, step.doing, step.object, static_cast<unsigned long long>(step.value), step.order,
                      step.code);
        text += line;
    }
    return text;
}

} // namespace gs::schedule
