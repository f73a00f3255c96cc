// SPDX-License-Identifier: Apache-2.0
// Kernels of the host backend, from a file and from memory.
#include <gmock/gmock.h>
#include <link.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backend/host/engine/machine.hpp"
#include "backend/host/host_backend.hpp"
#include "backend/host/host_module.hpp"
#include "base/status.hpp"
#include "support/child_process.hpp"
#include "support/host_hooks.hpp"
#include "support/launches.hpp"

namespace gs::host {
namespace {

using ::testing::HasSubstr;

class HostModule : public ::testing::Test {
protected:
    HostModule() : backend_(host_backend()), thread_(*this_thread()) {
        EXPECT_TRUE(backend_.start().ok());
        StreamNative made{};
        EXPECT_TRUE(backend_.stream_create({0, 0, false}, &made).ok());
        stream_ = {0, made.native};
    }
    ~HostModule() override { g_without_memfd.store(false); }

    uintptr_t load(const void *image, size_t bytes) {
        uintptr_t module = 0;
        EXPECT_TRUE(backend_.module_load(0, image, bytes, &module).ok()) << pending_text();
        return module;
    }
    uintptr_t kernel(uintptr_t module, const char *name) {
        uintptr_t found = 0;
        EXPECT_TRUE(backend_.module_get_kernel(0, module, name, &found).ok()) << pending_text();
        return found;
    }
    void launch(uintptr_t kernel, const gs_launch_config_t &config, void **arguments) {
        EXPECT_TRUE(backend_.kernel_launch(thread_, stream_, kernel, config, arguments).ok()) << pending_text();
    }
    void synchronize() { EXPECT_TRUE(backend_.stream_synchronize(thread_, stream_).ok()); }
    void expect_refused(const gs_launch_config_t &config, uintptr_t kernel) {
        EXPECT_EQ(backend_.kernel_launch(thread_, stream_, kernel, config, nullptr).code, GS_ERROR_INVALID_ARGUMENT);
    }
    static std::vector<char> image() {
        std::ifstream file(GS_UNIT_KERNELS, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void expect_adds(uintptr_t module) {
        int64_t out = 1, *pointer = &out;
        int32_t value = 2;
        char more = 3;
        void *arguments[] = {&pointer, &value, &more};
        launch(kernel(module, "add"), test::launch_of(1, 1), arguments);
        synchronize();
        EXPECT_EQ(out, 6);
    }

    Backend &backend_;
    ThreadBlock &thread_;
    StreamRef stream_{};
};

TEST_F(HostModule, ValuesAreCopiedAtLaunchWhenTheSizesAreKnown) {
    const uintptr_t module = load(GS_UNIT_KERNELS, 0);
    const uintptr_t add = kernel(module, "add");
    EXPECT_EQ(kernel(module, "add"), add);
    gs_launch_config_t config = test::launch_of(1, 1);
    config.grid_x = 2;
    config.grid_y = 3;
    config.grid_z = 4;
    std::vector<int64_t> out(24, 100);
    int64_t *pointer = out.data();
    int32_t value = 5;
    char more = 1;
    {
        testing::Gate gate(0);
        ASSERT_TRUE(gate.hold(0, stream_.native));
        std::vector<void *> arguments{&pointer, &value, &more};
        launch(add, config, arguments.data());
        arguments.assign(3, nullptr);
        pointer = nullptr;
        value = -1;
        more = -1;
    }
    synchronize();
    EXPECT_EQ(out, std::vector<int64_t>(24, 106)) << "each block once";
    EXPECT_EQ(backend_.kernel_launch(thread_, stream_, add, config, nullptr).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(backend_.module_destroy(0, module).ok());
}

TEST_F(HostModule, ValuesAreReadWhenTheKernelRunsWhereTheSizesAreUnknown) {
    const uintptr_t module = load(GS_UNIT_KERNELS, 0);
    int64_t out = 0, *pointer = &out, value = 1;
    void *arguments[] = {&pointer, &value};
    {
        testing::Gate gate(0);
        ASSERT_TRUE(gate.hold(0, stream_.native));
        launch(kernel(module, "late"), test::launch_of(1, 1), arguments);
        value = 2;
    }
    synchronize();
    EXPECT_EQ(out, 2);
    EXPECT_TRUE(backend_.module_destroy(0, module).ok());
}

TEST_F(HostModule, SharedMemoryIsCleanForEachBlock) {
    const uintptr_t module = load(GS_UNIT_KERNELS, 0);
    gs_launch_config_t config = test::launch_of(1, 1);
    config.grid_x = 8;
    config.shared_memory_bytes = 1000;
    int64_t dirty_bytes = 0;
    void *arguments[] = {&dirty_bytes};
    launch(kernel(module, "dirty"), config, arguments);
    launch(kernel(module, "dirty"), config, arguments);
    synchronize();
    EXPECT_EQ(dirty_bytes, 0);
    EXPECT_TRUE(backend_.module_destroy(0, module).ok());
}

TEST_F(HostModule, LoadsImagesFromMemoryAgainAndAgain) {
    const std::vector<char> object = image();
    ASSERT_GT(object.size(), 1000u);
    for (const bool without : {false, true}) {
        g_without_memfd.store(without);
        const uintptr_t first = load(object.data(), object.size());
        const uintptr_t second = load(object.data(), object.size());
        EXPECT_NE(reinterpret_cast<Module *>(first)->library, reinterpret_cast<Module *>(second)->library);
        expect_adds(first);
        EXPECT_TRUE(backend_.module_destroy(0, first).ok());
        expect_adds(second);
        EXPECT_TRUE(backend_.module_destroy(0, second).ok());
    }
}

// In a child with mounts of its own. Texts of loading a file from a folder where programs are forbidden, and an image from
// memory where memfd_create is missing and /tmp is read-only.
int load_without_places(const std::vector<char> &object) {
    if (mount("none", "/tmp", "tmpfs", MS_NOEXEC, nullptr) != 0) return 3;
    std::ofstream("/tmp/kernels.so", std::ios::binary)
        .write(object.data(), static_cast<std::streamsize>(object.size()));
    Module *module = nullptr;
    if (load_module("/tmp/kernels.so", 0, &module).code != GS_ERROR_INVALID_ARGUMENT) return 4;
    if (!std::strstr(pending_text(), "/tmp/kernels.so") || !std::strstr(pending_text(), "seems to be mounted noexec"))
        return 5;
    g_without_memfd.store(true);
    if (load_module(object.data(), object.size(), &module).code != GS_ERROR_INVALID_ARGUMENT) return 6;
    if (!std::strstr(pending_text(), "mounted noexec")) return 7;
    if (mount("none", "/tmp", "tmpfs", MS_RDONLY, nullptr) != 0) return 8;
    if (load_module(object.data(), object.size(), &module).code != GS_ERROR_SYSTEM) return 9;
    if (!std::strstr(pending_text(), "without memfd_create, /tmp must be writable")) return 10;
    g_without_memfd.store(false);
    if (!load_module(object.data(), object.size(), &module).ok()) return 11; // a file in memory needs no folder
    release_module(*module);
    return 0;
}

// The root of a chroot is no mount, and its mounts would reach the system's own.
bool own_mounts() {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

TEST_F(HostModule, FoldersThatMayNotHoldOneAreNamed) {
    const std::vector<char> object = image();
    if (!test::run_forked([] { return own_mounts() ? 0 : 1; }).clean())
        GTEST_SKIP() << "this user cannot mount, or the root is no mount";
    const test::Outcome outcome = test::run_forked([&] { return own_mounts() ? load_without_places(object) : 1; });
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
}

TEST_F(HostModule, APendingLaunchKeepsItsModule) {
    const uintptr_t module = load(GS_UNIT_KERNELS, 0);
    int64_t out = 0, *pointer = &out;
    int32_t value = 1;
    char more = 1;
    void *arguments[] = {&pointer, &value, &more};
    {
        testing::Gate gate(0);
        ASSERT_TRUE(gate.hold(0, stream_.native));
        launch(kernel(module, "add"), test::launch_of(1, 1), arguments);
        EXPECT_TRUE(backend_.module_destroy(0, module).ok());
    }
    synchronize();
    EXPECT_EQ(out, 2);
}

TEST_F(HostModule, WrongImagesAndNamesSayWhy) {
    uintptr_t module = 0;
    EXPECT_EQ(backend_.module_load(0, "/nonexistent/kernels.so", 0, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("/nonexistent/kernels.so"));
    EXPECT_EQ(backend_.module_load(0, "", 0, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("path is empty"));
    EXPECT_EQ(backend_.module_load(0, "not an object", 13, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("file too short"));
    EXPECT_EQ(backend_.module_load(0, std::string(200, 'x').c_str(), 200, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(),
                ::testing::AnyOf(HasSubstr("invalid ELF header"), HasSubstr("Exec format error"))); // glibc, musl
    module = load(GS_UNIT_KERNELS, 0);
    uintptr_t found = 0;
    EXPECT_EQ(backend_.module_get_kernel(0, module, "no_such_kernel", &found).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("no_such_kernel"));
    EXPECT_EQ(backend_.module_get_kernel(0, module, "add_argument_sizes", &found).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("'add_argument_sizes' is data"));
    for (const char *function : {"free", "memcpy", "exit"}) // of the C library, which the module needs
        EXPECT_EQ(backend_.module_get_kernel(0, module, function, &found).code, GS_ERROR_INVALID_ARGUMENT) << function;
    EXPECT_EQ(backend_.module_get_kernel(0, module, "absurd", &found).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(found, 0u);
    EXPECT_TRUE(backend_.module_destroy(0, module).ok());
}

// The loader would wait for a writer.
TEST_F(HostModule, AFifoIsRefused) {
    const std::string path = ::testing::TempDir() + "gpustream-fifo-" + std::to_string(getpid());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    uintptr_t module = 0;
    EXPECT_EQ(backend_.module_load(0, path.c_str(), 0, &module).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(pending_text(), HasSubstr("not a regular file"));
    unlink(path.c_str());
}

// Sections that are not loaded may follow.
size_t end_of_segments(const std::vector<char> &object) {
    ElfW(Ehdr) header;
    std::memcpy(&header, object.data(), sizeof header);
    size_t end = 0;
    for (size_t i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment;
        std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD) end = std::max(end, static_cast<size_t>(segment.p_offset + segment.p_filesz));
    }
    return end;
}

// The loader itself crashes on some of these.
TEST_F(HostModule, CutOffImagesAreRefused) {
    const std::vector<char> whole = image();
    const std::string path = ::testing::TempDir() + "gpustream-cut-" + std::to_string(getpid()) + ".so";
    uintptr_t module = 0;
    for (const size_t part :
         {size_t{1}, size_t{63}, size_t{64}, size_t{100}, size_t{1000}, end_of_segments(whole) - 1}) {
        EXPECT_EQ(backend_.module_load(0, whole.data(), part, &module).code, GS_ERROR_INVALID_ARGUMENT) << part;
        std::ofstream(path, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(part));
        EXPECT_EQ(backend_.module_load(0, path.c_str(), 0, &module).code, GS_ERROR_INVALID_ARGUMENT) << part;
    }
    EXPECT_THAT(pending_text(), HasSubstr("cut off"));
    EXPECT_THAT(pending_text(), HasSubstr(path));
    unlink(path.c_str());
}

TEST_F(HostModule, IllegalGeometryIsRefused) {
    const uintptr_t module = load(GS_UNIT_KERNELS, 0);
    const uintptr_t late = kernel(module, "late");
    for (uint32_t gs_launch_config_t::*member :
         {&gs_launch_config_t::grid_x, &gs_launch_config_t::grid_y, &gs_launch_config_t::grid_z,
          &gs_launch_config_t::block_x, &gs_launch_config_t::block_y, &gs_launch_config_t::block_z}) {
        for (const uint32_t value : {0u, UINT32_MAX}) {
            gs_launch_config_t config = test::launch_of(1, 1);
            config.*member = value;
            expect_refused(config, late);
        }
    }
    gs_launch_config_t config = test::launch_of(1, 1);
    config.block_x = config.block_y = 32;
    config.block_z = 2;
    expect_refused(config, late);
    config = test::launch_of(1, 1);
    config.shared_memory_bytes = kMaxSharedBytes + 1;
    expect_refused(config, late);
    EXPECT_TRUE(backend_.module_destroy(0, module).ok());
}

} // namespace
} // namespace gs::host
