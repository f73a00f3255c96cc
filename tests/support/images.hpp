// SPDX-License-Identifier: Apache-2.0
// The module images in images/.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gs::test {

inline constexpr const char *kImages[] = {"fill.ptx",          "fill.sm_75.cubin", "fill.sm_90.cubin",
                                          "fill.sm_120.cubin", "fill.fatbin",      "fill.compressed.fatbin"};

inline std::string image_path(const std::string &name) { return std::string(GS_TEST_IMAGES) + "/" + name; }

inline std::vector<unsigned char> read_image(const std::string &name) {
    std::ifstream file(image_path(name), std::ios::binary);
    std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_FALSE(bytes.empty()) << image_path(name);
    return bytes;
}

} // namespace gs::test
