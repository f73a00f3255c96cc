// SPDX-License-Identifier: Apache-2.0
// What is known of the kernels of a module: text in PTX is checked as far as its words go, and code for a GPU is read for its names.
#pragma once

#include <string>
#include <vector>

#include "simulated/world.hpp"

namespace gs::simulated {

struct KernelEntry {
    std::string name;
    std::vector<size_t> parameters; // bytes of each
};

struct PtxResult {
    std::vector<KernelEntry> entries;
    std::string log; // "": it compiles
};

PtxResult parse_ptx(const char *text);
// Kernels of an ELF file.
std::vector<KernelEntry> read_cubin(const unsigned char *file);

// Where the caller wants to read why an image does not compile.
struct BuildLog {
    char *text = nullptr;
    size_t size = 0;
};
BuildLog error_log(unsigned count, CUjit_option *options, void **values);
CUresult load_image(Context &context, const void *image, const BuildLog &log, Module **out);

} // namespace gs::simulated
