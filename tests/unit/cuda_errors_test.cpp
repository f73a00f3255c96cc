// SPDX-License-Identifier: Apache-2.0
#if defined(GPUSTREAM_WITH_CUDA)
#include "backend/cuda/driver/driver_errors.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs::cuda {
namespace {

// The driver's own header is the authority on names and numbers.
#define X(code, name, text) static_assert(static_cast<int>(name) == (code));
#define X_NEWER(code, name, text)
#include "backend/cuda/driver/driver_error_texts.inc"

struct Listed {
    int code;
    const char *name;
};
constexpr Listed kListed[] = {
#define X(code, name, text) {code, #name},
#include "backend/cuda/driver/driver_error_texts.inc"
};

TEST(CudaErrors, EveryCodeHasItsNameAndAText) {
    std::set<std::string> names;
    for (const Listed &entry : kListed) {
        const char *found = find_error_text(entry.code);
        ASSERT_NE(found, nullptr) << entry.code;
        EXPECT_STREQ(error_text(entry.code), found);
        EXPECT_EQ(std::string(found).rfind(std::string(entry.name) + ": ", 0), 0u) << entry.name;
        EXPECT_GT(std::strlen(found), std::strlen(entry.name) + 3);
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is listed twice";
    }
}

TEST(CudaErrors, UnknownCodesAreSaidToBeUnknown) {
    for (const int code : {-1, 9, 35, 99, 899, 998, 1000, 0x7FFFFFFF}) {
        EXPECT_EQ(find_error_text(code), nullptr) << code;
        EXPECT_EQ(std::string(error_text(code)).rfind("unknown CUDA error: ", 0), 0u);
        EXPECT_NE(std::strstr(error_text(code), "does not know"), nullptr);
    }
}

TEST(CudaErrors, ExactlyTheFinalCodesAreSticky) {
    const std::set<int> final_codes = {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};
    for (const Listed &entry : kListed)
        EXPECT_EQ(is_sticky(static_cast<CUresult>(entry.code)), final_codes.count(entry.code) == 1) << entry.name;
}

TEST(CudaErrors, StatusOfEachFamily) {
    const auto status = [](int code) { return plain_status(static_cast<CUresult>(code), GS_ERROR_DRIVER); };
    EXPECT_EQ(status(0), GS_OK);
    EXPECT_EQ(status(600), GS_NOT_READY);
    EXPECT_EQ(status(2), GS_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(status(4), GS_ERROR_SHUTDOWN);
    EXPECT_EQ(status(101), GS_ERROR_INVALID_DEVICE);
    EXPECT_EQ(status(400), GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(status(709), GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(status(201), GS_ERROR_DRIVER);
    EXPECT_EQ(status(800), GS_ERROR_NOT_PERMITTED);
    EXPECT_EQ(status(801), GS_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(status(700), GS_ERROR_STICKY);
    for (int code = 900; code <= 908; ++code) EXPECT_EQ(status(code), GS_ERROR_CAPTURING) << code;
    EXPECT_EQ(status(909), GS_ERROR_DRIVER);
    EXPECT_EQ(status(999), GS_ERROR_DRIVER);
    EXPECT_EQ(status(1), GS_ERROR_DRIVER);
    EXPECT_EQ(plain_status(CUDA_ERROR_INVALID_VALUE, GS_ERROR_INVALID_ARGUMENT), GS_ERROR_INVALID_ARGUMENT);
}

TEST(CudaErrors, FailureNamesTheCallTheCodeAndTheText) {
    EXPECT_EQ(map_error_no_device(CUDA_ERROR_DEVICE_UNAVAILABLE, {"cuDevicePrimaryCtxRetain"}).code, GS_ERROR_DRIVER);
    const gs_error_info_t &detail = this_thread()->pending;
    EXPECT_EQ(detail.native_code, 46);
    EXPECT_EQ(detail.backend, GS_BACKEND_CUDA);
    EXPECT_STREQ(detail.native_function, "cuDevicePrimaryCtxRetain");
    EXPECT_NE(std::strstr(detail.message, "cuDevicePrimaryCtxRetain"), nullptr);
    EXPECT_NE(std::strstr(detail.message, "CUDA_ERROR_DEVICE_UNAVAILABLE"), nullptr);
    EXPECT_EQ(detail.sticky, 0);
}

TEST(CudaErrors, AStickyCodeWithoutADeviceIsTheFailureOfThatCallAlone) {
    EXPECT_EQ(map_error_no_device(CUDA_ERROR_ECC_UNCORRECTABLE, {"cuDevicePrimaryCtxRetain"}).code, GS_ERROR_DRIVER);
    EXPECT_EQ(this_thread()->pending.sticky, 0);
}

TEST(CudaErrors, EachCaptureCodeHasAdviceOfItsOwn) {
    std::set<std::string> texts;
    for (int code = 900; code <= 908; ++code) {
        EXPECT_EQ(fail_capturing(static_cast<CUresult>(code), "cuStreamQuery").code, GS_ERROR_CAPTURING);
        const gs_error_info_t &detail = this_thread()->pending;
        EXPECT_EQ(detail.native_code, code);
        texts.insert(detail.message);
    }
    EXPECT_EQ(texts.size(), 9u);
}

TEST(CudaErrors, FailuresOfTheStartHaveReasons) {
    EXPECT_EQ(fail_start(CUDA_ERROR_NO_DEVICE, "cuInit").code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(this_thread()->pending.reason, GS_REASON_NO_DEVICE);
    EXPECT_EQ(fail_start(CUDA_ERROR_STUB_LIBRARY, "cuInit").code, GS_ERROR_UNAVAILABLE);
    EXPECT_EQ(this_thread()->pending.reason, GS_REASON_STUB);
    EXPECT_EQ(fail_start(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "cuInit").code, GS_ERROR_DRIVER);
    EXPECT_EQ(fail_start(CUDA_ERROR_OUT_OF_MEMORY, "cuInit").code, GS_ERROR_OUT_OF_MEMORY);
}

} // namespace
} // namespace gs::cuda
#endif
