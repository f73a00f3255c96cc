// SPDX-License-Identifier: Apache-2.0
// What must hold after every call, whatever it was given.
#include <algorithm>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/texts.hpp"

namespace gs::fuzz {
namespace {

constexpr unsigned char kFilling = 0x5A;

// Statuses that a healthy process never sees. Driver calls that are made to fail excuse some of them; a device is never lost,
// and the library always knows what happened.
bool is_alarming(gs_status_t status, const Program &program) {
    constexpr gs_status_t kAlways[] = {GS_ERROR_INTERNAL, GS_ERROR_BAD_FORK, GS_ERROR_CONTEXT_LOST, GS_ERROR_SHUTDOWN,
                                       GS_ERROR_STICKY};
    constexpr gs_status_t kWithoutFaults[] = {GS_ERROR_DRIVER, GS_ERROR_OUT_OF_MEMORY, GS_ERROR_SYSTEM};
    const auto in = [status](const auto &list) {
        return std::find(std::begin(list), std::end(list), status) != std::end(list);
    };
    if (status == GS_ERROR_CAPTURING) return !program.with_captures;
    if (status == GS_ERROR_NOT_PERMITTED)
        return !program.with_captures && !program.faulty && !program.in_notification[program.thread];
    return in(kAlways) || (!program.faulty && in(kWithoutFaults));
}

// What the library says of this thread's last failure.
std::string last_failure() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    if (gs_last_error(&info) != GS_OK) return {};
    return std::string(": ") + info.message + ", native code " + std::to_string(info.native_code);
}

bool all_are(const unsigned char *bytes, size_t from, size_t to, unsigned char value) {
    return std::all_of(bytes + from, bytes + to, [&](unsigned char byte) { return byte == value; });
}

} // namespace

std::string Arguments::detail() const {
    std::string text =
        std::string(call_.name) + " on thread " + std::to_string(program_.thread) + " gave " + gs_status_name(status_);
    for (const Input &input : handles_) text += ", " + program_.model.name(input.handle);
    return text;
}

void Arguments::check_status() {
    if (any_status_) return;
    const auto &listed = call_.statuses;
    FUZZ_REQUIRE(std::find(listed.begin(), listed.end(), status_) != listed.end(), detail() + ", which is not listed");
    FUZZ_REQUIRE(!is_alarming(status_, program_), detail() + last_failure());
    if (null_output_) FUZZ_REQUIRE(status_ != GS_OK, detail() + ", and an output was NULL");
}

// A dead handle is always found, and INVALID_HANDLE is never said of a live one.
void Arguments::check_handles() {
    bool dead = false, doubtful = more_than_handles_ || handles_.empty();
    for (const Input &input : handles_) {
        const bool ends = call_.ownership == Ownership::Ends;
        const Model &model = program_.model;
        const bool current = input.handle == reinterpret_cast<uint64_t>(GS_STREAM_CURRENT);
        const Alive alive = ends ? model.destroyable(input.handle, input.kind) : model.alive(input.handle, input.kind);
        if (current) doubtful = true; // allowed or not: the conformance suite knows
        if (!current && alive == Alive::No) dead = true;
        if (alive == Alive::Unsure) doubtful = true;
    }
    if (dead) FUZZ_REQUIRE(status_ != GS_OK && status_ != GS_NOT_READY, detail() + " for a dead handle");
    if (status_ == GS_ERROR_INVALID_HANDLE) FUZZ_REQUIRE(dead || doubtful, detail() + " for live handles");
}

void Arguments::check_struct(const Output &output) {
    const unsigned char *bytes = output.place.get();
    const size_t head = output.sized ? sizeof output.said : 0;
    if (output.sized) FUZZ_REQUIRE(std::memcmp(bytes, &output.said, head) == 0, detail() + ": struct_size changed");
    if (status_ != GS_OK)
        FUZZ_REQUIRE(all_are(bytes, head, output.bytes, kFilling), detail() + ": " + output.name + " was touched");
    else
        FUZZ_REQUIRE(!output.sized || (output.said >= 8 && output.said <= 0x10000), detail() + ": " + output.name);
    if (status_ != GS_OK) return;
    Program &program = program_;
    if (!output.sized && output.bytes == sizeof(gs_stream_triple_t))
        std::memcpy(&program.triples.emplace_back(), bytes, sizeof(gs_stream_triple_t));
    if (!output.sized && output.bytes == sizeof(gs_ipc_handle_t))
        std::memcpy(&program.exported.emplace_back(), bytes, sizeof(gs_ipc_handle_t));
}

