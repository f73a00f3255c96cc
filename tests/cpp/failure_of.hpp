// SPDX-License-Identifier: Apache-2.0
// The status of what a call throws.
#pragma once

#include <gpustream.hpp>

template <typename Call>
gpustream::status failure_of(Call call) {
    try {
        call();
    } catch (const gpustream::error &failure) {
        return failure.status();
    }
    return gpustream::status::ok;
}
