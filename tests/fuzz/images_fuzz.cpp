// SPDX-License-Identifier: Apache-2.0
// Images of modules, as far as the library itself reads them: a cut-off shared object is refused before the system's
// loader, which trusts what it is given, sees it. An input is the image.
//
// The library cannot answer for what the loader does with a damaged object that is whole (gs_module_load()). So the harness
// loads only beginnings of a good object; an input of three bytes says how much of it.
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/dynlib.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/texts.hpp"
#include "gpustream.h"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::TrustImageSegments};

namespace {

std::vector<char> g_good; // a shared object with kernels
size_t g_needed = 0;      // of its bytes: the loader maps no more

__extension__ using Wide = unsigned __int128; // sums that do not wrap

// The bytes that the segments need; `size` itself where the image is no object, or too damaged to have segments.
bool is_cut_off(const std::vector<char> &image, uint64_t *out_needed) {
    *out_needed = sizeof(ElfW(Ehdr));
    if (image.size() < sizeof(ElfW(Ehdr))) return true;
    ElfW(Ehdr) header;
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr))) return false;
    const auto longest = static_cast<Wide>(image.size());
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const Wide at = static_cast<Wide>(header.e_phoff) + i * sizeof(ElfW(Phdr));
        if (at + sizeof(ElfW(Phdr)) > longest) return true;
        ElfW(Phdr) segment;
        std::memcpy(&segment, image.data() + static_cast<size_t>(at), sizeof segment);
        const Wide end = static_cast<Wide>(segment.p_offset) + segment.p_filesz;
        if (segment.p_type != PT_LOAD) continue;
        if (end > longest) return true;
        if (end > *out_needed) *out_needed = static_cast<uint64_t>(end);
    }
    return false;
}

// The same bytes as a file.
class MemoryFile {
public:
    explicit MemoryFile(const std::vector<char> &bytes) : fd_(memfd_create("gpustream-fuzz", MFD_CLOEXEC)) {
        const ssize_t written = write(fd_, bytes.data(), bytes.size());
        FUZZ_REQUIRE(fd_ >= 0 && written == static_cast<ssize_t>(bytes.size()), "memfd_create");
        path_ = "/proc/self/fd/" + std::to_string(fd_);
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    const char *path() const { return path_.c_str(); }

private:
    int fd_;
    std::string path_;
};

void load_beginning(size_t bytes) {
    const std::vector<char> image(g_good.begin(), g_good.begin() + static_cast<std::ptrdiff_t>(bytes));
    gs_module_t module = nullptr;
    const gs_status_t status = gs_module_load(GS_DEVICE(GS_BACKEND_HOST, 0), image.data(), image.size(), &module);
    const std::string detail = std::to_string(bytes) + " of " + std::to_string(g_good.size()) + " bytes";
    note("%zu %s", bytes, gs_status_name(status));
    // The loader needs the segments, not what follows them.
    FUZZ_REQUIRE(status == (bytes < g_needed ? GS_ERROR_INVALID_ARGUMENT : GS_OK), detail);
    FUZZ_REQUIRE((status == GS_OK) == (module != nullptr), detail);
    if (status != GS_OK) return check_error_record("gs_module_load", status);
    gs_kernel_t kernel = nullptr;
    FUZZ_REQUIRE(gs_module_get_kernel(module, "add_one", &kernel) == GS_OK, detail);
    FUZZ_REQUIRE(gs_module_destroy(module) == GS_OK, detail);
}

} // namespace

void start() {
    std::ifstream file(std::filesystem::read_symlink("/proc/self/exe").parent_path() / GS_FUZZ_KERNELS,
                       std::ios::binary);
    g_good.assign(std::istreambuf_iterator<char>(file), {});
    uint64_t needed = 0;
    FUZZ_REQUIRE(!is_cut_off(g_good, &needed) && needed > sizeof(ElfW(Ehdr)), GS_FUZZ_KERNELS " is no shared object");
    g_needed = needed;
}

void one(Bytes input) {
    if (input.left() == 3) {
        const size_t asked = input.half() + (size_t{input.byte()} << 16);
        if (asked > 0) load_beginning(asked % (g_good.size() + 1));
        return;
    }
    const std::string text = input.rest();
    // Exactly as long as it says: AddressSanitizer sees a read beyond it.
    const std::vector<char> image(text.begin(), text.end());
    uint64_t needed = 0;
    const bool cut = is_cut_off(image, &needed);
    const Status status = check_object_in_memory(image.data(), image.size());
    note("%s", gs_status_name(status.code));
    FUZZ_REQUIRE(status.code == (cut ? GS_ERROR_INVALID_ARGUMENT : GS_OK), cut ? "it is cut off" : "it is whole");
    const MemoryFile file(image);
    FUZZ_REQUIRE(check_object_file(file.path()).code == status.code, "the same bytes in a file");
    const Status room = check_resources_for(file.path());
    FUZZ_REQUIRE(room.ok() || room.code == GS_ERROR_OUT_OF_MEMORY, gs_status_name(room.code));
}

} // namespace gs::fuzz
