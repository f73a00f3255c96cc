// SPDX-License-Identifier: Apache-2.0
// The status with which a call of the throwing form fails.
#pragma once

#include <gpustream.hpp>

namespace gpustream::test {

template <typename Call>
status failure_of(Call call) {
    try {
        call();
    } catch (const error &failure) {
        return failure.status();
    }
    return status::ok;
}

} // namespace gpustream::test
