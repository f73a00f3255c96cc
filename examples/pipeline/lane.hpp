// SPDX-License-Identifier: Apache-2.0
// One worker's share of the device: its streams, its buffers, and the chunks it has in flight.
#pragma once

#include <array>
#include <vector>

#include "collector.hpp"
#include "file_reader.hpp"
#include "kernels.hpp"
#include "stages.hpp"

namespace pipeline {

// What all lanes of a run use.
struct LaneSetup {
    gpustream::device device;
    const Kernels &kernels;
    const FileReader &file;
    gpustream::timed_event_ref time_zero; // recorded and done
    uint32_t chunk_bytes;
    Collector &collector;
    bool forget_wait; // the kernel does not wait for copy-in
};

// All functions, including construction and destruction, belong to one thread, which holds the lane's scope.
class Lane {
public:
    Lane(const LaneSetup &setup, const LanePlan &plan);
    ~Lane();
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;

    // Reads a chunk and submits its three stages. Waits only for what it needs: a free buffer.
    void process(const Chunk &chunk);
    // Waits for the chunks still in flight and delivers them.
    void finish();

private:
    struct StageEvents {
        // Waiting for it sleeps instead of spinning.
        gpustream::timed_event start = gpustream::timed_event::create(gpustream::event_flags::blocking);
        gpustream::timed_event end = gpustream::timed_event::create(gpustream::event_flags::blocking);
    };
    // The path of the bytes: file -> host -> device. There are two, so that one is filled while the other is processed.
    struct Input {
        gpustream::host_buffer host;
        gpustream::buffer device;
    };
    // A chunk in flight: its events, and where its result arrives. There are more of them than inputs, so that
    // reading continues while results are on their way.
    struct Ticket {
        std::array<StageEvents, kStages> events;
        gpustream::buffer device_result;
        gpustream::host_buffer host_result;
        Chunk chunk{};
        bool in_flight = false;

        gpustream::timed_event_ref start(Stage stage) const { return events[static_cast<size_t>(stage)].start; }
        gpustream::timed_event_ref end(Stage stage) const { return events[static_cast<size_t>(stage)].end; }
    };
    static constexpr size_t kInputs = 2;
    static constexpr size_t kTickets = 4;

    gpustream::stream_ref stream_of(Stage stage) const;
    template <class Work>
    void timed(const Ticket &ticket, Stage stage, Work work);
    void copy_in(const Ticket &ticket, const Input &input);
    void run_kernel(const Ticket &ticket, const Input &input);
    void copy_out(const Ticket &ticket);
    void deliver(Ticket &ticket);

    const LaneSetup &setup_;
    const LanePlan plan_;
    std::vector<gpustream::stream> streams_;
    gpustream::stream_guard guard_;
    std::vector<Input> inputs_;
    std::array<Ticket, kTickets> tickets_;
    uint64_t started_ = 0; // chunks so far
};

} // namespace pipeline
