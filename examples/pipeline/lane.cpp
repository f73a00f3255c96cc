// SPDX-License-Identifier: Apache-2.0
#include "lane.hpp"

#include "kernel_layout.hpp"

namespace pipeline {
namespace {

// Of a function that the C++ layer does not wrap.
void require(gs_status_t status) {
    if (status != GS_OK) throw gpustream::error(static_cast<gpustream::status>(status));
}

// Their names are those of the timeline; reports of the ordering checker show them.
std::vector<gpustream::stream> make_streams(gpustream::device device, const LanePlan &plan) {
    std::vector<gpustream::stream> streams;
    for (const std::string &name : stream_names({plan})) {
        streams.push_back(gpustream::stream::create(device));
        require(gs_stream_set_name(streams.back().get(), name.c_str()));
    }
    return streams;
}

} // namespace

Lane::Lane(const LaneSetup &setup, const LanePlan &plan)
    : setup_(setup), plan_(plan), streams_(make_streams(setup.device, plan)), guard_(stream_of(kKernel)) {
    const size_t result_bytes = result_words(setup.chunk_bytes) * sizeof(uint32_t);
    const gpustream::stream_ref owner = stream_of(kKernel);
    for (size_t i = 0; i < kInputs; ++i) {
        inputs_.push_back(
            {gpustream::host_buffer::create(setup.chunk_bytes), gpustream::buffer::create(setup.chunk_bytes, owner)});
    }
    for (Ticket &ticket : tickets_) {
        ticket.device_result = gpustream::buffer::create(result_bytes, owner);
        ticket.host_result = gpustream::host_buffer::create(result_bytes);
    }
    // Memory is allocated in the order of its stream; the other streams may use it from this event on.
    const gpustream::event allocated = gpustream::event::create();
    owner.record(allocated);
    stream_of(kCopyIn).wait(allocated);
    stream_of(kCopyOut).wait(allocated);
}

Lane::~Lane() {
    // After a failure work may be pending on buffers that are about to be freed. That failure is the one to report, so
    // the results of these waits are ignored; after finish() they have nothing to wait for.
    for (const gpustream::stream &stream : streams_) static_cast<void>(gs_stream_synchronize(stream.get()));
}

gpustream::stream_ref Lane::stream_of(Stage stage) const {
    return streams_[static_cast<size_t>(plan_.stream_of(stage) - plan_.first_stream)];
}

void Lane::process(const Chunk &chunk) {
    const Input &input = inputs_[started_ % kInputs];
    Ticket &ticket = tickets_[started_ % kTickets];
    if (ticket.in_flight) deliver(ticket);
    if (started_ >= kInputs) {
        // The input was last used by the chunk kInputs before. Its host side is free when that was copied in; its
        // device side when the kernel has read it, for which the stream waits, not this thread.
        const Ticket &user = tickets_[(started_ - kInputs) % kTickets];
        user.end(kCopyIn).synchronize();
        stream_of(kCopyIn).wait(user.end(kKernel));
    }
    setup_.file.read(chunk.offset, input.host.as<unsigned char>(), chunk.bytes);
    ticket.chunk = chunk;
    copy_in(ticket, input);
    run_kernel(ticket, input);
    copy_out(ticket);
    ticket.in_flight = true;
    ++started_;
}

template <class Work>
void Lane::timed(const Ticket &ticket, Stage stage, Work work) {
    stream_of(stage).record(ticket.start(stage));
    work(stream_of(stage));
    stream_of(stage).record(ticket.end(stage));
}

void Lane::copy_in(const Ticket &ticket, const Input &input) {
    timed(ticket, kCopyIn, [&](gpustream::stream_ref stream) {
        gpustream::copy(input.device.data(), input.host.data(), ticket.chunk.bytes, stream);
    });
}

void Lane::run_kernel(const Ticket &ticket, const Input &input) {
    if (!setup_.forget_wait) gpustream::stream_ref::current().wait(ticket.end(kCopyIn));
    timed(ticket, kKernel, [&](gpustream::stream_ref) {
        // The kernel stream is this thread's current one.
        void *result = ticket.device_result.data();
        gpustream::fill(result, 0, kBins * sizeof(uint32_t), gpustream::stream_ref::current());
        // The library cannot know what a kernel does with its arguments.
        const size_t result_bytes = result_words(ticket.chunk.bytes) * sizeof(uint32_t);
        require(gs_check_read(GS_STREAM_CURRENT, input.device.data(), ticket.chunk.bytes, "digest kernel: input"));
        require(gs_check_write(GS_STREAM_CURRENT, result, result_bytes, "digest kernel: result"));
        setup_.kernels.launch(input.device.data(), ticket.chunk.bytes, result);
    });
}

void Lane::copy_out(const Ticket &ticket) {
    stream_of(kCopyOut).wait(ticket.end(kKernel));
    timed(ticket, kCopyOut, [&](gpustream::stream_ref stream) {
        const size_t bytes = result_words(ticket.chunk.bytes) * sizeof(uint32_t);
        gpustream::copy(ticket.host_result.data(), ticket.device_result.data(), bytes, stream);
    });
}

void Lane::deliver(Ticket &ticket) {
    ticket.end(kCopyOut).synchronize();
    const uint64_t result_bytes = result_words(ticket.chunk.bytes) * sizeof(uint32_t);
    std::array<Span, kStages> spans{};
    for (const Stage stage : {kCopyIn, kKernel, kCopyOut}) {
        spans[static_cast<size_t>(stage)] = {stage,
                                             plan_.stream_of(stage),
                                             ticket.chunk.index,
                                             stage == kCopyOut ? result_bytes : ticket.chunk.bytes,
                                             gpustream::elapsed(setup_.time_zero, ticket.start(stage)).count(),
                                             gpustream::elapsed(ticket.start(stage), ticket.end(stage)).count()};
    }
    setup_.collector.add(ticket.chunk, ticket.host_result.as<uint32_t>(), spans);
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
