// SPDX-License-Identifier: Apache-2.0
// Files that processes share, and what is known of their processes.
#include "base/shared_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "support/child_process.hpp"

namespace gs {
namespace {

class SharedFiles : public ::testing::Test {
protected:
    SharedFiles() {
        std::string name = "/dev/shm/gpustream-test-XXXXXX";
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        EXPECT_TRUE(this_process(&self_).ok());
    }
    ~SharedFiles() override { std::filesystem::remove_all(folder_); }

    SharedFile file(uint64_t nonce, size_t bytes = 4096) const {
        return {folder_.c_str(), self_, nonce, bytes, "tests"};
    }
    std::string path(uint64_t nonce) const {
        char name[kSharedNameSize];
        shared_file_name(self_, nonce, name);
        return folder_ + "/" + name;
    }
    std::string folder_;
    ProcessIdentity self_;
};

TEST_F(SharedFiles, TwoMappingsOfOneFile) {
    void *one = nullptr, *other = nullptr;
    ASSERT_TRUE(create_shared_file(file(1), &one).ok());
    ASSERT_TRUE(open_shared_file(file(1), &other).ok());
    EXPECT_EQ(*static_cast<int *>(other), 0);
    *static_cast<int *>(one) = 7;
    EXPECT_EQ(*static_cast<int *>(other), 7);
    void *again = nullptr;
    EXPECT_EQ(create_shared_file(file(1), &again).code, GS_ERROR_SYSTEM) << "it exists";
    unlink_shared_file(file(1));
    unlink_shared_file(file(1)); // someone was faster
    EXPECT_EQ(open_shared_file(file(1), &again).code, GS_ERROR_PEER_LOST);
    unmap_shared_file(file(1), one);
    unmap_shared_file(file(1), other);
}

TEST_F(SharedFiles, OnlyWhatTheLibraryMadeIsMapped) {
    void *memory = nullptr, *made = nullptr;
    ASSERT_TRUE(create_shared_file(file(1), &made).ok());
    EXPECT_EQ(open_shared_file(file(1, 8192), &memory).code, GS_ERROR_INVALID_ARGUMENT) << "another size";
    ASSERT_EQ(chmod(path(1).c_str(), 0644), 0);
    EXPECT_EQ(open_shared_file(file(1), &memory).code, GS_ERROR_INVALID_ARGUMENT) << "another mode";
    ASSERT_EQ(symlink(path(1).c_str(), path(2).c_str()), 0);
    EXPECT_EQ(open_shared_file(file(2), &memory).code, GS_ERROR_INVALID_ARGUMENT) << "a link";
    ASSERT_EQ(mkfifo(path(3).c_str(), 0600), 0);
    EXPECT_EQ(open_shared_file(file(3), &memory).code, GS_ERROR_INVALID_ARGUMENT) << "a pipe";
    EXPECT_EQ(memory, nullptr);
    unmap_shared_file(file(1), made);
}

TEST_F(SharedFiles, NamesSayWhoseTheyAre) {
    char name[kSharedNameSize];
    shared_file_name(self_, 0xabc, name);
    uint64_t life = 0;
    bool is_life = true;
    ASSERT_TRUE(parse_shared_file_name(name, &life, &is_life));
    EXPECT_EQ(life, self_.life);
    EXPECT_FALSE(is_life);
    ASSERT_TRUE(parse_shared_file_name(std::string(name, strlen("gpustream-") + 16).c_str(), &life, &is_life));
    EXPECT_EQ(life, self_.life);
    EXPECT_TRUE(is_life);
    for (const std::string &wrong :
         {std::string("other-1"), std::string(name) + "x", std::string("gpustream-1-2"),
          std::string("gpustream-               1"), std::string("gpustream-000000000000000G"),
          std::string("gpustream_0000000000000001")})
        EXPECT_FALSE(parse_shared_file_name(wrong.c_str(), &life, &is_life)) << wrong;
}

// In a child, whose limits end with it.
#if !defined(__SANITIZE_ADDRESS__) // which needs descriptors and mappings itself
TEST_F(SharedFiles, TheTrueLimitIsNamed) {
    const auto outcome = test::run_forked([this] {
        rlimit none{};
        getrlimit(RLIMIT_NOFILE, &none);
        none.rlim_cur = 0;
        setrlimit(RLIMIT_NOFILE, &none);
        ProcessIdentity own;
        EXPECT_EQ(make_identity(&own).code, GS_ERROR_SYSTEM);
        EXPECT_NE(std::string(pending_text()).find("Too many open files"), std::string::npos) << pending_text();
        void *memory = nullptr;
        EXPECT_EQ(create_shared_file(file(1), &memory).code, GS_ERROR_SYSTEM);
        EXPECT_NE(std::string(pending_text()).find("Too many open files"), std::string::npos) << pending_text();
        return HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
    const auto mapped = test::run_forked([this] {
        rlimit none{};
        getrlimit(RLIMIT_AS, &none);
        none.rlim_cur = 0;
        setrlimit(RLIMIT_AS, &none);
        void *memory = nullptr;
        EXPECT_EQ(create_shared_file(file(2), &memory).code, GS_ERROR_OUT_OF_MEMORY);
        EXPECT_NE(std::string(pending_text()).find("vm.max_map_count"), std::string::npos) << pending_text();
        return HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(mapped.clean()) << test::describe(mapped);
}
#endif

// A child that does what body says; its identity. It is not waited for until the end.
class Process {
public:
    explicit Process(void (*body)()) {
        int ends[2];
        EXPECT_EQ(pipe(ends), 0);
        pid_ = fork();
        if (pid_ == 0) {
            ProcessIdentity mine;
            if (!make_identity(&mine).ok() || write(ends[1], &mine, sizeof mine) != sizeof mine) _exit(1);
            body();
            _exit(0);
        }
        EXPECT_EQ(read(ends[0], &identity, sizeof identity), static_cast<ssize_t>(sizeof identity));
        close(ends[0]);
        close(ends[1]);
    }
    ~Process() {
        ::kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;
    void signal(int number) const { ::kill(pid_, number); }
    void await_end() const {
        siginfo_t info;
        EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT), 0); // it stays a zombie
    }
    ProcessIdentity identity;

private:
    pid_t pid_;
};

void rest() {
    for (;;) pause();
}

void end_first_thread() {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            rest();
            return nullptr;
        },
        nullptr);
    syscall(SYS_exit, 0); // pthread_exit() would unwind into the test
}

TEST(ProcessIdentityTest, AliveStoppedAndEnded) {
    const Process child(rest);
    EXPECT_TRUE(is_alive(child.identity));
    EXPECT_FALSE(is_dead(child.identity));
    child.signal(SIGSTOP);
    EXPECT_TRUE(is_alive(child.identity)) << "stopped is not ended";
    EXPECT_FALSE(is_dead(child.identity));
    child.signal(SIGKILL);
    child.await_end();
    EXPECT_FALSE(is_alive(child.identity));
    EXPECT_TRUE(is_dead(child.identity));
}

TEST(ProcessIdentityTest, TheFirstThreadMayHaveEndedAlone) {
    const Process child(end_first_thread);
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(is_alive(child.identity));
        EXPECT_FALSE(is_dead(child.identity));
    }
}

TEST(ProcessIdentityTest, ANumberThatIsUsedAgainIsAnotherProcess) {
    ProcessIdentity other;
    ASSERT_TRUE(this_process(&other).ok());
    other.life += 1;
    EXPECT_TRUE(is_dead(other));
    EXPECT_FALSE(is_alive(other));
    other.life -= 1;
    other.pid_namespace += 1;
    EXPECT_FALSE(is_dead(other)) << "its lock says so in every namespace";
    EXPECT_FALSE(is_alive(other)) << "its threads cannot be looked at";
}

// As systemd does when the user logs out: what is missing proves nothing then.
TEST(ProcessIdentityTest, AFolderThatWasEmptied) {
    const auto outcome = test::run_forked([] {
        std::string folder = "/dev/shm/gpustream-test-XXXXXX";
        if (!mkdtemp(folder.data())) return 1;
        setenv("GPUSTREAM_SHM_DIR", folder.c_str(), 1);
        const Process child(rest);
        ProcessIdentity self, gone = child.identity;
        EXPECT_TRUE(this_process(&self).ok());
        EXPECT_FALSE(life_has_ended(child.identity.life));
        std::filesystem::remove_all(folder);
        EXPECT_FALSE(life_has_ended(child.identity.life));
        EXPECT_FALSE(is_dead(child.identity));
        gone.pid = 0x3fffff; // of no process
        EXPECT_TRUE(is_dead(gone));
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
}

// A thread that asks again and again, since the folder is missing, and one that forks: both go on.
TEST(ProcessIdentityTest, AForkWhileTheFolderIsMissing) {
    const auto outcome = test::run_forked([] {
        setenv("GPUSTREAM_SHM_DIR", "/nowhere/at/all", 1);
        if (!guard_threads_in_fork()) return 1;
        std::atomic<bool> stop{false};
        std::thread asking([&] {
            ProcessIdentity self;
            while (!stop) EXPECT_FALSE(this_process(&self).ok());
        });
        for (int i = 0; i < 500; ++i) {
            const pid_t pid = fork();
            if (pid == 0) _exit(0);
            EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
        }
        stop = true;
        asking.join();
        return ::testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
}

// It has neither the lock nor its owner's end.
TEST(ProcessIdentityTest, AForkedChildDoesNotKeepItsParentAlive) {
    static int began[2], lives[2]; // the grandchild's, which ends when no process can write to `lives`
    ASSERT_EQ(pipe(began), 0);
    ASSERT_EQ(pipe(lives), 0);
    char byte = 1;
    {
        const Process child([] {
            if (fork() != 0) rest();
            char end = 1;
            close(lives[1]);
            if (write(began[1], &end, 1) == 1) end = read(lives[0], &end, 1) == 0;
            _exit(end != 1);
        });
        ASSERT_EQ(read(began[0], &byte, 1), 1);
        child.signal(SIGKILL);
        child.await_end();
        EXPECT_TRUE(life_has_ended(child.identity.life));
    }
    for (const int end : {began[0], began[1], lives[0], lives[1]}) close(end);
}

} // namespace
} // namespace gs
