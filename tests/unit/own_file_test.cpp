// SPDX-License-Identifier: Apache-2.0
// Which files the library opens, where other users may have put something.
#include "base/own_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

namespace gs {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOtherUser = 65534;

class OwnFiles : public ::testing::Test {
protected:
    OwnFiles() {
        std::string name = "/tmp/gpustream-own-XXXXXX";
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    ~OwnFiles() override { fs::remove_all(folder_); }

    std::string path(const char *name) const { return folder_ + "/" + name; }
    std::string made(const char *name) const {
        std::ofstream(path(name)) << "kept";
        chmod(path(name).c_str(), 0600);
        return path(name);
    }
    // "" if it opens, else why it does not; what was there stays.
    static std::string refusal(const std::string &path) {
        const char *problem = nullptr;
        const int fd = open_own_file(path.c_str(), O_RDWR | O_CREAT, &problem);
        if (fd < 0) return problem;
        close(fd);
        EXPECT_EQ(problem, nullptr);
        return "";
    }
    std::string folder_;
};

TEST_F(OwnFiles, NoneTakesTheNumberOfAnOutputThatIsClosed) {
    const int kept = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    const char *problem = nullptr;
    const int fd = open_own_file(path("new").c_str(), O_RDWR | O_CREAT, &problem);
    EXPECT_GT(fd, STDERR_FILENO) << problem;
    EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
    close(fd);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

TEST_F(OwnFiles, OneThatIsMadeIsForItsUserAlone) {
    const mode_t before = umask(0);
    EXPECT_EQ(refusal(path("new")), "");
    umask(before);
    struct stat file{};
    ASSERT_EQ(stat(path("new").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 07777, 0600u);
    EXPECT_EQ(refusal(made("old")), "");
}

TEST_F(OwnFiles, LinksAreRefused) {
    ASSERT_EQ(symlink(made("one").c_str(), path("link").c_str()), 0);
    ASSERT_EQ(symlink(path("nowhere").c_str(), path("dangling").c_str()), 0);
    EXPECT_EQ(refusal(path("link")), "it is a symbolic link");
    EXPECT_EQ(refusal(path("dangling")), "it is a symbolic link");
    EXPECT_FALSE(fs::exists(path("nowhere")));
    ASSERT_EQ(link(made("two").c_str(), path("also two").c_str()), 0);
    EXPECT_EQ(refusal(path("two")), "it is a hard link to a file that has another name too");
    EXPECT_EQ(fs::file_size(path("two")), 4u);
}

TEST_F(OwnFiles, PipesAndDevicesAreRefusedAtOnce) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const char *problem = nullptr;
    EXPECT_EQ(refusal(path("pipe")), "it is no regular file");
    EXPECT_EQ(open_own_file(path("pipe").c_str(), O_WRONLY | O_APPEND, &problem), -1) << "no process reads it";
    EXPECT_STREQ(problem, "it is no regular file");
    EXPECT_EQ(refusal("/dev/null"), "it is no regular file");
    for (const std::string &read : {path("pipe"), std::string("/dev/zero"), folder_}) {
        EXPECT_EQ(open_to_read(read.c_str()), -1) << read;
        EXPECT_EQ(errno, EINVAL) << read;
    }
}

// Who else may write a file may also truncate it while it is mapped.
TEST_F(OwnFiles, WhatOthersCanTruncateIsRefused) {
    ASSERT_EQ(chmod(made("group").c_str(), 0620), 0);
    ASSERT_EQ(chmod(made("all").c_str(), 0602), 0);
    ASSERT_EQ(chmod(made("seen").c_str(), 0644), 0);
    EXPECT_EQ(refusal(path("group")), "other users may write it");
    EXPECT_EQ(refusal(path("all")), "other users may write it");
    EXPECT_EQ(refusal(path("seen")), "");
    if (geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
    ASSERT_EQ(chown(made("planted").c_str(), kOtherUser, kOtherUser), 0);
    EXPECT_EQ(refusal(path("planted")), "it belongs to another user");
    EXPECT_EQ(errno, EACCES);
}

TEST_F(OwnFiles, TheSystemSaysWhyAnOpenFails) {
    const char *problem = nullptr;
    EXPECT_EQ(open_own_file(path("no/folder").c_str(), O_WRONLY | O_CREAT, &problem), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_STREQ(problem, "No such file or directory");
}

} // namespace
} // namespace gs
