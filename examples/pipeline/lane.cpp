// SPDX-License-Identifier: Apache-2.0
#include "lane.hpp"

#include "kernel_layout.hpp"

namespace pipeline {
namespace {

std::vector<Stream> make_streams(gs_device_t device, int count) {
    std::vector<Stream> streams;
    for (int i = 0; i < count; ++i) streams.push_back(make_stream(device));
    return streams;
}

} // namespace

Lane::Lane(const LaneSetup &setup, const LanePlan &plan)
    : setup_(setup), plan_(plan), streams_(make_streams(setup.device, plan.streams)), scope_(stream_of(kKernel)) {
    const size_t result_bytes = result_words(setup.chunk_bytes) * sizeof(uint32_t);
    const gs_stream_t owner = stream_of(kKernel);
    for (size_t i = 0; i < kInputs; ++i) {
        inputs_.push_back({make_pinned(setup.chunk_bytes), DeviceMemory(setup.chunk_bytes, owner)});
    }
    for (Ticket &ticket : tickets_) {
        ticket.device_result = DeviceMemory(result_bytes, owner);
        ticket.host_result = make_pinned(result_bytes);
    }
    // Memory is allocated in the order of its stream; the other streams may use it from this event on.
    const Event allocated = make_timed_event();
    check(gs_event_record(allocated.get(), owner));
    check(gs_stream_wait_event(stream_of(kCopyIn), allocated.get()));
    check(gs_stream_wait_event(stream_of(kCopyOut), allocated.get()));
}

Lane::~Lane() {
    // After a failure work may be pending on buffers that are about to be freed. That failure is the one to report, so
    // the results of these waits are ignored; after finish() they have nothing to wait for.
    for (const Stream &stream : streams_) static_cast<void>(gs_stream_synchronize(stream.get()));
}

gs_stream_t Lane::stream_of(Stage stage) const {
    return streams_[static_cast<size_t>(plan_.stream_of(stage) - plan_.first_stream)].get();
}

void Lane::process(const Chunk &chunk) {
    const Input &input = inputs_[started_ % kInputs];
    Ticket &ticket = tickets_[started_ % kTickets];
    if (ticket.in_flight) deliver(ticket);
    if (started_ >= kInputs) {
        // The input was last used by the chunk kInputs before. Its host side is free when that was copied in; its
        // device side when the kernel has read it, for which the stream waits, not this thread.
        const Ticket &user = tickets_[(started_ - kInputs) % kTickets];
        check(gs_event_synchronize(user.end(kCopyIn)));
        check(gs_stream_wait_event(stream_of(kCopyIn), user.end(kKernel)));
    }
    setup_.file.read(chunk.offset, static_cast<unsigned char *>(input.host.get()), chunk.bytes);
    ticket.chunk = chunk;
    copy_in(ticket, input);
    run_kernel(ticket, input);
    copy_out(ticket);
    ticket.in_flight = true;
    ++started_;
}

template <class Work>
void Lane::timed(const Ticket &ticket, Stage stage, Work work) {
    check(gs_event_record(ticket.start(stage), stream_of(stage)));
    work(stream_of(stage));
    check(gs_event_record(ticket.end(stage), stream_of(stage)));
}

void Lane::copy_in(const Ticket &ticket, const Input &input) {
    timed(ticket, kCopyIn, [&](gs_stream_t stream) {
        check(gs_memcpy_async(input.device.get(), input.host.get(), ticket.chunk.bytes, stream));
    });
}

void Lane::run_kernel(const Ticket &ticket, const Input &input) {
    check(gs_stream_wait_event(GS_STREAM_CURRENT, ticket.end(kCopyIn)));
    timed(ticket, kKernel, [&](gs_stream_t) {
        // The kernel stream is this thread's current one.
        void *result = ticket.device_result.get();
        check(gs_memset_async(result, 0, kBins * sizeof(uint32_t), GS_STREAM_CURRENT));
        setup_.kernels.launch(input.device.get(), ticket.chunk.bytes, result);
    });
}

void Lane::copy_out(const Ticket &ticket) {
    check(gs_stream_wait_event(stream_of(kCopyOut), ticket.end(kKernel)));
    timed(ticket, kCopyOut, [&](gs_stream_t stream) {
        const size_t bytes = result_words(ticket.chunk.bytes) * sizeof(uint32_t);
        check(gs_memcpy_async(ticket.host_result.get(), ticket.device_result.get(), bytes, stream));
    });
}

void Lane::deliver(Ticket &ticket) {
    check(gs_event_synchronize(ticket.end(kCopyOut)));
    const uint64_t result_bytes = result_words(ticket.chunk.bytes) * sizeof(uint32_t);
    std::array<Span, kStages> spans{};
    for (const Stage stage : {kCopyIn, kKernel, kCopyOut}) {
        spans[static_cast<size_t>(stage)] = {stage,
                                             plan_.stream_of(stage),
                                             ticket.chunk.index,
                                             stage == kCopyOut ? result_bytes : ticket.chunk.bytes,
                                             elapsed_ms(setup_.time_zero, ticket.start(stage)),
                                             elapsed_ms(ticket.start(stage), ticket.end(stage))};
    }
    setup_.collector.add(ticket.chunk, static_cast<const uint32_t *>(ticket.host_result.get()), spans);
    ticket.in_flight = false;
}

void Lane::finish() {
    // The oldest first: the ticket that would be used next.
    for (size_t i = 0; i < kTickets; ++i) {
        Ticket &ticket = tickets_[(started_ + i) % kTickets];
        if (ticket.in_flight) deliver(ticket);
    }
}

} // namespace pipeline
