// SPDX-License-Identifier: Apache-2.0
// The tools as they ship: a library beside the library, loaded when it is asked for, missing, of another build, of another copy.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/child_process.hpp"

namespace gs::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char *kCore = "libgpustream.so.0", *kTools = "libgpustream_tools.so.0";
constexpr const char *kAsking[] = {
    "gs_check_start", "gs_set_check_callback", "gs_trace_begin",  "gs_set_trace_callback",
    "gs_trace_end",   "gs_trace_write",        "gs_explain_wait", "gs_dump",
    "gs_dump_log"};

fs::path tools_path() { return fs::path(GPUSTREAM_LIBRARY_PATH).parent_path() / kTools; }

class Tools : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "gpustream-tools-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        fs::copy_file(GPUSTREAM_LIBRARY_PATH, folder_ / kCore);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static Outcome ask(const fs::path &core, const Variables &variables = {}, const char *way = "ask",
                       const std::string &second = {}) {
        std::vector<std::string> command{TOOLS_USER, way, core.string()};
        if (!second.empty()) command.push_back(second);
        Variables all{{"GPUSTREAM_HOST_DEVICES", "1"}};
        all.insert(all.end(), variables.begin(), variables.end());
        const char *options = std::getenv("ASAN_OPTIONS"); // see dlopen_test.cpp
        all.emplace_back("ASAN_OPTIONS", std::string(options ? options : "") + ":detect_leaks=0");
        return run(command, all);
    }
    static void expect_answers(const Outcome &outcome) {
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
        for (const char *call : kAsking)
            EXPECT_THAT(outcome.output,
                        HasSubstr(std::string(call) + (call == std::string("gs_dump_log") ? ": 41" : ": 0")));
        EXPECT_THAT(outcome.output, AllOf(HasSubstr("trace written"), HasSubstr("tools loaded")));
    }
    static void expect_refusals(const Outcome &outcome, const std::string &reason) {
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
        for (const char *call : kAsking) {
            const bool has_text = call != std::string("gs_dump"); // which leaves the record of the thread alone
            EXPECT_THAT(outcome.output, HasSubstr(std::string(call) + ": 30" +
                                                  (has_text ? " " + std::string(call) + ": " + reason : "")));
        }
    }

    fs::path folder_;
};

TEST_F(Tools, AreFoundBesideTheLibrary) { expect_answers(ask(GPUSTREAM_LIBRARY_PATH)); }

TEST_F(Tools, AreFoundBesideALinkOrWhereItLeads) {
    fs::create_directory(folder_ / "links");
    fs::create_symlink(GPUSTREAM_LIBRARY_PATH, folder_ / "links" / kCore);
    expect_answers(ask(folder_ / "links" / kCore));
    fs::create_symlink(tools_path(), folder_ / kTools);
    expect_answers(ask(folder_ / kCore));
}

TEST_F(Tools, AreFoundFromAnotherWorkingFolder) {
    const fs::path relative = fs::relative(GPUSTREAM_LIBRARY_PATH);
    ASSERT_TRUE(relative.is_relative());
    expect_answers(ask(relative.string().find('/') == std::string::npos ? "./" + relative.string() : relative.string(),
                       {}, "away"));
}

TEST_F(Tools, AreNotLoadedUnlessAskedFor) {
    for (const Variables &variables :
         {Variables{}, Variables{{"GPUSTREAM_CHECK", ""}, {"GPUSTREAM_LOG", "0"}, {"GPUSTREAM_LEAKS", "0"}}}) {
        const auto outcome = ask(GPUSTREAM_LIBRARY_PATH, variables, "idle");
        EXPECT_TRUE(outcome.clean()) << describe(outcome);
        EXPECT_EQ(outcome.output, "tools not loaded\n");
    }
}

