// SPDX-License-Identifier: Apache-2.0
#include "support/backend_param.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace gs::test {
namespace {

// No backend is started for the tests of initialisation, which run in processes of their own.
bool wants_no_start() {
    const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
    return std::strncmp(test->name(), "Init_", 5) == 0;
}

// GPUSTREAM_TEST_SETTINGS=NAME=VALUE,NAME=VALUE...: as if each had been set in the environment.
void apply_settings() {
    const char *text = std::getenv("GPUSTREAM_TEST_SETTINGS");
    std::stringstream settings(text ? text : "");
    for (std::string setting; std::getline(settings, setting, ',');) {
        const size_t equals = setting.find('=');
        if (equals == std::string::npos) {
            std::fprintf(stderr, "GPUSTREAM_TEST_SETTINGS: '%s' is not NAME=VALUE\n", setting.c_str());
            std::exit(2);
        }
        setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
    }
    unsetenv("GPUSTREAM_TEST_SETTINGS"); // a child may be started with other values
}

} // namespace

gs_backend_t asked_backend() {
    const char *name = std::getenv("GPUSTREAM_TEST_BACKEND");
    if (!name || *name == '\0' || std::strcmp(name, "host") == 0) return GS_BACKEND_HOST;
    if (std::strcmp(name, "cuda") == 0) return GS_BACKEND_CUDA;
    std::fprintf(stderr, "GPUSTREAM_TEST_BACKEND='%s' is neither host nor cuda\n", name);
    std::exit(2);
}

void prepare_backend_tests() {
    apply_settings();
    const gs_backend_t backend = asked_backend();
    setenv("GPUSTREAM_BACKEND", backend_name(backend), 1); // read by the library at its first start
    ::testing::GTEST_FLAG(filter) = backend == GS_BACKEND_HOST ? "*-*/cuda" : "*-*/host";
}

const char *backend_name(gs_backend_t kind) { return kind == GS_BACKEND_CUDA ? "cuda" : "host"; }

std::string backend_param_name(const ::testing::TestParamInfo<gs_backend_t> &info) { return backend_name(info.param); }

void BackendTest::SetUp() {
    if (GetParam() != asked_backend())
        GTEST_SKIP() << "this process runs on " << backend_name(asked_backend()) << " (GPUSTREAM_TEST_BACKEND)";
    if (wants_no_start()) return;
    const gs_status_t status = gs_init();
    // A fake driver was named by path: it must exist.
    if (status == GS_ERROR_UNAVAILABLE && on_cuda() && !std::getenv("GPUSTREAM_LIBCUDA"))
        GTEST_SKIP() << "no CUDA here: " << last_text();
    ASSERT_OK(status);
}

void BackendTest::TearDown() {
    if (IsSkipped() || wants_no_start()) return;
    // State that one test leaves behind must not affect another.
    EXPECT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT));
    EXPECT_OK(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_TORCH));
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(0)) << "the test left a scope open";
    if (gs_device_check(0) == GS_ERROR_CONTEXT_LOST) return; // the test's subject; its process ends here
    EXPECT_OK(gs_set_current_device(0));
    for (int32_t device = 0; device < device_count(); ++device)
        EXPECT_EQ(current_stream(device), default_stream(device));
}

int32_t BackendTest::device_count() const {
    int32_t count = 0;
    EXPECT_OK(gs_device_count(GS_BACKEND_DEFAULT, &count));
    return count;
}

bool BackendTest::elides() {
    const char *text = std::getenv("GPUSTREAM_ELIDE");
    return !text || std::strcmp(text, "0") != 0;
}

} // namespace gs::test
