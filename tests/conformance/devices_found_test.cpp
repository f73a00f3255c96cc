// SPDX-License-Identifier: Apache-2.0
// Devices: which can reach which, PCI addresses, and limits.
#include <cstdio>
#include <vector>

#include "conformance/conformance.hpp"

namespace gs::test {

TEST_P(Conformance, Devices_PeersAreListed) {
    size_t count = 99;
    ASSERT_OK(gs_device_peers(0, nullptr, 0, &count));
    std::vector<gs_device_t> peers(count + 1, GS_DEVICE_NONE);
    size_t again = 0;
    ASSERT_OK(gs_device_peers(0, peers.data(), peers.size(), &again));
    EXPECT_EQ(again, count);
    EXPECT_EQ(peers[count], GS_DEVICE_NONE) << "behind the last one nothing is written";
    size_t found = 0;
    for (gs_device_t device = 0; device < device_count(); ++device) {
        int32_t reached = -1;
        ASSERT_OK(gs_device_can_access_peer(0, device, &reached));
        if (reached) EXPECT_EQ(peers[found++], device);
    }
    EXPECT_EQ(found, count);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_peers, "out_devices", 0, nullptr, 1, &count);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_peers, "out_count", 0, peers.data(), 1, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_peers(device_count(), peers.data(), 1, &count));
    EXPECT_EQ(count, 0u);
}

TEST_P(Conformance, Devices_AreFoundByTheirAddress) {
    gs_device_t found = 5;
    for (gs_device_t device = 0; device < device_count(); ++device) {
        gs_device_info_t info{};
        info.struct_size = sizeof info;
        ASSERT_OK(gs_device_get_info(device, &info));
        if (!info.has_pci) continue;
        char text[32];
        std::snprintf(text, sizeof text, "%04x:%02X:%02x.0", static_cast<unsigned>(info.pci_domain),
                      static_cast<unsigned>(info.pci_bus), static_cast<unsigned>(info.pci_device));
        ASSERT_OK(gs_device_from_pci(text, &found)) << text;
        EXPECT_EQ(found, device);
        if (info.pci_domain != 0) continue;
        ASSERT_OK(gs_device_from_pci(text + 5, &found)) << "without a domain";
        EXPECT_EQ(found, device);
        text[10] = '\0';
        ASSERT_OK(gs_device_from_pci(text, &found)) << "without a function";
        EXPECT_EQ(found, device);
    }
    EXPECT_FAILS(GS_ERROR_INVALID_DEVICE, gs_device_from_pci, "7fffffff:ff:1f.7", "7fffffff:ff:1f.7", &found);
    EXPECT_EQ(found, 0);
    for (const char *wrong : {"", "1", "x", "0:", ":1", "0:1:2:3", "100:00", "0:20", "0:0.8", "0:0.", "0:0.0 ", " 0:0",
                              "0x10:0", "80000000:0:0", "123456789:0:0", "0:0.00", "-1:0"})
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_from_pci, "no PCI address", wrong, &found);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_from_pci, "address", nullptr, &found);
}

TEST_P(Conformance, Devices_Limits) {
    uint64_t value = 7, before = 0;
    for (int32_t wrong : {-1, 7, 1 << 20}) {
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_get_limit, "no limit", 0, wrong, &value);
        EXPECT_EQ(value, 0u);
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_set_limit, "no limit", 0, wrong, uint64_t{1});
    }
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_device_get_limit(device_count(), GS_LIMIT_STACK_SIZE, &value));
    if (on_host()) {
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_device_get_limit(0, GS_LIMIT_STACK_SIZE, &value));
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_device_set_limit(0, GS_LIMIT_STACK_SIZE, 1024));
        return;
    }
    ASSERT_OK(gs_device_get_limit(0, GS_LIMIT_STACK_SIZE, &before));
    EXPECT_GT(before, 0u);
    ASSERT_OK(gs_device_set_limit(0, GS_LIMIT_STACK_SIZE, 2048));
    ASSERT_OK(gs_device_get_limit(0, GS_LIMIT_STACK_SIZE, &value));
    EXPECT_GE(value, 2048u);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_device_set_limit, "cuCtxSetLimit", 0, GS_LIMIT_STACK_SIZE,
                 uint64_t{1} << 60);
    if (!on_gpu()) EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_device_get_limit, "limit 3", 0, 3, &value);
    ASSERT_OK(gs_device_set_limit(0, GS_LIMIT_STACK_SIZE, before));
}

} // namespace gs::test
