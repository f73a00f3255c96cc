// SPDX-License-Identifier: Apache-2.0
// The library opened by programs that do not link it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/child_process.hpp"

namespace gs::test {
namespace {

namespace fs = std::filesystem;

void expect_done(const Outcome &outcome) {
    EXPECT_TRUE(outcome.clean()) << describe(outcome);
    EXPECT_NE(outcome.output.find("done\n"), std::string::npos) << outcome.output;
}

// The leak checker of GCC 12 crashes in a process that opened a library with thread-local storage at run time.
Variables without_leak_check(Variables more = {}) {
    const char *options = std::getenv("ASAN_OPTIONS");
    more.emplace_back("ASAN_OPTIONS", std::string(options ? options : "") + ":detect_leaks=0");
    return more;
}

class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "gpustream-process-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    const fs::path &path() const { return path_; }

private:
    fs::path path_;
};

TEST(Dlopen, ByPath) { expect_done(run({DLOPEN_USER, "close", GPUSTREAM_LIBRARY_PATH}, without_leak_check())); }

TEST(Dlopen, BySoname) {
    const std::string folder = fs::path(GPUSTREAM_LIBRARY_PATH).parent_path();
    expect_done(run({DLOPEN_USER, "close", "libgpustream.so.0"}, without_leak_check({{"LD_LIBRARY_PATH", folder}})));
}

TEST(Dlopen, TwoCopiesKnowOfEachOther) {
    Folder folder;
    const fs::path copy = folder.path() / "libgpustream.so.0";
    fs::copy_file(GPUSTREAM_LIBRARY_PATH, copy);
    expect_done(run({DLOPEN_USER, "copies", GPUSTREAM_LIBRARY_PATH, copy.string()}, without_leak_check()));
}

// The program's own checks can fail: a file that is not a library, and one library used as two copies.
TEST(Dlopen, TheProgramNoticesWhatIsWrong) {
    EXPECT_EQ(run({DLOPEN_USER, "close", "/dev/null"}, without_leak_check()).code, 90);
    EXPECT_EQ(run({DLOPEN_USER, "copies", GPUSTREAM_LIBRARY_PATH, GPUSTREAM_LIBRARY_PATH}, without_leak_check()).code,
              90);
}

} // namespace
} // namespace gs::test
