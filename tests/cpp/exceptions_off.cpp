// SPDX-License-Identifier: Apache-2.0
// Compiled with -fno-exceptions, for a program whose other files have them.
#include "forms.hpp"

#ifdef __cpp_exceptions
#error "this file is compiled without exceptions"
#endif

#include <gpustream.hpp>

gs_status_t launch_with_exceptions_off(gs_stream_t stream, const std::function<void()> &function) {
    return static_cast<gs_status_t>(gpustream::stream_ref(stream).launch_host(function).status());
}
