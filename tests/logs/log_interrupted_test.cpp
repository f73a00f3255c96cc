// SPDX-License-Identifier: Apache-2.0
// The log file in a process to which signals are sent all the time, as runtimes and profilers do.
#include <dlfcn.h>
#include <fcntl.h>

#include <atomic>
#include <cerrno>

#include "logs/log_file.hpp"

namespace {
std::atomic<int> g_interruptions{0}; // that are still to come
}

// In place of the C library's.
extern "C" int posix_fallocate(int fd, off_t offset, off_t length) {
    if (g_interruptions.load() > 0 && g_interruptions.fetch_sub(1) > 0) return EINTR;
    using Function = int (*)(int, off_t, off_t);
    static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "posix_fallocate"));
    return original(fd, offset, length);
}

namespace gs::check::test {
namespace {

TEST_F(LogFile, IsNotLeftBecauseOfSignals) {
    const auto outcome = logged(path("log"), [] {
        g_interruptions = 3;
        const Stream stream = named_stream("kept");
        ASSERT_OK(gs_stream_sleep(stream, 1));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(g_interruptions.load(), 0);
    });
    EXPECT_TRUE(outcome.clean()) << gs::test::describe(outcome);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(line_about(read_log(path("log")), "kept"), "stream  (\"kept\") has no known wait");
}

} // namespace
} // namespace gs::check::test
