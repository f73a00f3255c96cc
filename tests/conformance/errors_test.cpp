// SPDX-License-Identifier: Apache-2.0
// The error record, struct sizes, and texts.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Errors_RecordSaysWhatWhereAndWhy) {
    ROWS("E19 E20");
    gs_stream_t stream = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_stream_create(4242, 0, 0, &stream));
    gs_error_info_t info = last_error();
    EXPECT_EQ(info.status, GS_ERROR_INVALID_DEVICE);
    EXPECT_STREQ(info.function, "gs_stream_create");
    EXPECT_NE(std::string(info.message).find("4242"), std::string::npos) << info.message;
    EXPECT_EQ(info.reason, GS_REASON_NONE);
    EXPECT_EQ(info.sticky, 0);
    EXPECT_STREQ(info.origin, "");
    // Success does not change it.
    EXPECT_OK(gs_set_current_device(0));
    const gs_error_info_t again = last_error();
    EXPECT_EQ(std::memcmp(&info, &again, sizeof info), 0);
    // The next failure replaces it completely.
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(reinterpret_cast<gs_stream_t>(uintptr_t{0xDEAD}), &number));
    info = last_error();
    EXPECT_STREQ(info.function, "gs_stream_query");
    EXPECT_NE(std::string(info.message).find("0xdead"), std::string::npos) << info.message;
    EXPECT_EQ(std::string(info.message).find("4242"), std::string::npos) << info.message;
}

TEST_P(Conformance, Errors_EachThreadHasItsOwn) {
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(nullptr));
    std::thread other([] {
        EXPECT_EQ(last_error().status, GS_OK) << "a thread that never failed";
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_event_create(0, nullptr));
        EXPECT_STREQ(last_error().function, "gs_event_create");
    });
    other.join();
    EXPECT_STREQ(last_error().function, "gs_stream_destroy");
}

TEST_P(Conformance, Errors_StructSizes) {
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_destroy(nullptr));
    EXPECT_EQ(gs_last_error(nullptr), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(last_error().status, GS_ERROR_INVALID_HANDLE) << "a wrong query did not replace the record";
    struct {
        gs_error_info_t known;
        unsigned char later[32];
    } newer;
    for (const uint32_t size : {0u, 4u, 7u, 65537u, UINT32_MAX}) {
        newer.known.struct_size = size;
        EXPECT_EQ(gs_last_error(&newer.known), GS_ERROR_INVALID_ARGUMENT) << size;
    }
    std::memset(&newer, 0xEE, sizeof newer);
    newer.known.struct_size = sizeof newer;
    EXPECT_EQ(gs_last_error(&newer.known), GS_OK);
    EXPECT_EQ(newer.known.struct_size, sizeof newer) << "the caller's size is kept";
    for (const unsigned char byte : newer.later) EXPECT_EQ(byte, 0) << "unknown fields are zero";
    std::memset(&newer, 0xEE, sizeof newer);
    newer.known.struct_size = 8; // a caller that knows only the status
    EXPECT_EQ(gs_last_error(&newer.known), GS_OK);
    EXPECT_EQ(newer.known.status, GS_ERROR_INVALID_HANDLE);
    EXPECT_EQ(newer.known.function[0], static_cast<char>(0xEE)) << "written beyond the caller's struct";

    // Callers that were built before the record named objects.
    constexpr uint32_t kBefore = offsetof(gs_error_info_t, stream);
    std::memset(&newer, 0xEE, sizeof newer);
    newer.known.struct_size = kBefore;
    EXPECT_EQ(gs_last_error(&newer.known), GS_OK);
    EXPECT_EQ(newer.known.status, GS_ERROR_INVALID_HANDLE);
    EXPECT_STREQ(newer.known.origin, "");
    EXPECT_EQ(newer.known.device, static_cast<int32_t>(0xEEEEEEEE)) << "written beyond the caller's struct";

    gs_stats_t stats;
    std::memset(&stats, 0xEE, sizeof stats);
    stats.struct_size = 16;
    EXPECT_OK(gs_get_stats(&stats));
    EXPECT_NE(stats.driver_calls, 0xEEEEEEEEEEEEEEEEu);
    EXPECT_EQ(stats.records, 0xEEEEEEEEEEEEEEEEu);
    stats.struct_size = 7;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_get_stats, "struct_size is 7", &stats);
    gs_device_info_t info;
    std::memset(&info, 0xEE, sizeof info);
    info.struct_size = 12;
    EXPECT_OK(gs_device_get_info(0, &info));
    EXPECT_EQ(info.ordinal, 0);
    EXPECT_EQ(info.backend, GetParam());
    EXPECT_EQ(info.capability_major, static_cast<int32_t>(0xEEEEEEEE));
    info.struct_size = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_info, "struct_size", 0, &info);
    info.struct_size = sizeof info;
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_get_info, "77", 77, &info);
    EXPECT_EQ(info.capability_major, static_cast<int32_t>(0xEEEEEEEE)) << "structs are untouched on failure";
}

