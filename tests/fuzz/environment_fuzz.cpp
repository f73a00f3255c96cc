// SPDX-License-Identifier: Apache-2.0
// Every environment variable that the library reads, before a backend starts: afterwards they do not count. An input is
// one line of text for each, in the order of base/env.hpp; "-" leaves it unset, and "@" and a digit name a file that no
// library should be (strange_files.hpp).
#include <cstdlib>

#include "base/env.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/strange_files.hpp"
#include "fuzz/texts.hpp"
#include "gpustream.h"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::AcceptTrailingText};

namespace {

int g_warnings = 0;

void check_log(void *, int32_t level, const char *text) {
    FUZZ_REQUIRE(level >= GS_LOG_ERROR && level <= GS_LOG_INFO, text);
    FUZZ_REQUIRE(is_text(text), printable(text));
    g_warnings += level == GS_LOG_WARNING;
}

// Blanks, a sign, digits and nothing else, within the limits.
bool is_number(const std::string &text, int64_t least, int64_t greatest, int64_t *out) {
    const size_t first = text.find_first_not_of(" \t\n\v\f\r");
    if (first == std::string::npos) return false;
    const bool minus = text[first] == '-';
    const size_t digits = first + (minus || text[first] == '+' ? 1 : 0);
    if (digits == text.size() || text.find_first_not_of("0123456789", digits) != std::string::npos) return false;
    int64_t value = 0;
    for (size_t i = digits; i < text.size() && value <= 1'000'000; ++i) value = value * 10 + (text[i] - '0');
    *out = minus ? -value : value;
    return *out >= least && *out <= greatest;
}

void check_number(Variable variable, int64_t fallback, int64_t least, int64_t greatest) {
    const char *text = env_now(variable);
    int64_t wanted = fallback;
    const bool ignored = text && *text != '\0' && !is_number(text, least, greatest, &wanted);
    if (ignored) wanted = fallback;
    g_warnings = 0;
    const int64_t got = env_number(variable, fallback, least, greatest);
    const std::string detail = std::string(name_of(variable)) + "=" + printable(text ? text : "") + " is " +
                               std::to_string(got) + ", should be " + std::to_string(wanted);
    FUZZ_REQUIRE(got == wanted, detail);
    FUZZ_REQUIRE(g_warnings == (ignored ? 1 : 0), detail);
}

// The status, with its record where it is an error.
gs_status_t checked(const char *function, gs_status_t status) {
    if (status != GS_OK) check_error_record(function, status);
    note("%s %s", function, gs_status_name(status));
    return status;
}

void check_backend() {
    const char *text = env_now(Variable::Backend);
    const std::string name = text ? text : "";
    const bool any = name.empty() || name == "auto", known = any || name == "host" || name == "cuda";
    gs_backend_t backend = -1;
    gs_status_t status = checked("gs_default_backend", gs_default_backend(&backend));
    FUZZ_REQUIRE(status == (known ? GS_OK : GS_ERROR_INVALID_ARGUMENT), printable(name));
    FUZZ_REQUIRE(known ? backend == GS_BACKEND_HOST || backend == GS_BACKEND_CUDA : backend == 0, printable(name));
    FUZZ_REQUIRE(!known || any || (backend == GS_BACKEND_HOST) == (name == "host"), printable(name));
    int32_t available = -1;
    status = checked("gs_is_available", gs_is_available(&available));
    FUZZ_REQUIRE(status == (known ? GS_OK : GS_ERROR_INVALID_ARGUMENT), printable(name));
    FUZZ_REQUIRE(available == 0 || (available == 1 && known), printable(name));
    FUZZ_REQUIRE(name != "host" || available == 1, printable(name));
}

void check_devices() {
    int32_t count = -1, gpus = -1, entries = -1;
    const char *text = env_now(Variable::HostDevices);
    int64_t wanted = 2;
    if (!text || !is_number(text, 1, 64, &wanted)) wanted = 2;
    FUZZ_REQUIRE(gs_device_count(GS_BACKEND_HOST, &count) == GS_OK && count == wanted, printable(text ? text : ""));
    FUZZ_REQUIRE(gs_device_count(GS_BACKEND_CUDA, &count) == GS_OK && count >= 0, std::to_string(count));
    const gs_status_t status = checked("gs_inventory_count", gs_inventory_count(&gpus, &entries));
    FUZZ_REQUIRE(status == GS_OK || status == GS_ERROR_UNAVAILABLE || status == GS_ERROR_DRIVER,
                 gs_status_name(status));
    FUZZ_REQUIRE(status == GS_OK ? entries >= gpus && gpus >= 0 : gpus == 0 && entries == 0, std::to_string(gpus));
}

} // namespace

void start() {
    make_strange_files();
    gs_set_log_callback(check_log, nullptr);
}

void one(Bytes input) {
    for (int i = 0; i < kVariables; ++i) {
        const std::string line = input.line();
        const char *name = name_of(static_cast<Variable>(i));
        // A list of another GPU's devices is the devices harness's subject, and a C program's value has no NUL.
        if (line == "-" || input.empty())
            unsetenv(name);
        else
            setenv(name, strange_path(line).c_str(), 1);
    }
    check_number(Variable::HostDevices, 2, 1, 64);
    check_number(Variable::HostWorkers, 5, 1, 1024);
    check_number(Variable::Elide, 1, 0, 1);
    check_backend();
    check_devices();
    int32_t initialized = -1;
    FUZZ_REQUIRE(gs_is_initialized(&initialized) == GS_OK && initialized == 0, "reading the environment started it");
}

} // namespace gs::fuzz
