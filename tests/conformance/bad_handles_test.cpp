// SPDX-License-Identifier: Apache-2.0
// Bad handles and missing outputs on every function that takes some: a status, the function's name, no side effect.
#include <cstring>
#include <string>
#include <vector>

#include "calls/calls.hpp"
#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

uint64_t bits(const void *handle) { return reinterpret_cast<uint64_t>(handle); }

// Numbers that name nothing: the handle with each of its fields off by one, other kinds, and plain garbage.
std::vector<uint64_t> bad_numbers(uint64_t live, uint64_t dead, uint64_t other_kind) {
    static int32_t number;
    std::vector<uint64_t> numbers{
        0, 1, 2, 0xDEAD, ~uint64_t{0}, uint64_t{1} << 63, dead, other_kind, 0x7000000000000000u, 0x7000000000000002u};
    for (const int shift : {24, 56, 60}) { // generation, backend, kind
        numbers.push_back(live + (uint64_t{1} << shift));
        numbers.push_back(live - (uint64_t{1} << shift));
    }
    numbers.push_back(live ^ 0xFFFFFF);
    numbers.push_back(live | uint64_t{1} << 63);
    numbers.push_back(reinterpret_cast<uint64_t>(&number));
    return numbers;
}

// Every function with a parameter of this kind of handle; returns how many.
int expect_refused(const char *kind, const Objects &objects, const std::vector<uint64_t> &numbers) {
    int calls = 0;
    for (const HandleCall &call : handle_calls()) {
        if (std::strcmp(call.kind, kind) != 0) continue;
        ++calls;
        for (const uint64_t number : numbers) {
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, call.call(number, objects))
                << call.function << "(" << call.parameter << ") " << std::hex << number;
            const gs_error_info_t info = last_error();
            EXPECT_STREQ(info.function, call.function);
            if (number == 0) continue; // in the record it means that the failure is about none
            const bool stream = std::strcmp(kind, "stream") == 0;
            EXPECT_EQ(stream ? bits(info.stream) : bits(info.event), number)
                << call.function << "(" << call.parameter << "): the record names the object that is wrong";
        }
    }
    return calls;
}

} // namespace

TEST_P(Conformance, BadInput_StreamHandles) {
    Objects o = make_objects();
    const gs_stream_t dead = make_stream().release();
    ASSERT_OK(gs_stream_destroy(dead));
    EXPECT_GE(expect_refused("stream", o, bad_numbers(bits(o.stream), bits(dead), bits(o.event))), 30);
    EXPECT_OK(gs_stream_synchronize(o.stream)) << "the neighbours are unharmed";
    EXPECT_EQ(current_stream(), o.stream);
    destroy_objects(o);
    EXPECT_EQ(current_stream(), default_stream());
}

TEST_P(Conformance, BadInput_EventHandles) {
    Objects o = make_objects();
    gs_event_t dead = make_event().release();
    ASSERT_OK(gs_event_destroy(dead));
    EXPECT_GE(expect_refused("event", o, bad_numbers(bits(o.event), bits(dead), bits(o.stream))), 15);
    EXPECT_OK(gs_event_record(o.event, o.recorder));
    EXPECT_OK(gs_event_synchronize(o.event));
    destroy_objects(o);
}

// Scalars and handles are zeroed on entry; structs keep what the caller had in them.
TEST_P(Conformance, BadInput_StructsAreUntouched) {
    gs_stream_triple_t triple{};
    gs_ipc_handle_t ipc{};
    std::memset(&triple, 0x5A, sizeof triple);
    std::memset(&ipc, 0x5A, sizeof ipc);
    const gs_stream_triple_t triple_before = triple;
    const gs_ipc_handle_t ipc_before = ipc;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_pack(nullptr, &triple));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_event_ipc_export(nullptr, &ipc));
    Event not_shared = make_event();
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_ipc_export(not_shared, &ipc));
    EXPECT_EQ(std::memcmp(&triple, &triple_before, sizeof triple), 0);
    EXPECT_EQ(std::memcmp(&ipc, &ipc_before, sizeof ipc), 0);
}

TEST_P(Conformance, BadInput_MissingOutputs) {
    Objects o = make_objects();
    for (const OutputCall &call : output_calls()) {
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, call.call(o)) << call.function << "(" << call.parameter << ")";
        if (std::strcmp(call.function, "gs_last_error") == 0) continue; // asking for the last error does not become one
        const gs_error_info_t info = last_error();
        EXPECT_STREQ(info.function, call.function);
        EXPECT_EQ(wrong_objects(info), "") << call.function;
        EXPECT_NE(std::string(info.message).find(" is NULL"), std::string::npos)
            << call.function << ": " << info.message;
    }
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_unpack, "triple is NULL", nullptr, &stream);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_launch_host, "fn is NULL", o.stream, nullptr, nullptr);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_notify, "fn is NULL", o.stream, nullptr, nullptr);
    destroy_objects(o);
}

} // namespace gs::test
