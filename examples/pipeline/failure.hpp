// SPDX-License-Identifier: Apache-2.0
// The program's exit status, and the exception that ends it.
#pragma once

#include <stdexcept>
#include <string>

namespace pipeline {

enum class Exit : int {
    kOk = 0,
    kMismatch = 1, // the pipeline's result differs from the sequential pass's
    kUsage = 2,
    kFile = 3,   // reading the input or writing the timeline failed
    kDevice = 4, // a gpustream call or the system failed
};

class Failure : public std::runtime_error {
public:
    Failure(Exit exit, const std::string &message) : std::runtime_error(message), exit_(exit) {}
    Exit exit() const { return exit_; }

private:
    Exit exit_;
};

} // namespace pipeline