TEST_P(Conformance, Errors_Texts) {
    EXPECT_STREQ(gs_status_name(GS_OK), "GS_OK");
    EXPECT_STREQ(gs_status_name(GS_ERROR_INVALID_HANDLE), "GS_ERROR_INVALID_HANDLE");
    EXPECT_STRNE(gs_status_name(-5), gs_status_name(GS_OK));
    EXPECT_STRNE(gs_status_message(GS_OK), gs_status_message(GS_ERROR_STICKY));
    EXPECT_NE(gs_status_message(12345), nullptr);
    for (gs_backend_t backend = -1; backend < 20; ++backend)
        for (const int32_t code : {0, 1, 2, 700, -1, 1 << 30}) EXPECT_NE(gs_native_error_text(backend, code), nullptr);
    EXPECT_EQ(gs_version(), GS_VERSION_MAJOR * 10000 + GS_VERSION_MINOR * 100 + GS_VERSION_PATCH);
    EXPECT_EQ(gs_abi_version(), uint32_t{GS_ABI_VERSION});
    EXPECT_EQ(gs_instance_count(), 1);
    EXPECT_EQ(std::string(gs_version_string()), std::to_string(GS_VERSION_MAJOR) + "." +
                                                    std::to_string(GS_VERSION_MINOR) + "." +
                                                    std::to_string(GS_VERSION_PATCH));
}

// Also where they quote what is none, or are cut off within a character.
TEST_P(Conformance, Errors_TextsAreUtf8) {
    std::string path = "/nowhere/\xff";
    for (int i = 0; i < 400; ++i) path += "\u00e9";
    for (int shift = 0; shift < 2; ++shift) {
        path.insert(0, "/"); // the other half of a character is the last
        gs_module_t module = nullptr;
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_module_load(0, path.c_str(), 0, &module));
        std::string text = last_text();
        EXPECT_NE(text.find("/nowhere/?\u00e9"), std::string::npos) << text;
        for (size_t at; (at = text.find("\u00e9")) != std::string::npos;) text.erase(at, 2);
        EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0; })) << text;
    }
}

TEST_P(Conformance, RowF9_DeviceInfo) {
    ROWS("F-9 F-10 F-11 F-13");
    for (int32_t device = 0; device < device_count(); ++device) {
        int32_t least = -99, greatest = 99;
        EXPECT_OK(
            gs_device_priority_range(device, &least, &greatest)); // creates a context if the driver needs one for it
        gs_device_info_t info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gs_device_get_info(device, &info));
        EXPECT_EQ(info.ordinal, device);
        EXPECT_EQ(info.backend, GetParam());
        EXPECT_NE(info.name[0], '\0');
        EXPECT_GE(info.multiprocessor_count, 1);
        EXPECT_GE(info.max_threads_per_block, 1);
        EXPECT_GT(info.total_memory_bytes, 0u);
        EXPECT_EQ(info.priority_least, least);
        EXPECT_EQ(info.priority_greatest, greatest);
        EXPECT_GE(least, greatest);
        int32_t access = 1;
        EXPECT_OK(gs_device_can_access_peer(device, device, &access));
        EXPECT_EQ(access, 0) << "a device and itself, as the driver reports it";
        EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_can_access_peer(device, 999, &access));
    }
}

