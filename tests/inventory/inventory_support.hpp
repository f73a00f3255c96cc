// SPDX-License-Identifier: Apache-2.0
// The fakes' controls and short forms of the calls under test. Every process of these tests begins with the fake driver
// and the fake NVML, no CUDA_VISIBLE_DEVICES and no CUDA_DEVICE_ORDER.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "support/own_process.hpp"
#include "support/status_matchers.hpp"

namespace gs::test {

// Of the libraries that the environment names, which are opened if they were not.
uint64_t nvml_calls();
int32_t nvml_users();
void nvml_inject(uint64_t nth, int32_t code);
void nvml_hold(bool hold);
int32_t nvml_waiting();
uint64_t driver_calls(const char *function); // nullptr: all
// Checks that the driver was not initialised, and was called only to find out whether another library has done so.
void expect_no_driver();
// Plays another library in the process: cuInit.
void initialise_cuda_as_another_library();
std::string nvml_injected(); // the function that nvml_inject made fail; "": none yet

inline constexpr gs_device_t kCuda0 = GS_DEVICE(GS_BACKEND_CUDA, 0);
inline constexpr gs_device_t kCuda1 = GS_DEVICE(GS_BACKEND_CUDA, 1);

inline int32_t count(gs_backend_t backend = GS_BACKEND_CUDA) {
    int32_t value = -1;
    EXPECT_OK(gs_device_count(backend, &value));
    return value;
}

inline gs_inventory_entry_t entry(int32_t index) {
    gs_inventory_entry_t value{};
    value.struct_size = sizeof value;
    EXPECT_OK(gs_inventory_get(index, &value));
    return value;
}

// An output of gs_device_get_telemetry().
struct Telemetry : gs_telemetry_t {
    Telemetry() : gs_telemetry_t{} { struct_size = sizeof(gs_telemetry_t); }
};

// -1: a failure, see gs_last_error.
inline int32_t index_of(gs_device_t device) {
    int32_t value = 77;
    if (gs_inventory_index(device, &value) == GS_OK) return value;
    EXPECT_EQ(value, 0);
    return -1;
}

inline void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

// The exit code of a forked child, -1 if it did not exit.
template <typename Body>
int forked(Body &&body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(30); // a child that hangs is killed
        _exit(body());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string gpu_uuid(int gpu); // of both fakes
std::string mig_uuid(int gpu, int instance);

} // namespace gs::test
