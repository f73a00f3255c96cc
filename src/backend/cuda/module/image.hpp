// SPDX-License-Identifier: Apache-2.0
// Module images. The driver gets only an address and trusts the length that the image states, so it would read a cut
// image past its end. The length is therefore checked here, as far as possible, on a copy that ends in a NUL.
#pragma once

#include <cstddef>
#include <memory>

#include "base/status.hpp"

namespace gs::cuda {

struct Image {
    std::unique_ptr<unsigned char[]> bytes; // size + 1, the last one 0: PTX must be a C string
    size_t size = 0;
};

// bytes == 0: image is the path of a file.
Status load_image(const void *image, size_t bytes, Image *out) noexcept;

// INVALID_ARGUMENT when the headers of an ELF cubin or of a fat binary promise more bytes than there are.
Status check_image(const unsigned char *image, size_t size) noexcept;

} // namespace gs::cuda