TEST_P(Conformance, RowF7_DeviceNumbers) {
    EXPECT_EQ(gs_device_make(GS_BACKEND_HOST, 3), GS_DEVICE(GS_BACKEND_HOST, 3));
    EXPECT_EQ(gs_device_make(GS_BACKEND_DEFAULT, 3), 3);
    for (const int32_t bad : {-1, 65536}) EXPECT_EQ(gs_device_make(GS_BACKEND_HOST, bad), GS_DEVICE_NONE);
    EXPECT_EQ(gs_device_make(-1, 0), GS_DEVICE_NONE);
    EXPECT_EQ(gs_device_backend(GS_DEVICE(GS_BACKEND_CUDA, 5)), GS_BACKEND_CUDA);
    EXPECT_EQ(gs_device_ordinal(GS_DEVICE(GS_BACKEND_CUDA, 5)), 5);
    EXPECT_EQ(gs_device_backend(7), GS_BACKEND_DEFAULT);
    EXPECT_EQ(gs_device_ordinal(7), 7);
    EXPECT_EQ(gs_device_backend(GS_DEVICE_CURRENT), GS_BACKEND_DEFAULT);
    int32_t count = 0;
    EXPECT_OK(gs_device_count(GetParam(), &count));
    EXPECT_EQ(count, device_count());
    EXPECT_OK(gs_device_count(GS_BACKEND_HIP, &count));
    EXPECT_EQ(count, 0) << "known, but not part of this build";
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_count, "17", 17, &count);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_device_count(-1, &count));
}

TEST_P(Conformance, Case15_PrioritiesAreClamped) {
    ROWS("A4");
    int32_t least = 0, greatest = 0;
    ASSERT_OK(gs_device_priority_range(0, &least, &greatest));
    for (int32_t asked = greatest - 3; asked <= least + 3; ++asked) {
        Stream stream = make_stream(0, 0, asked);
        int32_t effective = 99;
        effective = facts_of(stream).priority;
        EXPECT_EQ(effective, std::min(std::max(asked, greatest), least)) << asked;
        EXPECT_OK(gs_stream_sleep(stream, 1));
        EXPECT_OK(gs_stream_synchronize(stream));
    }
    for (const int32_t extreme : {INT32_MIN, INT32_MAX}) {
        int32_t effective = 99;
        effective = facts_of(make_stream(0, 0, extreme)).priority;
        EXPECT_EQ(effective, extreme < 0 ? greatest : least);
    }
}

TEST_P(Conformance, Case15_ClampingIsReported) {
    ROWS("A4 W28");
    int32_t least = 0, greatest = 0;
    ASSERT_OK(gs_device_priority_range(0, &least, &greatest));
    std::vector<std::string> lines;
    const auto collect = [](void *arg, int32_t level, const char *text) {
        if (level == GS_LOG_INFO) static_cast<std::vector<std::string> *>(arg)->push_back(text);
    };
    ASSERT_OK(gs_set_log_callback(collect, &lines));
    for (const int32_t asked : {greatest, 0, least, INT32_MIN, INT32_MAX}) make_stream(0, 0, asked);
    EXPECT_TRUE(lines.empty()) << lines[0];
    make_stream(0, 0, greatest - 7);
    make_stream(0, GS_STREAM_SHARED, least + 7);
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_NE(lines[0].find("priority " + std::to_string(greatest - 7) + " "), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("the stream has " + std::to_string(greatest)), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("the stream has " + std::to_string(least)), std::string::npos) << lines[1];
}

TEST_P(Conformance, RowA2_StreamFlags) {
    for (uint32_t flags = 0; flags < 8; ++flags) {
        gs_stream_t stream = nullptr;
        if ((flags & GS_STREAM_SHARED) && (flags & GS_STREAM_DEDICATED)) {
            EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create, "both shared and dedicated", 0, 0, flags,
                         &stream);
            continue;
        }
        ASSERT_OK(gs_stream_create(0, 0, flags, &stream));
        Stream owner(stream);
        uint32_t answer = 99;
        answer = facts_of(stream).flags;
        EXPECT_EQ(answer, flags);
    }
    gs_stream_t stream = nullptr;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_create, "0xfff8", 0, 0, 0xFFFA, &stream);
}

TEST_P(Conformance, RowA2_DedicatedStreamsAreReallyDestroyed) {
    Stream warm = make_stream(0, GS_STREAM_DEDICATED);
    warm.reset();
    StatsDelta stats;
    make_stream(0, GS_STREAM_DEDICATED).reset();
    EXPECT_GE(stats.driver_calls(), 2u) << "created and destroyed";
    EXPECT_EQ(stats.since(&gs_stats_t::stream_pool_hits), 0u);
}

} // namespace gs::test
