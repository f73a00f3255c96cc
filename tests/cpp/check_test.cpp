// SPDX-License-Identifier: Apache-2.0
// The ordering checker, names, and threads that may not wait.
#include <gtest/gtest.h>

#include <gpustream.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace gpustream;

namespace {

struct Reports {
    Reports() {
        check::set_callback([this](std::string_view text, std::string_view json) {
            texts.emplace_back(text);
            jsons.emplace_back(json);
        });
        check::start();
    }
    ~Reports() {
        check::stop();
        check::set_callback(nullptr);
    }
    std::vector<std::string> texts, jsons;
};

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Check, ReportsWhatNothingOrders) {
    const stream upload = stream::create(), compute = stream::create();
    upload.set_name("upload");
    compute.set_name("compute");
    const event ready = event::create();
    char bytes[64] = {};
    Reports reports;
    check::write(upload, bytes, sizeof bytes, "copy in");
    upload.record(ready);
    compute.wait(ready);
    check::read(compute, bytes, sizeof bytes, "ordered");
    EXPECT_TRUE(reports.texts.empty());
    check::write(upload, bytes + 8, 8, "too early");
    ASSERT_EQ(reports.texts.size(), 1u);
    for (const char *part : {"upload", "compute", "ordered", "too early"})
        EXPECT_TRUE(contains(reports.texts[0], part)) << part << " in " << reports.texts[0];
    EXPECT_EQ(reports.jsons[0].front(), '{');
    EXPECT_TRUE(contains(reports.jsons[0], "\"too early\""));
}

TEST(Check, NodesOfGraphsDeclareWhatTheyAccess) {
    const stream work = stream::create();
    char bytes[64] = {};
    Reports reports;
    const graph made = graph::create();
    const node first = made.add_empty({}), second = made.add_empty({});
    made.check_write(first, bytes, sizeof bytes, "producer");
    made.check_read(second, bytes + 63, 1, "consumer");
    EXPECT_THROW(made.check_read(0, bytes, 1), error);
    EXPECT_TRUE(reports.texts.empty());
    made.instantiate().launch(work);
    ASSERT_EQ(reports.texts.size(), 1u);
    EXPECT_TRUE(contains(reports.texts[0], "producer") && contains(reports.texts[0], "consumer")) << reports.texts[0];
    work.synchronize();
}

TEST(Check, FailuresAreThrown) {
    const stream none;
    char byte = 0;
    EXPECT_THROW(check::read(none, &byte, 1), error);
    EXPECT_THROW(check::write(stream_ref::current(), nullptr, 1), error);
    EXPECT_THROW(check::start(static_cast<check_flags>(1u << 30)), error);
    EXPECT_THROW(none.set_name("x"), error);
    EXPECT_THROW(event().set_name("x"), error);
    EXPECT_THROW(graph().set_name("x"), error);
}

TEST(Check, ExceptionsInTheFunctionAreContained) {
    static std::string thrown;
    const callback_failure_handler before =
        set_callback_failure_handler([](const char *place, std::exception_ptr) { thrown = place; });
    const stream one = stream::create(), two = stream::create();
    char byte = 0;
    check::set_callback([](std::string_view, std::string_view) { throw std::runtime_error("in the report"); });
    check::start();
    check::write(one, &byte, 1);
    check::write(two, &byte, 1);
    check::stop();
    check::set_callback(nullptr);
    set_callback_failure_handler(before);
    EXPECT_EQ(thrown, "report function");
}

// What one thread has seen to be done, another one knows by the clock.
TEST(Check, ClocksHandOver) {
    const stream one = stream::create(), two = stream::create();
    char byte = 0;
    Reports reports;
    check::clock clock;
    check::write(one, &byte, 1);
    std::thread other([&] {
        one.synchronize();
        clock.handover();
    });
    other.join();
    clock.handover();
    check::write(two, &byte, 1);
    EXPECT_TRUE(reports.texts.empty());
}

TEST(Names, AreShownInErrors) {
    event marked = event::create();
    marked.set_name("uploaded");
    const event_ref stale = marked;
    marked.close();
    try {
        stale.synchronize();
        ADD_FAILURE() << "accepted";
    } catch (const error &failure) {
        EXPECT_TRUE(contains(std::string(failure.message()), "uploaded")) << failure.what();
    }
    graph made = graph::create();
    made.set_name("step");
    const graph_ref gone = made;
    made.close();
    EXPECT_THROW(gone.set_name("again"), error);
}

TEST(ForbidSync, HoldsForTheThreadAndTheBlock) {
    const stream work = stream::create();
    const auto forbidden = [&] {
        try {
            work.synchronize();
        } catch (const error &failure) {
            return failure.status() == status::sync_forbidden;
        }
        return false;
    };
    {
        const forbid_sync outer;
        {
            const forbid_sync inner;
            EXPECT_TRUE(forbidden());
        }
        EXPECT_TRUE(forbidden());
        EXPECT_THROW(device(0).synchronize(), error);
        static_cast<void>(work.query());
        std::thread([&] { EXPECT_FALSE(forbidden()); }).join();
    }
    EXPECT_FALSE(forbidden());
    std::optional<forbid_sync> first(std::in_place), second(std::in_place);
    first.reset();
    EXPECT_TRUE(forbidden());
    second.reset();
    EXPECT_FALSE(forbidden()) << "whichever ended last";
}

} // namespace