void Arguments::check_outputs() {
    for (const Output &output : outputs_) {
        const unsigned char *bytes = output.place.get();
        if (output.is_struct) {
            check_struct(output);
        } else if (status_ != GS_OK) {
            FUZZ_REQUIRE(all_are(bytes, 0, output.bytes, 0), detail() + ": " + output.name + " is not zero");
        } else {
            FUZZ_REQUIRE(!all_are(bytes, 0, output.bytes, kFilling), detail() + ": " + output.name + " was not set");
        }
        if (status_ != GS_OK || !is_text_ || output.bytes != sizeof(const char *)) continue;
        const char *text = nullptr;
        std::memcpy(&text, bytes, sizeof text);
        if (!program_.faulty) note("%s", text);
    }
}

uint64_t Arguments::output_handle() const {
    for (const Output &output : outputs_) {
        uint64_t handle = 0;
        if (!output.kind) continue;
        std::memcpy(&handle, output.place.get(), sizeof handle);
        return handle;
    }
    return 0;
}

int64_t Arguments::first_output() const {
    int64_t value = 0;
    if (!outputs_.empty()) std::memcpy(&value, outputs_[0].place.get(), std::min(outputs_[0].bytes, sizeof value));
    return value;
}

void Arguments::take_ownership() {
    if (status_ != GS_OK) return;
    Model &model = program_.model;
    if (call_.ownership == Ownership::Adds) model.added(handles_[0].handle);
    if (call_.ownership == Ownership::Ends) model.ended(handles_[0].handle);
    for (const Output &output : outputs_) {
        if (!output.kind || call_.ownership == Ownership::None) continue; // None: the row knows
        const uint64_t handle = output_handle();
        FUZZ_REQUIRE(handle >= uint64_t{1} << 48, detail() + ": a live handle below 2^48");
        if (call_.ownership == Ownership::Gives)
            model.gained(output.kind, handle);
        else
            model.borrowed(output.kind, handle, handles_.empty() ? 0 : handles_[0].handle);
    }
}

Order::Name Arguments::stream_name(size_t index) const {
    size_t seen = 0;
    for (const Input &input : handles_) {
        if (input.kind != "stream" || seen++ != index) continue;
        int64_t id = 0;
        const auto stream = reinterpret_cast<gs_stream_t>(input.resolved); // NOLINT
        const bool per_thread = gs_stream_id(stream, &id) == GS_OK && id == 2;
        return {input.resolved, per_thread ? program_.thread : -1};
    }
    return {0, -1};
}

// What they return depends on how far the work is. A queue is full until entries have come and were taken.
constexpr const char *kTimed[] = {"gs_event_elapsed_ms",       "gs_queue_wait",
                                  "gs_queue_add_stream",       "gs_queue_add_event",
                                  "gs_stream_synchronize_for", "gs_event_synchronize_for",
                                  "gs_device_synchronize_for", "gs_event_synchronize_any",
                                  "gs_event_synchronize_all",  "gs_event_time_ns"};

void Arguments::returned(gs_status_t status) {
    status_ = status;
    const bool failed = status != GS_OK && status != GS_NOT_READY && status != GS_ERROR_TIMEOUT;
    const bool is_silent = std::strcmp(call_.name, "gs_last_error") == 0 || std::strcmp(call_.name, "gs_dump") == 0;
    if (failed && !is_silent) check_error_record(call_.name, status);
    check_status();
    check_handles();
    check_outputs();
    take_ownership();
    remark(detail().c_str());
    // In a capture, a wait for an event recorded outside is refused unless the library knows that the event is complete.
    const bool waits = program_.with_captures && std::strstr(call_.name, "wait");
    const bool timed = program_.faulty || status == GS_NOT_READY || waits ||
                       std::any_of(std::begin(kTimed), std::end(kTimed),
                                   [&](const char *name) { return std::strcmp(call_.name, name) == 0; });
    note("%d %s %s", program_.thread, call_.name, timed ? "done or not" : gs_status_name(status));
}

void Arguments::answered(const char *text) {
    FUZZ_REQUIRE(text && is_text(text), call_.name);
    if (!program_.faulty) note("%d %s '%s'", program_.thread, call_.name, text);
}

void Arguments::answered_number(int64_t number) {
    if (!program_.faulty) note("%d %s %lld", program_.thread, call_.name, static_cast<long long>(number));
}

} // namespace gs::fuzz
