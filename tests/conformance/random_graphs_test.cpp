// SPDX-License-Identifier: Apache-2.0
// Random numbers of captured kernels, in whose place copies read the words, on every backend.
#include "conformance/random_state.hpp"
#include "support/gate.hpp"

namespace gs::test {
namespace {

void begin(gs_stream_t stream) { ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL)); }

// By kernels on a GPU: copies from host memory to host memory, and launches of graphs that have some, block the caller there
// while the stream is held.
void copy_bytes(gs_stream_t stream, void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; ++i)
        copy_byte(stream, static_cast<unsigned char *>(to) + i, static_cast<const unsigned char *>(from) + i);
}

// Reserves in the capture, and captures what a kernel would read.
gs_philox_t reserve_and_read(gs_stream_t stream, uint64_t count, void *to) {
    const gs_philox_t philox = reserve(stream, count);
    EXPECT_EQ(philox.captured, 1);
    EXPECT_EQ(philox.seed, 0u);
    EXPECT_EQ(philox.offset, 0u);
    const auto *seed = reinterpret_cast<const void *>(philox.seed_address);     // NOLINT
    const auto *offset = reinterpret_cast<const void *>(philox.offset_address); // NOLINT
    copy_bytes(stream, to, seed, 8);
    copy_bytes(stream, static_cast<char *>(to) + 8, offset, 8);
    return philox;
}

RandomState read_of(Bytes &bytes, size_t at = 0) {
    RandomState state{};
    std::memcpy(&state, bytes.at(at), sizeof state);
    return state;
}

} // namespace

TEST_P(Conformance, Random_EachLaunchDrawsNewNumbers) {
    ROWS("P35");
    const KeepRandomState keep(0);
    Stream stream = make_stream(0);
    Bytes read(32);
    ASSERT_OK(gs_rng_set_state(0, 11, 100));
    begin(stream);
    const gs_philox_t first = reserve_and_read(stream, 5, read.at(0));
    const gs_philox_t second = reserve_and_read(stream, 4, read.at(16));
    Graph graph = end_capture(stream);
    EXPECT_EQ(first.offset_in_graph, 0u);
    EXPECT_EQ(second.offset_in_graph, 8u);
    EXPECT_EQ(second.seed_address, first.seed_address);
    EXPECT_EQ(state_of(0), (RandomState{11, 100})) << "a capture takes nothing from the device";
    GraphExec exec = instantiate(graph);
    for (uint64_t launch = 0; launch < 3; ++launch) {
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        EXPECT_EQ(reserve(stream, 1).offset, 100 + 16 * launch + 12) << "behind the launch's";
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(read_of(read), (RandomState{11, 100 + 16 * launch}));
        EXPECT_EQ(read_of(read, 16), (RandomState{11, 100 + 16 * launch}));
    }
    ASSERT_OK(gs_rng_set_state(0, 12, 0));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(read_of(read), (RandomState{12, 0})) << "a seed holds for graphs that exist";
}

// Two executables of one graph in two streams: the second must not write before the first has read.
TEST_P(Conformance, Random_LaunchesInOtherStreamsDoNotOverwrite) {
    ROWS("P35");
    const KeepRandomState keep(0);
    Stream stream = make_stream(0), other = make_stream(0);
    Bytes read(16), copied(16);
    begin(stream);
    reserve_and_read(stream, 4, read.at(0));
    Graph graph = end_capture(stream);
    GraphExec one = instantiate(graph), two = instantiate(graph);
    ASSERT_OK(gs_rng_set_state(0, 1, 0));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_graph_exec_launch(one, stream));
    ASSERT_OK(gs_graph_exec_launch(two, other));
    copy_bytes(other, copied.at(0), read.at(0), 16);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_stream_synchronize(other));
    EXPECT_EQ(state_of(0), (RandomState{1, 8}));
    const RandomState last = read_of(copied);
    EXPECT_EQ(last, (RandomState{1, 4}));
}

