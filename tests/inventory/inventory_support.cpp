// SPDX-License-Identifier: Apache-2.0
#include "inventory/inventory_support.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace gs::test {
namespace {

[[maybe_unused]] const bool g_prepared = [] {
    setenv("GPUSTREAM_LIBCUDA", GS_TEST_FAKE_DRIVER, 0);
    setenv("GPUSTREAM_LIBNVML", GS_TEST_FAKE_NVML, 0);
    setenv("GPUSTREAM_BACKEND", "cuda", 0);
    if (!std::getenv("GS_TEST_OWN_PROCESS")) {
        unsetenv("CUDA_VISIBLE_DEVICES");
        unsetenv("CUDA_DEVICE_ORDER");
    }
    return true;
}();

template <typename Function>
Function control(const char *variable, const char *name) {
    void *library = dlopen(std::getenv(variable), RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        std::fprintf(stderr, "control(%s, %s): %s\n", variable, name, dlerror());
        std::abort();
    }
    return reinterpret_cast<Function>(found);
}

} // namespace

uint64_t nvml_calls() { return control<uint64_t (*)()>("GPUSTREAM_LIBNVML", "fake_nvml_calls")(); }
int32_t nvml_users() { return control<int32_t (*)()>("GPUSTREAM_LIBNVML", "fake_nvml_users")(); }
void nvml_inject(uint64_t nth, int32_t code) {
    control<void (*)(uint64_t, int32_t)>("GPUSTREAM_LIBNVML", "fake_nvml_inject")(nth, code);
}
void nvml_hold(bool hold) { control<void (*)(int32_t)>("GPUSTREAM_LIBNVML", "fake_nvml_hold")(hold ? 1 : 0); }
int32_t nvml_waiting() { return control<int32_t (*)()>("GPUSTREAM_LIBNVML", "fake_nvml_waiting")(); }

uint64_t driver_calls(const char *function) {
    return control<uint64_t (*)(const char *)>("GPUSTREAM_LIBCUDA", "fake_cuda_calls")(function);
}

void expect_no_driver() {
    int32_t initialized = 1;
    EXPECT_OK(gs_is_initialized(&initialized));
    EXPECT_EQ(initialized, 0);
    EXPECT_EQ(driver_calls("cuInit"), 0u) << "a query initialised CUDA";
    EXPECT_EQ(driver_calls(nullptr), driver_calls("cuDeviceGetCount")) << "the inventory called the driver";
}

void initialise_cuda_as_another_library() {
    EXPECT_EQ(control<int (*)(unsigned)>("GPUSTREAM_LIBCUDA", "cuInit")(0), 0);
}

std::string nvml_injected() { return control<const char *(*)()>("GPUSTREAM_LIBNVML", "fake_nvml_injected")(); }

std::string gpu_uuid(int gpu) {
    char text[64];
    std::snprintf(text, sizeof text, "GPU-67707573-7472-6561-6d2d-66616b652d%02x", gpu);
    return text;
}

std::string mig_uuid(int gpu, int instance) {
    char text[64];
    std::snprintf(text, sizeof text, "MIG-00000000-0000-0000-0000-00000000%02x%02x", gpu, instance);
    return text;
}

} // namespace gs::test
