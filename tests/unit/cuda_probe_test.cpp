// SPDX-License-Identifier: Apache-2.0
// Counting devices without a driver, in folders made for the test.
#if defined(GPUSTREAM_WITH_CUDA)
#include "backend/cuda/discovery/driver_in_use.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gs::cuda {
namespace {

class CudaProbe : public ::testing::Test {
protected:
    CudaProbe() {
        std::string pattern = ::testing::TempDir() + "gpustream-probe-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        setenv("GPUSTREAM_LIBNVML", "/no/such/libnvidia-ml.so.1", 1); // the nodes alone are counted
    }
    ~CudaProbe() override { std::filesystem::remove_all(folder_); }
    void add(const char *name) { std::ofstream(folder_ / name).put('x'); }
    int32_t count() { return count_device_nodes(folder_.c_str()); }
    int32_t probe(const char *library, bool overridden, const char *visible = nullptr) {
        return probe_devices({library, overridden, 0, folder_.c_str(), visible, nullptr});
    }

    std::filesystem::path folder_;
};

constexpr const char *kFindable = "libc.so.6"; // any library that is always present
constexpr const char *kNotFindable = "libgpustream-no-such-driver.so.1";

TEST_F(CudaProbe, CountsOnlyNumberedNodes) {
    EXPECT_EQ(count(), 0);
    for (const char *name :
         {"nvidiactl", "nvidia-uvm", "nvidia-modeset", "nvidia-caps", "nvidia", "nvidia0p1", "xnvidia0"})
        add(name);
    EXPECT_EQ(count(), 0);
    add("nvidia0");
    add("nvidia7");
    add("nvidia12");
    EXPECT_EQ(count(), 3);
}

TEST_F(CudaProbe, AParavirtualDeviceCountsAsOne) {
    add("dxg");
    EXPECT_EQ(count(), 1);
    add("nvidia0");
    add("nvidia1");
    EXPECT_EQ(count(), 2);
}

TEST_F(CudaProbe, AMissingFolderHasNoDevices) { EXPECT_EQ(count_device_nodes("/nonexistent/folder"), 0); }

TEST_F(CudaProbe, NeedsBothNodesAndLibrary) {
    EXPECT_EQ(probe(kFindable, false), 0);
    add("nvidia0");
    add("nvidia1");
    EXPECT_EQ(probe(kFindable, false), 2);
    EXPECT_EQ(probe(kNotFindable, false), 0);
    EXPECT_EQ(probe(kFindable, false, "1"), 1);
    EXPECT_EQ(probe(kFindable, false, ""), 0);
}

TEST_F(CudaProbe, AChosenLibraryIsEnoughByItself) {
    EXPECT_EQ(probe(kFindable, true), 1);
    EXPECT_EQ(probe(kFindable, true, ""), 1);
    EXPECT_EQ(probe(kNotFindable, true), 0);
}

TEST(CudaVisibleDevices, EndsAtTheFirstEntryThatIsNoDevice) {
    EXPECT_EQ(apply_visible_devices(nullptr, 4), 4);
    EXPECT_EQ(apply_visible_devices("", 4), 0);
    EXPECT_EQ(apply_visible_devices("-1", 4), 0);
    EXPECT_EQ(apply_visible_devices("none", 4), 0);
    EXPECT_EQ(apply_visible_devices("2", 4), 1);
    EXPECT_EQ(apply_visible_devices("0,1,3", 4), 3);
    EXPECT_EQ(apply_visible_devices("0, 1", 4), 2);
    EXPECT_EQ(apply_visible_devices("0,-1,1", 4), 1);
    EXPECT_EQ(apply_visible_devices("0,4,1", 4), 1);
    EXPECT_EQ(apply_visible_devices("0,4,0", 4), 1);
    EXPECT_EQ(apply_visible_devices("0,0,4", 4), 0);
    EXPECT_EQ(apply_visible_devices("0,", 4), 1);
    EXPECT_EQ(apply_visible_devices("99999999999999999999", 4), 0);
    EXPECT_EQ(apply_visible_devices("GPU-0a1b2c3d,GPU-deadbeef", 4), 2);
    EXPECT_EQ(apply_visible_devices("MIG-0a1b2c3d", 4), 1);
    EXPECT_EQ(apply_visible_devices("GPU-1,GPU-2,GPU-3", 2), 2);
    EXPECT_EQ(apply_visible_devices("MIG-1,MIG-2", 4), 1) << "a process sees one instance";
    EXPECT_EQ(apply_visible_devices("MIG-1", 0), 0);
    EXPECT_EQ(apply_visible_devices("0,0", 4), 0) << "the rules of gs_parse_visible_devices";
    EXPECT_EQ(apply_visible_devices("1gpu,2x", 4), 2);
    EXPECT_EQ(apply_visible_devices("0,GPU-1", 4), 1);
    EXPECT_EQ(apply_visible_devices("0,1", 0), 0);
}

} // namespace
} // namespace gs::cuda
#endif
