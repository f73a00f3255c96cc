// SPDX-License-Identifier: Apache-2.0
#include "fault/fake_driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace gs::test {

void *FakeDriver::find(const char *name) const {
    void *found = dlsym(library, name);
    if (found) return found;
    std::fprintf(stderr, "the fake driver has no %s\n", name);
    std::abort();
}

const FakeDriver &fake() {
    static const FakeDriver instance = [] {
        FakeDriver driver{};
        const char *path = std::getenv("GPUSTREAM_LIBCUDA");
        driver.library = dlopen(path ? path : kFakeDriver, RTLD_NOW | RTLD_LOCAL);
        if (!driver.library) {
            std::fprintf(stderr, "%s\n", dlerror());
            std::abort();
        }
#define X(name) driver.name = driver.symbol<decltype(&fake_cuda_##name)>("fake_cuda_" #name);
        GS_FAKE_CONTROLS(X)
#undef X
        return driver;
    }();
    return instance;
}

std::string FakeDriver::violation_text() const {
    char text[4096] = "";
    return violations(text, sizeof text) == 0 ? std::string() : text;
}

std::string FakeDriver::injected_name() const {
    char name[128] = "";
    return injected(name, sizeof name) == 0 ? std::string() : name;
}

std::vector<std::string> FakeDriver::trace_lines() const {
    std::string text(trace(nullptr, 0) + 1, '\0');
    trace(text.data(), text.size());
    text.pop_back();
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

} // namespace gs::test
