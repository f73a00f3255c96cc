// SPDX-License-Identifier: Apache-2.0
// gs_dump_log: files that are no logs, and damaged ones.
#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <random>

#include "logs/log_file.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;
using LogFileReader = LogFile;

TEST_F(LogFileReader, RefusesOtherFiles) {
    EXPECT_EQ(gs_dump_log(nullptr, 2), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(gs_dump_log("/dev/null", -1), GS_ERROR_INVALID_ARGUMENT);
    read_log(path("none"), GS_ERROR_SYSTEM);
    read_log("/dev/null", GS_ERROR_SYSTEM);
    read_log(directory_.string(), GS_ERROR_SYSTEM);
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    read_log(path("pipe"), GS_ERROR_SYSTEM);
    std::ofstream(path("empty")).flush();
    read_log(path("empty"), GS_ERROR_INVALID_ARGUMENT);
    read_log("/proc/self/exe", GS_ERROR_INVALID_ARGUMENT);
    const gs_error_info_t error = gs::test::last_error();
    EXPECT_THAT(error.message, HasSubstr("'/proc/self/exe' is not a log file"));
    EXPECT_STREQ(error.function, "gs_dump_log");
}

TEST_F(LogFileReader, ReportsWhatItCannotWrite) {
    ASSERT_EQ(logged(path("log"),
                     [] {
                         const Hang hang;
                         kill(getpid(), SIGKILL);
                     })
                  .signal,
              SIGKILL);
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(gs_dump_log(path("log").c_str(), full), GS_ERROR_SYSTEM);
    close(full);
}

// Bytes change, the file is cut or grows: any text or a refusal, and always an end.
TEST_F(LogFileReader, TrustsNothing) {
    ASSERT_EQ(logged(path("log"),
                     [] {
                         const Hang hang;
                         kill(getpid(), SIGKILL);
                     })
                  .signal,
              SIGKILL);
    std::ifstream in(path("log"), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    std::mt19937 random(20);
    const auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
    constexpr size_t kHeader = 48, kNames = 4096, kRings = 4096 + 73728;
    size_t read = 0;
    for (int round = 0; round < 400; ++round) {
        std::string bytes = whole;
        for (size_t change = 0; change <= below(8); ++change) {
            const size_t part = below(3);
            const size_t at = part == 0 ? below(kHeader) : part == 1 ? kNames + below(400) : kRings + below(9000);
            if (at < bytes.size()) bytes[at] = static_cast<char>(below(3) == 0 ? 0xFF : below(256));
        }
        if (below(4) == 0) bytes.resize(below(bytes.size() + 5000));
        std::ofstream(path("damaged"), std::ios::binary | std::ios::trunc) << bytes;
        const TextFile text;
        const gs_status_t status = gs_dump_log(path("damaged").c_str(), text.fd());
        ASSERT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_ARGUMENT) << status;
        if (status != GS_OK) continue;
        ++read;
        ASSERT_THAT(text.text(), ::testing::EndsWith("gpustream: end of log\n"));
        for (const char one : text.text()) ASSERT_TRUE(one == '\n' || static_cast<unsigned char>(one) >= 0x20);
    }
    EXPECT_GT(read, 100u) << "most changes leave a log";
}

// A ring of one stream after another: only so many are written.
TEST_F(LogFileReader, LimitsTheStreams) {
    ASSERT_EQ(logged(path("log"),
                     [] {
                         const Hang hang;
                         kill(getpid(), SIGKILL);
                     })
                  .signal,
              SIGKILL);
    std::fstream file(path("log"), std::ios::binary | std::ios::in | std::ios::out);
    const uint64_t entries = 2048;
    file.seekp(24).write(reinterpret_cast<const char *>(&entries), sizeof entries);
    for (uint64_t i = 0; i < entries; ++i) {
        const uint64_t place[6] = {i + 1, i + 1, 1000 + i, 0, 0, 1};
        file.seekp(static_cast<std::streamoff>(4096 + 73728 + 4096 + i * sizeof place))
            .write(reinterpret_cast<const char *>(place), sizeof place);
    }
    file.close();
    EXPECT_THAT(read_log(path("log")), HasSubstr("and 1024 more streams\n"));
}

} // namespace
} // namespace gs::check::test
