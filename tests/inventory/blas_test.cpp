// SPDX-License-Identifier: Apache-2.0
// cuBLAS handles: one per thread, device and stream, from the right library, without breaking captures.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

#include "inventory/inventory_support.hpp"
#include "support/cuda_driver.hpp"

namespace gs::test {
namespace {

uintptr_t blas_handle() {
    uintptr_t handle = 0;
    EXPECT_OK(gs_current_blas_handle(&handle));
    EXPECT_NE(handle, 0u);
    return handle;
}

template <typename Function>
Function library_function(const char *path, const char *name) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        std::fprintf(stderr, "library_function(%s, %s): %s\n", path, name, dlerror());
        std::abort();
    }
    return reinterpret_cast<Function>(found);
}

uintptr_t stream_of(uintptr_t handle) {
    auto *bound = library_function<void *(*)(void *)>(GS_TEST_FAKE_CUBLAS, "fake_cublas_stream");
    return reinterpret_cast<uintptr_t>(bound(reinterpret_cast<void *>(handle)));
}

} // namespace

TEST(BlasHandle, OnePerThreadDeviceAndStream) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", GS_TEST_FAKE_CUBLAS}});
    gs_stream_t streams[2] = {};
    std::set<uintptr_t> seen{blas_handle()};
    EXPECT_EQ(stream_of(*seen.begin()), 0u);
    ASSERT_OK(gs_stream_create(0, 0, 0, &streams[0]));
    ASSERT_OK(gs_stream_create(1, 0, 0, &streams[1]));
    for (gs_stream_t stream : streams) {
        ASSERT_OK(gs_set_current_stream(stream));
        uintptr_t native = 0;
        ASSERT_OK(gs_stream_native(stream, &native));
        const uintptr_t handle = blas_handle();
        EXPECT_TRUE(seen.insert(handle).second) << "another stream's handle";
        EXPECT_EQ(stream_of(handle), native);
        EXPECT_EQ(blas_handle(), handle) << "the same one again";
        uintptr_t elsewhere = 0;
        std::thread([&] {
            ASSERT_OK(gs_set_current_stream(stream));
            elsewhere = blas_handle();
            EXPECT_EQ(stream_of(elsewhere), native);
        }).join();
        EXPECT_NE(elsewhere, handle);
    }
    gs_stream_t first = nullptr;
    ASSERT_OK(gs_default_stream(0, &first));
    ASSERT_OK(gs_set_current_stream(first));
    for (gs_stream_t stream : streams) EXPECT_OK(gs_stream_destroy(stream));
}

TEST(BlasHandle, Failures) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", GS_TEST_FAKE_CUBLAS}, {"FAKE_CUBLAS_CREATE", "3"}});
    uintptr_t handle = 7;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_current_blas_handle, "out_handle", nullptr);
    EXPECT_FAILS(GS_ERROR_OUT_OF_MEMORY, gs_current_blas_handle, "3", &handle);
    EXPECT_EQ(handle, 0u);
    EXPECT_STREQ(last_error().native_function, "cublasCreate_v2");
    set("FAKE_CUBLAS_CREATE", "14");
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_current_blas_handle, "14", &handle);
    set("FAKE_CUBLAS_CREATE", nullptr);
    EXPECT_NE(blas_handle(), 0u);
    ASSERT_OK(gs_set_current_device(GS_DEVICE(GS_BACKEND_HOST, 0)));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_current_blas_handle, "host", &handle);
}

// cuBLAS allocates, which would break the capture of a thread in global mode.
TEST(BlasHandle, AnotherThreadsCaptureSurvives) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", GS_TEST_FAKE_CUBLAS}});
    const auto begin = driver_symbol<int (*)(void *, int)>("cuStreamBeginCapture_v2");
    const auto end = driver_symbol<int (*)(void *, void **)>("cuStreamEndCapture");
    gs_stream_t stream = nullptr;
    uintptr_t native = 0;
    ASSERT_OK(gs_stream_create(0, 0, 0, &stream));
    ASSERT_OK(gs_stream_native(stream, &native));
    auto *captured = reinterpret_cast<void *>(native);
    for (int round = 0; round < 2; ++round) { // makes a handle, then binds it again
        ASSERT_EQ(begin(captured, 0), 0);     // CU_STREAM_CAPTURE_MODE_GLOBAL
        std::thread([] { blas_handle(); }).join();
        void *graph = nullptr;
        EXPECT_EQ(end(captured, &graph), 0) << "invalidated";
        EXPECT_NE(graph, nullptr);
    }
    EXPECT_OK(gs_stream_destroy(stream));
}

// A handle of one version is invalid for the functions of another.
TEST(BlasHandle, OfTheLibraryThatTheProcessWorksWith) {
    OWN_PROCESS({{"LD_LIBRARY_PATH", GS_TEST_FAKE_CUBLAS_13_DIR}});
    const auto made = library_function<int (*)()>(GS_TEST_FAKE_CUBLAS_12, "fake_cublas_handles"); // loads it
    EXPECT_NE(blas_handle(), 0u);
    EXPECT_EQ(made(), 1) << "of version 13, which can be found but is not loaded";
}

TEST(BlasHandle, OfTheNewerOneOfTwoThatAreLoaded) {
    OWN_PROCESS();
    const auto made_12 = library_function<int (*)()>(GS_TEST_FAKE_CUBLAS_12, "fake_cublas_handles");
    const auto made_13 = library_function<int (*)()>(GS_TEST_FAKE_CUBLAS_13, "fake_cublas_handles");
    EXPECT_NE(blas_handle(), 0u);
    EXPECT_EQ(made_12(), 0);
    EXPECT_EQ(made_13(), 1);
}

TEST(BlasHandle, ALibraryThatComesLater) {
    const std::string path = std::string(GS_TEST_FAKE_CUBLAS) + ".late";
    unlink(path.c_str());
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", path}});
    uintptr_t handle = 7;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_current_blas_handle, path.c_str(), &handle);
    ASSERT_EQ(symlink(GS_TEST_FAKE_CUBLAS, path.c_str()), 0);
    EXPECT_NE(blas_handle(), 0u);
    ASSERT_EQ(unlink(path.c_str()), 0);
    EXPECT_NE(blas_handle(), 0u) << "the one that was found stays";
}

TEST(BlasHandle, NoLibrary) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", "/no/such/libcublas.so"}});
    uintptr_t handle = 7;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_current_blas_handle, "/no/such/libcublas.so", &handle);
    EXPECT_EQ(handle, 0u);
}

TEST(BlasHandle, ALibraryThatIsNoCublas) {
    OWN_PROCESS({{"GPUSTREAM_LIBCUBLAS", GS_TEST_FAKE_NVML}});
    uintptr_t handle = 7;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_current_blas_handle, "cublasCreate_v2", &handle);
}

} // namespace gs::test
