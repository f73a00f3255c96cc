// SPDX-License-Identifier: Apache-2.0
// The oracle's programs on GPUs. A work is a kernel that notes which works have run, and then that it has: its result
// depends on the order. A gate is a kernel that spins until the host opens it.
#pragma once

#include <array>

#include "oracle/ground.hpp"

namespace gs::oracle {

// What kernels and host both see: pinned memory, laid out as the kernels in gpu_site.cpp expect it.
inline constexpr int kMaxGates = 4;
// Its kernels know the places: one for each bit of the oracle's sets.
inline constexpr int kPlaces = 64;
static_assert(kMaxWorks <= kPlaces);
struct Board {
    uint8_t done[kPlaces];
    uint8_t again[kPlaces];
    uint32_t open[kMaxGates];
    uint32_t passed[kMaxGates];
    uint32_t stuck; // a gate gave up
    uint32_t reserved[7];
    uint8_t seen[kPlaces][kPlaces];
};

class GpuSite final : public Site, private Engine {
public:
    // Loads the kernels on every device that programs use. Ends the process if a call fails.
    GpuSite();
    ~GpuSite() override;
    // Puts the streams that this site has used into the library's pool, once all sites exist and before any runs. A driver
    // may wait for all work of a device when it makes a stream. That work may include another site's gate, whose thread
    // waits for the driver (seen on two H100s with 16 threads).
    void release_streams();

    Engine &engine() override { return *this; }
    std::unique_ptr<Ground> ground(const Program &program) override;
    // One: streams share hardware queues, so a gate of one program may hold up the streams of another one, and with it
    // the thread that should open the gate.
    uint64_t batch() const override { return 1; }
    bool has_two_devices() const override { return devices_ > 1; }

private:
    void hold() override {}
    void release() override {}
    void settle(int waits) override;
    bool broken() const override { return false; }

    void warm_up(int32_t device);

    struct Kernels {
        gs_module_t module = nullptr;
        gs_kernel_t work = nullptr;
        gs_kernel_t gate = nullptr;
    };
    friend class GpuGround;

    int32_t devices_ = 0;
    std::array<Kernels, 2> kernels_;
    Board *board_ = nullptr;
    std::vector<gs_stream_t> streams_;
};

} // namespace gs::oracle