TEST_F(Tools, AVariableAsks) {
    for (const auto &[name, value] : Variables{{"GPUSTREAM_CHECK", "report"},
                                               {"GPUSTREAM_LOG", "16"},
                                               {"GPUSTREAM_LOG_FILE", (folder_ / "log").string()},
                                               {"GPUSTREAM_DUMP_SIGNAL", "10"},
                                               {"GPUSTREAM_DUMP_ON", "error"},
                                               {"GPUSTREAM_SYNCS", "1"}}) {
        const auto outcome = ask(GPUSTREAM_LIBRARY_PATH, {{name, value}}, "idle");
        EXPECT_TRUE(outcome.clean()) << name << describe(outcome);
        EXPECT_EQ(outcome.output, "tools loaded\n") << name;
    }
    const auto outcome = ask(GPUSTREAM_LIBRARY_PATH, {{"GPUSTREAM_LEAKS", "1"}}, "idle");
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("live at exit: 1 object"), HasSubstr("(\"lane\")"),
                                      HasSubstr("    gs_stream_create+"), Not(HasSubstr(kTools))));
}

TEST_F(Tools, AreMissed) {
    const std::string reason = std::string(kTools) + " is not beside '" + (folder_ / kCore).string() + "'";
    const auto outcome = ask(folder_ / kCore);
    expect_refusals(outcome, reason);
    EXPECT_THAT(outcome.output, HasSubstr("tools not loaded"));
    const auto warned = ask(folder_ / kCore, {{"GPUSTREAM_LOG", "64"}, {"GPUSTREAM_LEAKS", "1"}}, "idle");
    EXPECT_TRUE(warned.clean()) << describe(warned);
    EXPECT_EQ(warned.output.find("gpustream: error: GPUSTREAM_LOG is ignored: " + reason), 0u) << warned.output;
    EXPECT_EQ(warned.output.find("is ignored"), warned.output.rfind("is ignored")) << "once";
}

TEST_F(Tools, OfAnotherBuildAreRefused) {
    std::ifstream file(tools_path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::string prefix = std::string(GPUSTREAM_VERSION) + "-";
    const size_t at = bytes.find(prefix);
    ASSERT_NE(at, std::string::npos);
    const std::string id = bytes.substr(at, bytes.find('\0', at) - at);
    std::string other = id;
    other.back() = other.back() == '0' ? '1' : '0';
    for (size_t found = bytes.find(id); found != std::string::npos; found = bytes.find(id, found))
        bytes.replace(found, id.size(), other);
    std::ofstream(folder_ / kTools, std::ios::binary) << bytes;
    expect_refusals(ask(folder_ / kCore), "'" + (folder_ / kTools).string() + "' is of build " + other +
                                              ", the library of build " + id + ": install both from one package");
}

TEST_F(Tools, ThatAreNoLibraryAreRefused) {
    std::ofstream(folder_ / kTools) << "no library";
    expect_refusals(ask(folder_ / kCore), "cannot load '" + (folder_ / kTools).string() + "'");
    fs::remove(folder_ / kTools);
    fs::copy_file(GPUSTREAM_LIBRARY_PATH, folder_ / kTools); // a library, and not the tools
    expect_refusals(ask(folder_ / kCore), "'" + (folder_ / kTools).string() + "' is of build unknown");
}

TEST_F(Tools, EachCopyOfTheLibraryHasItsOwn) {
    fs::copy_file(tools_path(), folder_ / kTools);
    expect_answers(ask(GPUSTREAM_LIBRARY_PATH, {}, "copies", (folder_ / kCore).string()));
    fs::remove(folder_ / kTools);
    fs::create_symlink(tools_path(), folder_ / kTools);
    const auto outcome = ask(GPUSTREAM_LIBRARY_PATH, {}, "copies", (folder_ / kCore).string());
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    EXPECT_THAT(outcome.output, HasSubstr("gs_check_start: 30 gs_check_start: '" + (folder_ / kTools).string() +
                                          "' serves another copy of the library in this process"));
}

} // namespace
} // namespace gs::test
