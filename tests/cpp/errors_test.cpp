// SPDX-License-Identifier: Apache-2.0
// What a failure says, and that it goes on saying it.
#include <gtest/gtest.h>

#include <cstring>
#include <gpustream.hpp>
#include <thread>

using namespace gpustream;

namespace {

error error_of(void (*call)()) {
    try {
        call();
    } catch (const error &thrown) {
        return thrown;
    }
    ADD_FAILURE() << "nothing was thrown";
    return error(status::ok);
}

TEST(Errors, HaveAllFieldsOfTheRecord) {
    const error failure = error_of([] { device(99).info(); });
    gs_error_info_t record{};
    record.struct_size = sizeof record;
    ASSERT_EQ(gs_last_error(&record), GS_OK);
    EXPECT_EQ(failure.status(), status::invalid_device);
    EXPECT_EQ(failure.function(), "gs_device_get_info");
    EXPECT_EQ(failure.message(), record.message);
    EXPECT_NE(failure.message().find("99"), std::string_view::npos);
    EXPECT_EQ(failure.reason(), reason::none);
    EXPECT_EQ(failure.native_code(), 0);
    EXPECT_FALSE(failure.is_sticky());
    EXPECT_TRUE(failure.origin().empty());
    EXPECT_TRUE(failure.native_function().empty());
    EXPECT_EQ(std::memcmp(&failure.info(), &record, sizeof record), 0);
    const std::string function = "gs_device_get_info: ";
    ASSERT_TRUE(failure.message().starts_with(function)) << failure.message();
    EXPECT_EQ(std::string(failure.what()),
              function + "GS_ERROR_INVALID_DEVICE: " + std::string(failure.message().substr(function.size())));
}

TEST(Errors, NameTheObjects) {
    const error failure = error_of([] { device(99).info(); });
    EXPECT_EQ(failure.device(), 99);
    EXPECT_EQ(failure.stream(), nullptr);
    EXPECT_EQ(failure.event(), nullptr);
    const stream work = stream::create();
    event ended = event::create();
    const event_ref dead = ended;
    ended.reset();
    try {
        work.record(dead);
        ADD_FAILURE() << "the event has ended";
    } catch (const error &thrown) {
        EXPECT_EQ(thrown.stream(), work.get());
        EXPECT_EQ(thrown.event(), dead.get());
        EXPECT_EQ(thrown.device(), work.device().get());
    }
    // An error without a record is about no object.
    EXPECT_EQ(error(status::cancelled).device(), device::none().get());
}

TEST(Errors, OutliveLaterFailuresAndAreCopied) {
    const error first = error_of([] { device(99).info(); });
    const error second = error_of([] { stream_ref().synchronize(); });
    EXPECT_EQ(first.function(), "gs_device_get_info");
    EXPECT_EQ(second.function(), "gs_stream_synchronize");
    const error copy = second;
    EXPECT_STREQ(copy.what(), second.what());
    EXPECT_NE(copy.what(), second.what()) << "the copy has a text of its own";
    EXPECT_TRUE((std::is_nothrow_copy_constructible_v<error>));
}

TEST(Errors, AreCaughtAsExceptionsOfTheStandardLibrary) { EXPECT_THROW(stream_ref().synchronize(), std::exception); }

TEST(Errors, StatusesWithoutARecordSayTheirOwnText) {
    EXPECT_EQ(error_of([] { device(99).info(); }).status(), status::invalid_device);
    const stream work = stream::create();
    const timed_event start = timed_event::create();
    const timed_event end = timed_event::create();
    work.record(start);
    work.sleep(50'000'000);
    work.record(end);
    try {
        static_cast<void>(elapsed(start, end));
        ADD_FAILURE() << "the work is not done";
    } catch (const error &failure) {
        EXPECT_EQ(failure.status(), status::not_ready);
        EXPECT_EQ(std::string(failure.what()).find("99"), std::string::npos) << "text of an older failure";
        EXPECT_EQ(failure.message(), "gs_event_elapsed_ms: " + std::string(message(status::not_ready)));
    }
    work.synchronize();
    EXPECT_GT(elapsed(start, end).count(), 0.0);
}

TEST(Errors, FailuresOfTheLayerSayTheirOwnText) {
    gs_stream_t none = nullptr;
    ASSERT_EQ(gs_stream_create(GS_DEVICE_CURRENT, 0, 64, &none), GS_ERROR_INVALID_ARGUMENT); // leaves a record
    const error copy = error_of([] {
        const stream work = stream::create();
        buffer small = buffer::create(4, work), large = buffer::create(8, work);
        small.copy_from(large, work);
    });
    EXPECT_EQ(copy.status(), status::invalid_argument);
    EXPECT_EQ(std::string(copy.what()), "GS_ERROR_INVALID_ARGUMENT: the copy has more bytes than the buffer");
    const error pool = error_of([] { static_cast<void>(stream_pool::create(0)); });
    EXPECT_EQ(pool.status(), status::invalid_argument);
    EXPECT_EQ(pool.message(), "size is 0: a pool of streams has at least one");
    const error capturing = error_of([] {
        const stream work = stream::create(), other = stream::create();
        buffer memory = buffer::create(4, work);
        const capture recording(work);
        EXPECT_EQ(gs_stream_synchronize(work.get()), GS_ERROR_CAPTURING); // leaves a record
        memory.fill(1, other);
    });
    EXPECT_EQ(capturing.status(), status::capturing);
    EXPECT_TRUE(capturing.function().empty()) << capturing.what();
    EXPECT_NE(capturing.message().find("the buffer was allocated in"), std::string_view::npos) << capturing.what();
}

TEST(Errors, BelongToTheirThread) {
    const error mine = error_of([] { device(99).info(); });
    std::thread([] { EXPECT_THROW(stream_ref().synchronize(), error); }).join();
    EXPECT_EQ(error(status::invalid_device).function(), "gs_device_get_info");
    EXPECT_EQ(mine.function(), "gs_device_get_info");
}

TEST(Errors, NamesOfStatuses) {
    EXPECT_EQ(name(status::ok), "GS_OK");
    EXPECT_EQ(name(status::driver), "GS_ERROR_DRIVER");
    EXPECT_EQ(message(status::ok), "success");
    EXPECT_FALSE(native_error_text(backend::host, 123456).empty());
    EXPECT_FALSE(name(static_cast<status>(-7)).empty());
}

// Calls beside a library of another ABI: loading.cpp.
TEST(Errors, AnotherAbiIsNamedWithItsFileAndBothVersions) {
    EXPECT_NO_THROW(require_abi());
    EXPECT_EQ(error_of([] { device(99).info(); }).status(), status::invalid_device);
    const abi_error failure; // of this library, which is the right one
    EXPECT_EQ(failure.status(), wrong_abi);
    EXPECT_TRUE(failure.function().empty()) << "of an older failure";
    EXPECT_EQ(std::string(failure.what()), "GPUSTREAM_WRONG_ABI: " + std::string(failure.message()));
    EXPECT_NE(failure.message().find("/libgpustream.so"), std::string_view::npos) << failure.message();
    EXPECT_NE(failure.message().find(": its ABI version is 1, wanted is 1"), std::string_view::npos);
    EXPECT_EQ(name(wrong_abi), "GPUSTREAM_WRONG_ABI");
    EXPECT_EQ(message(wrong_abi), "the loaded library has another ABI version than the header");
    EXPECT_EQ(to_string(wrong_abi), "GPUSTREAM_WRONG_ABI");
}

TEST(Errors, OfALongFileNameTheEndIsKept) {
    const auto described = [](const std::string &file, size_t capacity) {
        std::string text(capacity, '#');
        detail::describe_abi(text.data(), capacity, file, 4294967295u);
        return std::string(text.c_str());
    };
    const std::string versions = ": its ABI version is 4294967295, wanted is 1";
    EXPECT_EQ(described("/lib/x.so", 512), "/lib/x.so" + versions);
    EXPECT_EQ(described("/lib/x.so", versions.size() + 10), "/lib/x.so" + versions) << "just fits";
    EXPECT_EQ(described("/lib/x.so", versions.size() + 9), ".../x.so" + versions);
    const std::string folder(4000, 'd');
    EXPECT_EQ(described("/" + folder + "/x.so", 512).size(), 511u);
}

TEST(Errors, AnUntimedEventHasNoTime) {
    const event plain = event::create();
    const timed_event timed = timed_event::create();
    const timed_event_ref pretended(plain.get());
    try {
        static_cast<void>(elapsed(pretended, timed));
        ADD_FAILURE() << "accepted";
    } catch (const error &failure) {
        EXPECT_EQ(failure.status(), status::timing_disabled);
    }
}

} // namespace
