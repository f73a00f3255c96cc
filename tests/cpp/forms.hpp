// SPDX-License-Identifier: Apache-2.0
// What files of other forms of the layer do for the tests, in the same program.
#pragma once

#include <functional>
#include <gpustream.h>

// Launches a function that throws a std::runtime_error, in the form with results.
gs_status_t throw_without_exceptions(gs_stream_t stream);
// Launches the function from a file that is compiled without exceptions.
gs_status_t launch_with_exceptions_off(gs_stream_t stream, const std::function<void()> &function);
