// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <gpustream.hpp>
#include <memory>
#include <stdexcept>

using namespace gpustream;

namespace {

TEST(Graphs, BuiltByHand) {
    const stream work = stream::create();
    const buffer memory = buffer::create(32, work);
    const graph built = graph::create(0);
    std::atomic<int> ran{0};
    const node first = built.add_fill({}, memory.data(), 1, 32);
    const node second = built.add_host(first, [&] { ran.fetch_add(1); });
    const node third = built.add_empty({first, second});
    const std::vector<node> all{first, second, third};
    const node last = built.add_copy(all, memory.as<char>() + 16, memory.data(), 16);
    EXPECT_EQ(built.contents().size(), 4u);
    EXPECT_EQ(built.edges().size(), 1u + 2u + 3u);
    EXPECT_EQ(built.info().node_count, 4u);
    EXPECT_EQ(static_cast<node_kind>(built.info(last).kind), node_kind::memcpy);
    EXPECT_NE(built.dot().find("digraph"), std::string::npos);
    const graph_exec exec = built.instantiate();
    exec.launch(work);
    work.synchronize();
    EXPECT_EQ(ran.load(), 1);
    EXPECT_EQ(memory.as<char>()[31], 1);
    exec.set_fill(first, memory.data(), 2, 32);
    exec.enable(last, false);
    exec.launch(work);
    work.synchronize();
    EXPECT_EQ(memory.as<char>()[31], 2);
}

TEST(Graphs, CapturedAndUpdated) {
    const stream work = stream::create();
    const buffer memory = buffer::create(8, work);
    work.synchronize();
    const auto recorded = [&](int value) {
        capture recording(work);
        EXPECT_TRUE(work.is_capturing());
        EXPECT_EQ(static_cast<capture_state>(capture_info(work).state), capture_state::active);
        fill(memory.data(), value, 8, work);
        return recording.end();
    };
    const graph one = recorded(1);
    const graph_exec exec = one.instantiate();
    const graph two = recorded(2);
    EXPECT_EQ(static_cast<update_reason>(exec.update(two).reason), update_reason::ok);
    exec.launch(work);
    work.synchronize();
    EXPECT_EQ(memory.as<char>()[7], 2);
    const graph empty = graph::create(0);
    EXPECT_NE(static_cast<update_reason>(exec.update(empty).reason), update_reason::ok);
}

TEST(Graphs, ACaptureThatIsLeftIsAborted) {
    const stream work = stream::create();
    try {
        const capture recording(work);
        throw std::runtime_error("on the way out");
    } catch (const std::runtime_error &) {
        EXPECT_FALSE(work.is_capturing());
        EXPECT_TRUE(work.query());
    }
    EXPECT_THROW(capture{stream_ref()}, error);
}

TEST(Graphs, ACaptureThatIsOverLeavesTheNextOneAlone) {
    const stream work = stream::create(), side = stream::create();
    auto recording = std::make_unique<capture>(work);
    side.wait(work); // and work never waits for side
    side.sleep(1);
    EXPECT_THROW(static_cast<void>(recording->end()), error);
    recording = std::make_unique<capture>(work); // the next one begins before the object of the last one ends
    work.sleep(1);
    EXPECT_EQ(recording->end().info().node_count, 1u);
}

TEST(Graphs, IntoAnExistingOne) {
    const stream work = stream::create();
    const graph built = graph::create(0);
    const node first = built.add_empty({});
    {
        capture recording(work, built, first);
        work.launch_host([] {});
        const graph same = recording.end();
        EXPECT_EQ(same.get(), built.get());
    }
    EXPECT_EQ(built.edges().size(), 1u);
}

TEST(Graphs, KeepUntilAllHasEnded) {
    auto token = std::make_shared<int>(0);
    const std::weak_ptr<int> watched = token;
    graph built = graph::create(0);
    built.keep([token = std::move(token)] {});
    graph_exec exec = built.instantiate();
    built.reset();
    EXPECT_FALSE(watched.expired());
    exec.reset();
    while (!watched.expired()) trim();
}

TEST(Graphs, Conditions) {
    const stream work = stream::create();
    const buffer words = buffer::create(8, work);
    fill(words.data(), 0, 8, work);
    work.synchronize();
    const graph built = graph::create(0);
    const auto taken = built.add_condition({}, condition_kind::if_, 1);
    const auto left = built.add_condition({}, condition_kind::if_, 0);
    ASSERT_EQ(taken.bodies.size(), 1u);
    static_cast<void>(taken.bodies[0].add_fill({}, words.as<char>(), 1, 4));
    static_cast<void>(left.bodies[0].add_fill({}, words.as<char>() + 4, 1, 4));
    built.instantiate().launch(work);
    work.synchronize();
    EXPECT_EQ(words.as<char>()[3], 1);
    EXPECT_EQ(words.as<char>()[7], 0);
    EXPECT_THROW(static_cast<void>(left.bodies[0].add_host({}, [] {})), error) << "bodies have no host functions";
}

TEST(Graphs, NodesEnterACapture) {
    const stream work = stream::create();
    capture recording(work);
    work.launch_host([] {});
    const graph_ref growing(capture_info(work).graph);
    const std::vector<node> last = capture_nodes(work);
    ASSERT_EQ(last.size(), 1u);
    const node aside = growing.add_empty({});
    add_capture_nodes(work, aside);
    EXPECT_EQ(capture_nodes(work).size(), 2u);
    set_capture_nodes(work, aside);
    EXPECT_EQ(capture_nodes(work), std::vector<node>{aside});
    work.launch_host([] {});
    const graph recorded = recording.end();
    const std::vector<edge> edges = recorded.edges();
    ASSERT_EQ(edges.size(), 1u);
    EXPECT_EQ(edges[0].from, aside);
    EXPECT_THROW(static_cast<void>(capture_nodes(work)), error) << "not being captured";
    EXPECT_THROW(set_capture_nodes(work, aside), error);
}

TEST(Graphs, SharedAndWrapped) {
    const stream work = stream::create();
    graph built = graph::create(0);
    std::atomic<int> ran{0};
    const node called = built.add_host({}, [&] { ran.fetch_add(1); });
    EXPECT_NE(built.native(called), 0u);
    graph same = graph::retain(built);
    built.close();
    const graph wrapped = graph::from_native(0, same.native());
    EXPECT_EQ(wrapped.info().node_count, 1u);
    graph_exec exec = same.instantiate();
    graph_exec again = graph_exec::retain(exec);
    exec.reset();
    again.launch(work);
    again.set_host(called, [](void *count) { static_cast<std::atomic<int> *>(count)->fetch_add(10); }, &ran);
    again.launch(work);
    work.synchronize();
    EXPECT_EQ(ran.load(), 11);
    EXPECT_THROW(static_cast<void>(graph::retain(graph_ref())), error);
    EXPECT_THROW(static_cast<void>(graph_exec::retain(graph_exec_ref())), error);
    EXPECT_THROW(again.set_host(called, nullptr, nullptr), error);
}

TEST(Graphs, NodesOfOthersAreRefused) {
    const graph one = graph::create(0);
    const graph two = graph::create(0);
    const node foreign = one.add_empty({});
    EXPECT_THROW(static_cast<void>(two.add_empty(foreign)), error);
    EXPECT_THROW(static_cast<void>(graph_ref().add_empty({})), error);
    EXPECT_THROW(graph_exec_ref().launch(stream_ref()), error);
}

} // namespace
