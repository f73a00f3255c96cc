// SPDX-License-Identifier: Apache-2.0
// Executables have the names of their graphs: in errors, dumps, logs of processes that have ended, core files and traces.
#include "checker/graphs.hpp"
#include "core/names.hpp"
#include "logs/core_image.hpp"
#include "logs/log_file.hpp"
#include "traces/traced.hpp"

namespace gs::check::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

template <typename Handle>
uint64_t id_of(const Handle &handle) {
    return reinterpret_cast<uint64_t>(handle.get());
}

Graph named_graph(const char *name) {
    Graph graph = make_graph();
    add_empty(graph, {});
    EXPECT_OK(gs_graph_set_name(graph, name));
    return graph;
}
// Of a graph that is gone.
Exec named_exec(const char *name) { return instantiate(named_graph(name)); }

const char *const kLaunchOfDecode = "launches executable graph 0x[0-9a-f]+ \\(\"decode\"\\)\n";

TEST(GraphNames, BelongToExecutablesFromTheBeginning) {
    const Graph graph = named_graph("decode");
    const Exec first = instantiate(graph);
    ASSERT_OK(gs_graph_set_name(graph, "prefill"));
    const Exec second = instantiate(graph);
    ASSERT_OK(gs_graph_set_name(graph, nullptr));
    const Exec third = instantiate(graph);
    EXPECT_STREQ(name_of_object(id_of(first)).text, "decode");
    EXPECT_STREQ(name_of_object(id_of(second)).text, "prefill");
    EXPECT_STREQ(name_of_object(id_of(third)).text, "");
}

TEST(GraphNames, AreNotThoseOfTheNextExecutables) {
    for (int i = 0; i < 3; ++i) named_exec("decode").reset();
    const Graph graph = make_graph();
    for (int i = 0; i < 3; ++i) EXPECT_STREQ(name_of_object(id_of(instantiate(graph))).text, "");
}

TEST(GraphNames, AreInErrors) {
    Exec exec = named_exec("decode");
    const Stream stream = make_stream(0);
    const gs_graph_exec_t old = exec;
    exec.reset();
    EXPECT_EQ(gs_graph_exec_launch(old, stream), GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(gs::test::last_error().message, HasSubstr("(\"decode\") was destroyed"));
}

class GraphLog : public LogFile {};

TEST_F(GraphLog, DumpsNameWhatIsLaunched) {
    const auto outcome = logged(path("log"), [] {
        const Stream stream = named_stream("step");
        const Exec named = named_exec("decode"), unnamed = instantiate(make_graph());
        ASSERT_OK(gs_graph_exec_launch(unnamed, stream));
        EXPECT_THAT(dumped(), ContainsRegex("launches executable graph 0x[0-9a-f]+\n"));
        ASSERT_OK(gs_graph_exec_launch(named, stream));
        EXPECT_THAT(dumped(), ContainsRegex(kLaunchOfDecode));
        char text[2000];
        size_t bytes = 0;
        ASSERT_OK(gs_explain_wait(stream, text, sizeof text, &bytes));
        EXPECT_THAT(std::string(text), ContainsRegex(kLaunchOfDecode));
        ASSERT_OK(gs_stream_synchronize(stream));
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

// First the graph and the executable end, and then the process.
TEST_F(GraphLog, OutlivesGraphExecutableAndProcess) {
    const auto outcome = logged(path("log"), [] {
        const Stream stream = named_stream("step");
        {
            const Exec exec = named_exec("decode");
            ASSERT_OK(gs_graph_exec_launch(exec, stream));
            ASSERT_OK(gs_stream_synchronize(stream));
        }
        kill(getpid(), SIGKILL);
    });
    ASSERT_EQ(outcome.signal, SIGKILL) << outcome.output;
    EXPECT_THAT(read_log(path("log")), ContainsRegex(kLaunchOfDecode));
}

TEST_F(GraphLog, IsInCoreFiles) {
    auto child = gs::test::Child::fork_only([] {
        unsetenv("GPUSTREAM_LOG_FILE");
        setenv("GPUSTREAM_LOG", "32", 1);
        const Stream stream = named_stream("step");
        const Exec exec = named_exec("decode");
        EXPECT_OK(gs_graph_exec_launch(exec, stream));
        char end = 0;
        const bool told = write(STDOUT_FILENO, "runs\n", 5) == 5 && read(STDIN_FILENO, &end, 1) == 0;
        return told && !::testing::Test::HasFailure() ? 0 : 1;
    });
    std::string line;
    ASSERT_TRUE(child.read_line(&line));
    ASSERT_EQ(line, "runs");
    ASSERT_TRUE(write_core(child.pid(), path("core")));
    EXPECT_THAT(read_log(path("core")), ContainsRegex(kLaunchOfDecode));
    child.close_input();
    const auto outcome = child.wait();
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
}

struct HeardNames {
    int launches = 0;
    uint64_t object = 0;
};
void hear(void *arg, int32_t kind, uint64_t, uint64_t object, uint64_t, const char *) {
    if (kind != GS_TRACED_LAUNCH) return;
    auto *heard = static_cast<HeardNames *>(arg);
    ++heard->launches;
    heard->object = object;
}

TEST(Trace, NamesTheGraphsThatAreLaunched) {
    const StopAtEnd end;
    const Stream stream = make_stream(0);
    Exec named = named_exec("de\"code"), unnamed = instantiate(make_graph());
    HeardNames heard;
    ASSERT_OK(gs_set_trace_callback(hear, &heard));
    ASSERT_OK(start_trace());
    ASSERT_OK(gs_graph_exec_launch(unnamed, stream));
    ASSERT_OK(gs_graph_exec_launch(named, stream));
    EXPECT_EQ(heard.launches, 2);
    EXPECT_EQ(heard.object, id_of(named));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_set_trace_callback(nullptr, nullptr));
    named.reset();
    const std::string text = written();
    const auto launches = lines_with(text, {"graph launch"});
    ASSERT_EQ(launches.size(), 2u) << text;
    EXPECT_THAT(launches[0], HasSubstr("\"name\": \"graph launch\""));
    EXPECT_THAT(launches[0], ContainsRegex("\"graph\": \"0x[0-9a-f]+\""));
    EXPECT_THAT(launches[1], HasSubstr("\"name\": \"graph launch: de\\\"code\""));
    EXPECT_THAT(launches[1], HasSubstr(" (\\\"de\\\"code\\\")\""));
}

} // namespace
} // namespace gs::check::test
