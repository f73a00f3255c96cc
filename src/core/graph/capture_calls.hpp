// SPDX-License-Identifier: Apache-2.0
// Captures that begin through the library: who may end them, what graph they make, who broke them.
#pragma once

#include <bitset>
#include <map>
#include <type_traits>

#include "core/graph/graph_slots.hpp"
#include "core/lookup.hpp"
#include "core/slots.hpp"
#include "core/stream/captured.hpp"

namespace gs {

// The captures in progress that began through the library.

// A call of the library that broke a capture.
struct CaptureBreak {
    char function[64] = {};
    int32_t code = 0;
    uint64_t thread = 0; // the operating system's number
    uint64_t stream = 0; // a handle, or 0
};

using DeviceSet = std::bitset<kMaxDevices>; // by Device::index

struct CaptureFacts {
    uint64_t number = 0; // the library's, from 1
    // The stream that began it, as the driver has it: its handle may end and its slot have another stream before that.
    Device *device = nullptr;
    uintptr_t native = 0;
    uint64_t origin = 0; // its handle at the beginning
    bool origin_blocks = false;
    uint64_t id = 0; // the driver's; 0: not asked for yet
    int32_t mode = GS_CAPTURE_GLOBAL;
    uint64_t serial = 0;   // of the thread that began it
    uint64_t thread = 0;   // the operating system's number
    uint64_t graph = 0;    // handle; 0: nothing has needed the graph yet
    bool to_graph = false; // into a graph that existed
};

struct MemoryOfCapture {
    const Device *device;
    enum State : uint8_t { Allocated, Freed, FreedAtEnd } state;
};

// Most captures are of one stream, and only their end tells anyone their graph. So neither the driver's number nor its graph is
// asked for before it is needed (know_graph()).
struct Capture : CaptureFacts {
    GraphSlot *unseen = nullptr; // the slot of the graph while it has no handle: guarded by the table's mutex
    bool ending = false;         // see claim_end(); guarded likewise, as what follows
    CaptureBreak broken;
    uint64_t joined[4] = {}; // handles of the first streams that joined it, for the text of a failed end
    DeviceSet devices;       // of the streams that joined it
    DeviceSet blocking;      // of the blocking ones among them
    Capture *next = nullptr;
    std::map<void *, MemoryOfCapture> memory; // that it allocated; empty once it has ended
};

void add_capture(Capture &capture) noexcept;
// body(capture) with the table locked, if the capture with the library's number goes on.
using CaptureBody = void (*)(Capture &capture, void *context);
void with_capture(uint64_t number, CaptureBody body, void *context) noexcept;
template <typename Body>
void with_capture(uint64_t number, Body &&body) noexcept {
    with_capture(
        number,
        [](Capture &capture, void *context) { (*static_cast<std::remove_reference_t<Body> *>(context))(capture); },
        &body);
}
// Copies of what is known of a capture: of the one that the stream began, or of the one with the driver's id. False: there is
// none. find_known() sees those whose id has been asked for; find_capture() asks the driver about the others, and fails if one of
// which the driver does not tell may be the one. What both return has a graph.
bool find_begun(const ThreadBlock &thread, const StreamSlot &stream, CaptureFacts *out) noexcept;
bool find_known(uint64_t id, CaptureFacts *out) noexcept;
Status find_capture(ThreadBlock &thread, uint64_t id, CaptureFacts *out, bool *out_found) noexcept;
// Completes *known with the id and the graph, which then has a handle. No driver call if they are known. *out is false if the
// capture is broken or has ended: its graph will not exist, or is the caller's of the end.
Status know_graph(ThreadBlock &thread, CaptureFacts *known, bool *out) noexcept;
// Locks the graph, which has a handle. True: the capture goes on until the graph is unlocked, since its end locks it, too.
bool lock_graph_of(const CaptureFacts &known, LockedGraph &graph) noexcept;
// What the driver says of the stream that began the capture. False: it could not be asked, and a failure may be pending.
bool ask_stream(ThreadBlock &thread, const CaptureFacts &capture, StreamCapture *out) noexcept;
// The next capture after the library's number `after` that streams of the device take part in. False: there is none.
bool next_on(const Device &device, uint64_t after, CaptureFacts *out) noexcept;
// Which call broke the capture with the library's number; code 0: none is known.
CaptureBreak break_of(uint64_t number) noexcept;
// If the stream began a capture whose graph has no handle yet: that graph holds the module. False: it did not.
bool keep_in_unseen(ThreadBlock &thread, const StreamSlot &stream, LoadedModule &module, uint64_t *out_capture,
                    Status *out_status) noexcept;
// The stream is about to join.
void join_capture(uint64_t id, const StreamSlot &stream) noexcept;
// Does a stream of the device take part in a capture? Then *out_origin is the stream that began it.
bool is_captured(const Device &device, uint64_t *out_origin) noexcept;
// The library's number of the latest capture.
uint64_t last_capture() noexcept;
// Before a capture is ended in the driver, which knows it by its stream alone: a second thread would end the next capture of
// that stream. False: another thread is ending it, or has ended it. *out_graph is its graph's handle; 0: it gets none any more.
bool claim_end(uint64_t number, uint64_t *out_graph) noexcept;
// The capture goes on.
void give_up_end(uint64_t number) noexcept;
// Takes a capture whose end is claimed out of the table by the library's number.
Capture *take_capture(uint64_t number) noexcept;
// Takes one out that was of the stream per thread of a thread that has ended, and with it the capture. nullptr: none.
Capture *take_orphan() noexcept;

// A call failed because of a capture, and its failure is pending. Finds the captures that are broken since, and notes the
// call as the cause.
void note_breaks(ThreadBlock &thread, const char *function) noexcept;
// The text of a failure of the driver, which is pending, says which thread began the capture on the stream.
void name_beginner(ThreadBlock &thread, uint64_t stream) noexcept;

// All of them run under the caller's CallMark, which protects the stream.
Status begin_capture(ThreadBlock &thread, StreamSlot &stream, int32_t mode) noexcept;
Status begin_capture_to(ThreadBlock &thread, StreamSlot &stream, uint64_t graph, const gs_node_t *after, size_t count,
                        int32_t mode) noexcept;
Status end_capture(ThreadBlock &thread, StreamSlot &stream, uint64_t *out_graph) noexcept;
Status abort_capture(ThreadBlock &thread, StreamSlot &stream) noexcept;
// The stream is about to be used by another owner, or to end: a capture that it had begun is aborted. False: it takes part in
// one of other code.
bool give_up_capture(StreamSlot &stream) noexcept;
// Forgets the captures of streams per thread whose thread has ended: no thread can end them any more.
void forget_orphans() noexcept;
// The driver has said that the stream takes part in no capture, after the library's number was `last`. One that it had begun is
// over: other code has ended it, and has its graph. CAPTURING: another thread is ending it.
Status forget_ended(ThreadBlock &thread, const StreamSlot &stream, uint64_t last) noexcept;
// Before a call is refused because of a capture that streams of the device take part in: other code may have ended it. Asks the
// driver.
void forget_ended_on(const Device &device) noexcept;
Status capture_info(ThreadBlock &thread, StreamSlot &stream, gs_capture_info_t *out) noexcept;
Status capture_nodes(ThreadBlock &thread, StreamSlot &stream, gs_node_t *out_nodes, size_t capacity,
                     size_t *out_count) noexcept;
Status set_capture_nodes(ThreadBlock &thread, StreamSlot &stream, const gs_node_t *nodes, size_t count,
                         bool add) noexcept;

// Which calls would break a capture: core/stream/captured.hpp asks.
void install_capture_guard() noexcept;

// What beginning, ending and asking about captures have in common.

// NOT_SUPPORTED for a default stream, and for a backend without graphs.
Status graphs_for(StreamSlot &stream, Graphs **out) noexcept;
// NOT_PERMITTED: the stream is not being captured.
Status refuse_idle(const StreamSlot &stream) noexcept;

// What captured calls refer to lives as long as the graph that they are captured into: see CaptureGuard.

// The graph that the stream is captured into, locked, and the capture goes on until it is unlocked. *out_capture is the library's
// number of the capture; 0: the stream is not captured, or by other code.
Status graph_around(ThreadBlock &thread, const StreamSlot &stream, LockedGraph &graph, uint64_t *out_capture) noexcept;

Status keep_module(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module, uint64_t *out_capture) noexcept;
Status keep_event(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out) noexcept;
Status pin_capture(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
// NOT_SUPPORTED for a capture into a body of a conditional node. Before the driver is called: some take the function, and then
// have a graph that they cannot run.
Status pin_for_call(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
Status keep_call(ThreadBlock &thread, const CapturePin &pin, const KeptByGraph &kept) noexcept;

// Memory that captures have allocated. A stream that joined a capture may have been joined to the origin since. A free
// in it would be a node that nothing joins, with which the end of the capture would fail. So the free waits for that
// end, and becomes a node of the stream that began the capture, behind everything.

// The stream, which is captured, has allocated memory.
void note_captured_memory(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept;
// *out_taken: the end of the capture frees it. INVALID_ARGUMENT: it does so already.
Status free_at_end(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept;
// The capture that the stream began is about to end.
void free_what_waited(ThreadBlock &thread, StreamSlot &stream, uint64_t number) noexcept;

} // namespace gs
