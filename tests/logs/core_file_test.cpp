// SPDX-License-Identifier: Apache-2.0
// gs_dump_log() of core files: of a process that hangs, of one that has crashed, of damaged files and of those without a log.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <random>
#include <utility>
#include <vector>

#include "logs/core_image.hpp"
#include "logs/log_file.hpp"
#include "tools/recorder/log_file.hpp"

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

// Another kind of ELF file, which has the log where a core file would have it.
TEST_F(CoreLog, OfAFileThatIsNoCore) {
    auto child = hang("32");
    ASSERT_TRUE(waits(child));
    ASSERT_TRUE(write_core(child.pid(), path("core")));
    const int file = open(path("core").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    const Elf64_Half shared = ET_DYN;
    EXPECT_EQ(pwrite(file, &shared, sizeof shared, offsetof(Elf64_Ehdr, e_type)), ssize_t{sizeof shared});
    EXPECT_EQ(close(file), 0);
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

// Bytes of a file that are wrong as long as this exists. A core may be large: it is not written again for each round.
class Damage {
public:
    explicit Damage(int file) : file_(file) {}
    ~Damage() {
        for (size_t i = before_.size(); i-- > 0;) // the last one first: a place may have been hit twice
            EXPECT_EQ(pwrite(file_, &before_[i].second, 1, before_[i].first), 1);
    }
    Damage(const Damage &) = delete;
    Damage &operator=(const Damage &) = delete;
    void at(size_t where, char wrong) {
        char right = 0;
        const auto offset = static_cast<off_t>(where);
        if (pread(file_, &right, 1, offset) != 1) return; // behind the end
        before_.emplace_back(offset, right);
        EXPECT_EQ(pwrite(file_, &wrong, 1, offset), 1);
    }

private:
    const int file_;
    std::vector<std::pair<off_t, char>> before_;
};

// Bytes change and the file is cut: any text or a refusal, and always an end.
TEST_F(CoreLog, TrustsNothing) {
    auto child = hang("32");
    ASSERT_TRUE(waits(child));
    ASSERT_TRUE(write_core(child.pid(), path("core")));
    end(child);
    size_t size = fs::file_size(path("core")), magic = 0;
    {
        std::ifstream in(path("core"), std::ios::binary);
        std::string whole(size, '\0'); // read at once: with AddressSanitizer a core is large
        ASSERT_TRUE(in.read(whole.data(), static_cast<std::streamsize>(size)));
        magic =
            whole.find(std::string("GPUSLOG\0", 8) + std::string{static_cast<char>(recorder::kLogVersion), 0, 0, 0});
    }
    ASSERT_NE(magic, std::string::npos);
    const int file = open(path("core").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    std::mt19937 random(7);
    size_t read = 0;
    for (int round = 0; round < 40; ++round) {
        if (round >= 30) ASSERT_EQ(ftruncate(file, static_cast<off_t>(size = 1 + random() % size)), 0); // ever shorter
        Damage damage(file);
        for (int i = 0; i < 30; ++i) {
            const bool front = i % 2 == 0; // the headers, or the log
            damage.at(front ? random() % 4096 : magic + 8 + random() % 90'000, static_cast<char>(random()));
        }
        const TextFile text;
        const gs_status_t status = gs_dump_log(path("core").c_str(), text.fd());
        EXPECT_TRUE(status == GS_OK || status == GS_ERROR_INVALID_ARGUMENT || status == GS_ERROR_SYSTEM) << status;
        read += status == GS_OK ? 1 : 0;
    }
    EXPECT_EQ(close(file), 0);
    EXPECT_LT(read, 40u) << "some damage is seen";
    EXPECT_GT(read, 0u) << "some does no harm";
}

// Pieces that all are the whole file: it is looked through once.
TEST_F(CoreLog, OfOverlappingPiecesComesToAnEnd) {
    constexpr Elf64_Half kPieces = 60'000;
    constexpr off_t kBytes = off_t{1} << 28; // most of it a hole
    Elf64_Ehdr header{};
    const unsigned char ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    std::copy(std::begin(ident), std::end(ident), header.e_ident);
    header.e_type = ET_CORE;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phoff = sizeof header;
    header.e_phnum = kPieces;
    Elf64_Phdr piece{};
    piece.p_type = PT_LOAD;
    piece.p_filesz = kBytes;
    {
        std::ofstream out(path("core"), std::ios::binary);
        out.write(reinterpret_cast<const char *>(&header), sizeof header);
        for (int i = 0; i < kPieces; ++i) out.write(reinterpret_cast<const char *>(&piece), sizeof piece);
    }
    fs::resize_file(path("core"), kBytes);
    read_log(path("core"), GS_ERROR_INVALID_ARGUMENT);
}

} // namespace
} // namespace gs::check::test