TEST_P(Conformance, Random_CopiesOfGraphsAndParentsDrawToo) {
    ROWS("P35");
    const KeepRandomState keep(0);
    Stream stream = make_stream(0);
    Bytes read(16);
    begin(stream);
    reserve_and_read(stream, 8, read.at(0));
    Graph graph = end_capture(stream);
    gs_graph_t copy = nullptr;
    ASSERT_OK(gs_graph_clone(graph, &copy));
    Graph cloned(copy);
    Graph parent = make_graph(0);
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(parent, nullptr, 0, graph_node(graph), &node));
    GraphExec of_copy = instantiate(cloned), of_parent = instantiate(parent);
    graph.reset();
    cloned.reset();
    parent.reset(); // executables alone hold the words
    ASSERT_OK(gs_rng_set_state(0, 2, 0));
    ASSERT_OK(gs_graph_exec_launch(of_copy, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(read_of(read), (RandomState{2, 0}));
    ASSERT_OK(gs_graph_exec_launch(of_parent, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(read_of(read), (RandomState{2, 8}));
}

TEST_P(Conformance, Random_AnUpdateBringsItsOwn) {
    ROWS("P35");
    const KeepRandomState keep(0);
    Stream stream = make_stream(0);
    Bytes read(32), plain(32);
    begin(stream);
    copy_bytes(stream, read.at(0), plain.at(0), 8);
    copy_bytes(stream, read.at(8), plain.at(0), 8);
    Graph before = end_capture(stream);
    GraphExec exec = instantiate(before);
    ASSERT_OK(gs_rng_set_state(0, 4, 0));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(state_of(0), (RandomState{4, 0})) << "it draws nothing";
    begin(stream);
    reserve_and_read(stream, 4, read.at(0));
    Graph after = end_capture(stream);
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    ASSERT_OK(gs_graph_exec_update(exec, after, &update));
    ASSERT_EQ(update.reason, GS_UPDATE_OK);
    for (uint64_t launch = 0; launch < 2; ++launch) {
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(read_of(read), (RandomState{4, 4 * launch}));
    }
    ASSERT_OK(gs_graph_exec_update(exec, before, &update));
    ASSERT_EQ(update.reason, GS_UPDATE_OK);
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(state_of(0), (RandomState{4, 8})) << "it draws nothing any more";
}

// Words are used again, but only behind the last launch of the graph that had them.
TEST_P(Conformance, Random_WordsOfAnEndedGraphAreReused) {
    ROWS("P35");
    const KeepRandomState keep(0);
    Stream stream = make_stream(0), other = make_stream(0);
    Bytes old_read(16), read(16);
    begin(stream);
    const gs_philox_t old = reserve_and_read(stream, 4, old_read.at(0));
    Graph graph = end_capture(stream);
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_rng_set_state(0, 6, 0));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    exec.reset();
    graph.reset();
    begin(other);
    const gs_philox_t now = reserve_and_read(other, 4, read.at(0));
    EXPECT_EQ(now.seed_address, old.seed_address);
    EXPECT_EQ(now.offset_in_graph, 0u) << "the graph that had them has reserved, too";
    Graph second = end_capture(other);
    GraphExec next = instantiate(second);
    ASSERT_OK(gs_graph_exec_launch(next, other));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(other));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(read_of(old_read), (RandomState{6, 0}));
    EXPECT_EQ(read_of(read), (RandomState{6, 4}));
    EXPECT_OK(gs_trim());
    next.reset();
    begin(other);
    EXPECT_NE(reserve_and_read(other, 4, read.at(0)).seed_address, now.seed_address) << "the second graph is left";
    end_capture(other).reset();
}

TEST_P(Conformance, Random_BodiesOfConditionsDrawNone) {
    ROWS("P35");
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0);
    Graph graph = make_graph(0);
    const Condition condition = add_condition(graph, {}, GS_CONDITION_WHILE, 0, 1);
    ASSERT_OK(gs_stream_begin_capture_to(stream, condition.bodies[0], nullptr, 0, GS_CAPTURE_THREAD_LOCAL));
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_rng_reserve, "body", stream, 1, &philox);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    ASSERT_OK(gs_stream_abort_capture(stream));
}

} // namespace gs::test
