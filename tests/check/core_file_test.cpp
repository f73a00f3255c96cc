// SPDX-License-Identifier: Apache-2.0
// gs_dump_log() of core files: of a process that hangs, of one that has crashed, of damaged files and of those without a log.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

#include "check/core_image.hpp"
#include "check/log_file.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

class CoreLog : public LogFile {
protected:
    // A process that hangs, with its log in memory, if it has one. It ends when the test does.
    gs::test::Child hang(const char *log) const {
        return gs::test::Child::fork_only([log] {
            unsetenv("GPUSTREAM_LOG_FILE");
            setenv("GPUSTREAM_LOG", log, 1);
            Hang hang;
            EXPECT_OK(gs_range_push("open \x01 in it"));
            char end = 0;
            const bool told = write(STDOUT_FILENO, "hangs\n", 6) == 6 && read(STDIN_FILENO, &end, 1) == 0;
            hang.end();
            return told && !::testing::Test::HasFailure() ? 0 : 1;
        });
    }
    // The process hangs by now.
    static bool waits(gs::test::Child &child) {
        std::string line;
        return child.read_line(&line) && line == "hangs";
    }
    static void end(gs::test::Child &child) {
        child.close_input();
        const auto outcome = child.wait();
        EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    }
};

TEST_F(CoreLog, OfAProcessThatHangs) {
    auto child = hang("32");
    ASSERT_TRUE(waits(child));
    for (const bool many : {false, true}) {
        ASSERT_TRUE(write_core(child.pid(), path("core"), many));
        const std::string text = read_log(path("core"));
        EXPECT_THAT(text,
                    HasSubstr("log of process " + std::to_string(child.pid()) +
                              ", which has ended (times are before its last operation), 32 operations a thread\n"));
        EXPECT_EQ(line_about(text, "compute"), kExplained);
        EXPECT_THAT(text, HasSubstr("is in \"open ? in it\"\n"));
        EXPECT_THAT(text, HasSubstr("gpustream: end of log\n"));
    }
    end(child);
}

TEST_F(CoreLog, OfAProcessWithoutALog) {
    auto child = hang("0");
    ASSERT_TRUE(waits(child));
    ASSERT_TRUE(write_core(child.pid(), path("core")));
    read_log(path("core"), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(gs::test::last_error().message, HasSubstr("nor a core file with such a log"));
    end(child);
}

// The kernel's own core file of a process that has crashed.
TEST_F(CoreLog, OfAProcessThatHasCrashed) {
    std::ifstream pattern_file("/proc/sys/kernel/core_pattern");
    std::string pattern;
    std::getline(pattern_file, pattern);
    if (pattern.empty() || pattern[0] == '|' || pattern.find_first_of("/%") != std::string::npos)
        GTEST_SKIP() << "core files go elsewhere: '" << pattern << "'";
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_CORE, &limit), 0);
    if (limit.rlim_max == 0) GTEST_SKIP() << "no core files here";
    const auto outcome = gs::test::run_forked([this] {
        rlimit all{};
        if (chdir(directory_.c_str()) != 0 || getrlimit(RLIMIT_CORE, &all) != 0) return 1;
        all.rlim_cur = all.rlim_max;
        if (setrlimit(RLIMIT_CORE, &all) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0) return 1;
        unsetenv("GPUSTREAM_LOG_FILE");
        setenv("GPUSTREAM_LOG", "64", 1);
        const Hang hang;
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
        return 1;
    });
    ASSERT_EQ(outcome.signal, SIGSEGV) << gs::test::describe(outcome);
    std::string core;
    for (const auto &entry : fs::directory_iterator(directory_)) core = entry.path().string();
    if (core.empty()) GTEST_SKIP() << "the kernel wrote no core file";
    EXPECT_EQ(line_about(read_log(core), "compute"), kExplained);
}

// Bytes change and the file is cut: any text or a refusal, and always an end.
TEST_F(CoreLog, TrustsNothing) {
    auto child = hang("32");
    ASSERT_TRUE(waits(child));
    ASSERT_TRUE(write_core(child.pid(), path("core")));
    end(child);
    std::ifstream in(path("core"), std::ios::binary);
    std::string whole{std::istreambuf_iterator<char>(in), {}};
    const size_t magic = whole.find(std::string("GPUSLOG\0", 8) + std::string("\x03\0\0\0", 4));
    ASSERT_NE(magic, std::string::npos);
    std::mt19937 random(7);
    size_t read = 0;
    for (int round = 0; round < 40; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 30; ++i) {
            const bool front = i % 2 == 0; // the headers, or the log
            const size_t at = front ? random() % 4096 : magic + 8 + random() % 90'000;
            if (at < damaged.size()) damaged[at] = static_cast<char>(random());
        }
        if (round % 4 == 3) damaged.resize(random() % damaged.size());
        std::ofstream(path("damaged"), std::ios::binary) << damaged;
        const TextFile text;
        const gs_status_t status = gs_dump_log(path("damaged").c_str(), text.fd());
        EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_ARGUMENT || status == GS_ERROR_SYSTEM) << status;
        read += status == GS_OK ? 1 : 0;
    }
    EXPECT_LT(read, 40u) << "some damage is seen";
    EXPECT_GT(read, 0u) << "some does no harm";
}

} // namespace
} // namespace gs::check::test
