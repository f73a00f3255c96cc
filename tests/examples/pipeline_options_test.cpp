// SPDX-License-Identifier: Apache-2.0
// The command line of the pipeline example, and how it distributes its streams.
#include <gtest/gtest.h>

#include <vector>

#include "failure.hpp"
#include "options.hpp"
#include "stages.hpp"

namespace pipeline {
namespace {

Options parse(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "pipeline");
    return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, HaveDefaults) {
    const Options options = parse({"file"});
    EXPECT_EQ(options.file, "file");
    EXPECT_EQ(options.streams, 6);
    EXPECT_EQ(options.chunk_bytes, 4u << 20);
    EXPECT_EQ(options.backend, GS_BACKEND_DEFAULT);
    EXPECT_TRUE(options.timeline.empty());
    EXPECT_FALSE(options.progress);
}

TEST(Options, AreTakenInBothSpellingsAndAnyOrder) {
    const Options options =
        parse({"--streams=64", "--chunk", "3K", "name", "--backend=host", "--timeline", "a=b", "--progress"});
    EXPECT_EQ(options.file, "name");
    EXPECT_EQ(options.streams, 64);
    EXPECT_EQ(options.chunk_bytes, 3072u);
    EXPECT_EQ(options.backend, GS_BACKEND_HOST);
    EXPECT_EQ(options.timeline, "a=b");
    EXPECT_TRUE(options.progress);
    EXPECT_EQ(parse({"f", "--chunk", "1G"}).chunk_bytes, 1u << 30);
    EXPECT_EQ(parse({"f", "--chunk", "1024M"}).chunk_bytes, 1u << 30);
    EXPECT_EQ(parse({"f", "--chunk", "1"}).chunk_bytes, 1u);
    EXPECT_EQ(parse({"f", "--backend", "cuda"}).backend, GS_BACKEND_CUDA);
    EXPECT_EQ(parse({"--", "--streams"}).file, "--streams");
    EXPECT_TRUE(parse({"--help"}).help);
}

TEST(Options, RefuseWhatIsWrong) {
    const std::vector<std::vector<const char *>> wrong = {
        {},
        {"a", "b"},
        {"f", "--streams"},
        {"f", "--streams", "0"},
        {"f", "--streams", "65"},
        {"f", "--streams", "2K"},
        {"f", "--streams", "two"},
        {"f", "--streams", "-1"},
        {"f", "--streams="},
        {"f", "--chunk", "0"},
        {"f", "--chunk", "1025M"},
        {"f", "--chunk", "2G"},
        {"f", "--chunk", "18446744073709551616"},
        {"f", "--chunk", "18014398509481985K"},
        {"f", "--chunk", "4k"},
        {"f", "--chunk", "4MB"},
        {"f", "--chunk", " 4"},
        {"f", "--backend", "hip"},
        {"f", "--timeline"},
        {"f", "--timeline="},
        {"f", "--progress=1"},
        {"f", "--unknown"},
        {"f", "-x"},
        {"f", "--", "g"},
    };
    for (const auto &arguments : wrong) {
        try {
            parse(arguments);
            ADD_FAILURE() << "accepted: " << (arguments.empty() ? "" : arguments.back());
        } catch (const Failure &failure) {
            EXPECT_EQ(failure.exit(), Exit::kUsage);
            EXPECT_STRNE(failure.what(), "");
        }
    }
}

TEST(Lanes, UseEachStreamOnce) {
    for (int streams = 1; streams <= 64; ++streams) {
        int next = 0;
        for (const LanePlan &lane : plan_lanes(streams)) {
            EXPECT_EQ(lane.first_stream, next);
            ASSERT_GE(lane.streams, 1);
            ASSERT_LE(lane.streams, kStages);
            std::vector<bool> used(static_cast<size_t>(lane.streams));
            for (const Stage stage : {kCopyIn, kKernel, kCopyOut}) {
                used.at(static_cast<size_t>(lane.stream_of(stage) - lane.first_stream)) = true;
            }
            EXPECT_EQ(used, std::vector<bool>(used.size(), true)) << streams;
            next += lane.streams;
        }
        EXPECT_EQ(next, streams);
        EXPECT_EQ(stream_names(plan_lanes(streams)).size(), static_cast<size_t>(streams));
    }
}

TEST(Lanes, HaveNames) {
    const std::vector<std::string> expected = {"stream 1, copy-in", "stream 2, kernel", "stream 3, copy-out",
                                               "stream 4, copy-in + copy-out", "stream 5, kernel"};
    EXPECT_EQ(stream_names(plan_lanes(5)), expected);
    EXPECT_EQ(stream_names(plan_lanes(1)), std::vector<std::string>{"stream 1, all stages"});
}

} // namespace
} // namespace pipeline
