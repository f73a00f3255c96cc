// SPDX-License-Identifier: Apache-2.0
// Module images: what is rejected before the driver sees it, and the library's own PTX.
#if defined(GPUSTREAM_WITH_CUDA)
#include "backend/cuda/module/module_loader.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "backend/cuda/module/own_ptx.hpp"
#include "base/thread_block.hpp"
#include "support/images.hpp"

namespace gs::cuda {
namespace {

gs_status_t check(const std::vector<unsigned char> &image) { return check_image(image.data(), image.size()).code; }

// A cubin as far as its tables go: header, one section of code, the section table at the end.
std::vector<unsigned char> make_elf(uint64_t code_bytes) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 2;
    header.e_shoff = sizeof header + code_bytes;
    Elf64_Shdr sections[2]{};
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_offset = sizeof header;
    sections[1].sh_size = code_bytes;
    std::vector<unsigned char> image(sizeof header + code_bytes + sizeof sections);
    std::memcpy(image.data(), &header, sizeof header);
    std::memcpy(image.data() + header.e_shoff, sections, sizeof sections);
    return image;
}

std::vector<unsigned char> make_fatbin(uint16_t header_bytes, uint64_t payload_bytes, size_t size) {
    std::vector<unsigned char> image(std::max<size_t>(size, 16));
    const uint32_t magic = 0xBA55ED50u;
    const uint16_t version = 1;
    std::memcpy(image.data(), &magic, 4);
    std::memcpy(image.data() + 4, &version, 2);
    std::memcpy(image.data() + 6, &header_bytes, 2);
    std::memcpy(image.data() + 8, &payload_bytes, 8);
    image.resize(size);
    return image;
}

TEST(CudaImage, AWholeCubinPassesAndEveryCutOneIsRefused) {
    const std::vector<unsigned char> whole = make_elf(100);
    EXPECT_EQ(check(whole), GS_OK);
    for (size_t size = SELFMAG; size < whole.size(); ++size)
        EXPECT_EQ(check({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}), GS_ERROR_INVALID_ARGUMENT)
            << size;
}

// Output of ptxas and fatbinary, and the same truncated. Binary images end with the part that is checked (a table, or the
// last bytes that the header states); a text has no length of its own.
TEST(CudaImage, RealImagesPassAndCutOnesAreRefused) {
    for (const char *name : test::kImages) {
        SCOPED_TRACE(name);
        const std::vector<unsigned char> whole = test::read_image(name);
        ASSERT_GT(whole.size(), sizeof(Elf64_Ehdr));
        EXPECT_EQ(check(whole), GS_OK) << this_thread()->pending.message;
        Image image;
        ASSERT_TRUE(load_image(test::image_path(name).c_str(), 0, &image).ok());
        ASSERT_EQ(image.size, whole.size());
        EXPECT_EQ(std::memcmp(image.bytes.get(), whole.data(), whole.size()), 0);
        if (std::strcmp(name, "fill.ptx") == 0) continue;
        for (size_t size = sizeof(uint32_t); size < whole.size(); ++size)
            ASSERT_EQ(check({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}), GS_ERROR_INVALID_ARGUMENT)
                << size << " of " << whole.size() << " bytes";
    }
}

TEST(CudaImage, ASectionThatReachesTooFarIsRefusedWithoutOverflow) {
    for (const uint64_t size : {uint64_t{1} << 20, UINT64_MAX, UINT64_MAX - sizeof(Elf64_Ehdr)}) {
        std::vector<unsigned char> image = make_elf(100);
        Elf64_Shdr section;
        const size_t at = image.size() - sizeof section;
        std::memcpy(&section, image.data() + at, sizeof section);
        section.sh_size = size;
        std::memcpy(image.data() + at, &section, sizeof section);
        EXPECT_EQ(check(image), GS_ERROR_INVALID_ARGUMENT) << size;
    }
}

TEST(CudaImage, A32BitElfIsRefused) {
    std::vector<unsigned char> image = make_elf(100);
    image[EI_CLASS] = ELFCLASS32;
    EXPECT_EQ(check(image), GS_ERROR_INVALID_ARGUMENT);
}

TEST(CudaImage, AFatBinaryMustBeAsLongAsItsHeaderSays) {
    EXPECT_EQ(check(make_fatbin(16, 48, 64)), GS_OK);
    EXPECT_EQ(check(make_fatbin(16, 48, 63)), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(check(make_fatbin(16, UINT64_MAX, 64)), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(check(make_fatbin(16, 48, 12)), GS_ERROR_INVALID_ARGUMENT);
}

TEST(CudaImage, AnEmptyImageIsRefused) { EXPECT_EQ(check_image(nullptr, 0).code, GS_ERROR_INVALID_ARGUMENT); }

TEST(CudaImage, TextIsCopiedAndEnded) {
    const std::vector<char> text(100, 'p'); // no NUL anywhere
    Image image;
    ASSERT_TRUE(load_image(text.data(), text.size(), &image).ok());
    EXPECT_EQ(image.size, 100u);
    EXPECT_EQ(std::strlen(reinterpret_cast<const char *>(image.bytes.get())), 100u);
    EXPECT_NE(static_cast<const void *>(image.bytes.get()), static_cast<const void *>(text.data()));
}

TEST(CudaImage, AFileIsReadWhole) {
    const std::string path = ::testing::TempDir() + "gpustream-image-test.ptx";
    std::ofstream(path) << ".version 6.0\n";
    Image image;
    ASSERT_TRUE(load_image(path.c_str(), 0, &image).ok());
    EXPECT_STREQ(reinterpret_cast<const char *>(image.bytes.get()), ".version 6.0\n");
    std::ofstream(path, std::ios::trunc).flush();
    EXPECT_EQ(load_image(path.c_str(), 0, &image).code, GS_ERROR_INVALID_ARGUMENT);
    std::remove(path.c_str());
    EXPECT_EQ(load_image(path.c_str(), 0, &image).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(this_thread()->pending.message, path.c_str()), nullptr);
    EXPECT_EQ(load_image("/tmp", 0, &image).code, GS_ERROR_INVALID_ARGUMENT);
}

// Returns the number after the first occurrence of a text; -1 if there is none.
int number_after(const std::string &text, const std::string &before, size_t from = 0) {
    const size_t at = text.find(before, from);
    return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + before.size());
}

TEST(CudaSleepPtx, IsOneKernelThatEveryDriverFrom12Takes) {
    const std::string ptx = kSleepPtx;
    const int version = number_after(ptx, ".version ");
    EXPECT_GE(version, 4);
    EXPECT_LE(version, 7);                           // 8.0 came with 12.0 itself
    EXPECT_EQ(number_after(ptx, ".target sm_"), 50); // the oldest devices that drivers from 12.0 on serve
    EXPECT_NE(ptx.find(".address_size 64"), std::string::npos);
    EXPECT_NE(ptx.find(std::string(".visible .entry ") + kSleepKernelName + "(.param .u64 "), std::string::npos);
    EXPECT_EQ(std::count(ptx.begin(), ptx.end(), '{'), 1);
    EXPECT_EQ(std::count(ptx.begin(), ptx.end(), '}'), 1);
    EXPECT_TRUE(std::all_of(ptx.begin(), ptx.end(), [](char c) { return c == '\n' || (c >= ' ' && c < 127); }));
}

// ".reg .b64 %rd<n>" declares %rd0 to %rd(n-1): nothing above is used, and the last one is.
TEST(CudaSleepPtx, UsesTheRegistersItDeclares) {
    const std::string ptx = kSleepPtx;
    for (const std::string family : {"%p", "%rd"}) {
        const int declared = number_after(ptx, family + "<");
        ASSERT_GT(declared, 0) << family;
        int highest = -1;
        for (size_t at = ptx.find(family); at != std::string::npos; at = ptx.find(family, at + 1))
            if (const char next = ptx[at + family.size()]; next >= '0' && next <= '9')
                highest = std::max(highest, number_after(ptx, family, at));
        EXPECT_EQ(highest, declared - 1) << family;
    }
}

} // namespace
} // namespace gs::cuda
#endif
