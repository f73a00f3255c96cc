// SPDX-License-Identifier: Apache-2.0
// What Linux says about a processor's caches, read from folders made here. (Most machines of tests are x86 with glibc,
// where the C library knows it.)
#include "backend/host/engine/machine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gs::host {
namespace {

class Caches : public ::testing::Test {
protected:
    Caches() {
        char name[] = "/tmp/gpustream-caches-XXXXXX";
        if (mkdtemp(name)) folder_ = name;
    }
    ~Caches() override { std::filesystem::remove_all(folder_); }

    void write(int index, const char *name, const std::string &text) {
        const std::filesystem::path cache = folder_ / ("index" + std::to_string(index));
        std::filesystem::create_directories(cache);
        std::ofstream(cache / name) << text;
    }
    uint64_t second_level() const { return second_level_cache_in(folder_.c_str()); }

    std::filesystem::path folder_;
};

TEST_F(Caches, TheSecondLevelCounts) {
    write(0, "level", "1\n");
    write(0, "size", "48K\n");
    write(1, "level", "2\n");
    write(1, "size", "2048K\n");
    write(2, "level", "3\n");
    write(2, "size", "32M\n");
    EXPECT_EQ(second_level(), uint64_t{2048} << 10);
}

TEST_F(Caches, UnitsAreKnown) {
    write(0, "level", "2\n");
    write(0, "size", "4M\n");
    EXPECT_EQ(second_level(), uint64_t{4} << 20);
    write(0, "size", "65536\n");
    EXPECT_EQ(second_level(), uint64_t{65536});
}

TEST_F(Caches, UnknownIsZero) {
    EXPECT_EQ(second_level(), 0u);
    write(0, "level", "1\n");
    EXPECT_EQ(second_level(), 0u);
    write(1, "level", "2\n"); // without a size, as some virtual machines have it
    EXPECT_EQ(second_level(), 0u);
    write(1, "size", "unknown\n");
    EXPECT_EQ(second_level(), 0u);
}

} // namespace
} // namespace gs::host
