// SPDX-License-Identifier: Apache-2.0
// Launches with random numbers while the driver cannot record behind them.
#include "conformance/random_state.hpp"
#include "fault/inject.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

struct Drawing {
    GraphExec exec;
    uint64_t words; // the address that its launches write
};

Drawing drawing_graph(gs_stream_t stream, void *to) {
    EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    const gs_philox_t philox = reserve(stream, 4);
    EXPECT_OK(gs_memcpy_async(to, reinterpret_cast<const void *>(philox.offset_address), 8, stream)); // NOLINT
    Graph graph = end_capture(stream);
    return {instantiate(graph), philox.seed_address};
}

} // namespace

TEST(RandomFaults, ALaunchThatCannotBeRecordedKeepsOtherStreamsOut) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Bytes read(8);
    const Drawing drawing = drawing_graph(stream, read.at(0));
    const GraphExec &exec = drawing.exec;
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_graph_exec_launch(exec, other));
    ASSERT_OK(gs_rng_set_state(0, 5, 0));
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        SCOPED_TRACE(phase);
        inject("cuEventRecord", phase);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_graph_exec_launch(exec, stream));
        const RandomState drawn = state_of(0);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_graph_exec_launch(exec, other));
        EXPECT_EQ(last_error().native_code, 999);
        EXPECT_NE(std::strstr(last_error().message, "capture it again"), nullptr) << last_error().message;
        EXPECT_EQ(state_of(0), drawn) << "a refused launch draws nothing";
        EXPECT_OK(gs_graph_exec_launch(exec, stream)) << "in order behind the first";
        EXPECT_OK(gs_graph_exec_launch(exec, other)) << "a record succeeded";
        ASSERT_OK(gs_stream_synchronize(other));
        uint64_t offset = 0;
        std::memcpy(&offset, read.at(0), sizeof offset);
        EXPECT_EQ(offset, drawn.offset + 4);
    }
    EXPECT_EQ(fake().violation_text(), "");
}

// A graph that is captured afterwards has words that no launch reads unseen.
TEST(RandomFaults, WordsOfSuchALaunchAreNotUsedAgain) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(0);
    Bytes read(8);
    uint64_t lost = 0, done = 0;
    {
        const Drawing drawing = drawing_graph(stream, read.at(0));
        lost = drawing.words;
        inject("cuEventRecord", FAKE_CUDA_BEFORE);
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_graph_exec_launch(drawing.exec, stream));
    }
    {
        const Drawing drawing = drawing_graph(other, read.at(0));
        done = drawing.words;
        EXPECT_NE(done, lost);
        EXPECT_OK(gs_graph_exec_launch(drawing.exec, other));
        EXPECT_OK(gs_graph_exec_launch(drawing.exec, stream));
    }
    EXPECT_EQ(drawing_graph(other, read.at(0)).words, done) << "behind its last launch, which is recorded";
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
