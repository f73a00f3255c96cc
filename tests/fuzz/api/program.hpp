// SPDX-License-Identifier: Apache-2.0
// The program that an input is: steps, made one after another by a few threads. The input says which thread is next.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "fuzz/api/model.hpp"
#include "fuzz/api/order.hpp"
#include "fuzz/bytes.hpp"
#include "support/logical_thread.hpp"

namespace gs::fuzz {

inline constexpr int kThreads = 3;
inline constexpr int kMostSteps = 96;

struct Call;

class Program {
public:
    Program(Bytes input, Model &model);
    virtual ~Program();
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    void run();

    // For the steps.
    Bytes input;
    Model &model;
    Order order;
    int thread = 0;                         // that makes the present step
    std::vector<uint64_t> scopes[kThreads]; // open ones
    std::vector<gs_stream_triple_t> triples;
    std::vector<gs_ipc_handle_t> exported;
    std::vector<uint64_t> all_scopes[kThreads];
    bool had_scope(uint64_t scope) const; // on the present thread
    struct Memory {
        void *pointer;
        size_t bytes;
        Order::Name stream; // none: of gs_malloc_host()
        gs_device_t device;
        bool used;
    };
    std::vector<Memory> memory;
    bool with_captures = false;       // calls may be refused because a stream is being captured
    bool in_notification[kThreads]{}; // by gs_forbid_sync(): calls that wait are refused
    bool faulty = false;     // driver calls were made to fail: a step may fail, and that differs from run to run
    uint64_t refused = 0;    // how many
    size_t kept_streams = 0; // shared ones: the library may keep a driver stream for each
    struct Given {
        gs_device_t device;
        uintptr_t native;
        bool event;
    };
    std::vector<Given> given; // by the library with gs_stream_into_native() and gs_event_into_native()
    struct Library {          // that a bridge leads to
        Program *program;
        char name[16];
        uint32_t refuse_every, calls; // of its functions that set something; 0: none
        uintptr_t current[kThreads][2];
    };
    std::vector<std::unique_ptr<Library>> libraries;
    std::vector<int32_t> bridges; // registered ones
    uint64_t running_trace = 0;   // its number; 0: none
    int releases_due = 0;         // of streams wrapped with gs_stream_from_native_owned()
    std::atomic<int> released{0};

protected:
    virtual void make(const Call &call); // the present step, on its thread
    virtual void end_thread(int number); // on that thread
    virtual void clean_up();

private:
    void step();
    void end_bridges();
    static gs_status_t destroy(const Object &object);
    void destroy_given();

    std::unique_ptr<test::LogicalThread> threads_[kThreads];
};

} // namespace gs::fuzz
