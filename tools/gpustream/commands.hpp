// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace command {

// Each returns the exit code: 0, or 1 if the devices cannot be used at all.
int info(bool as_json);
struct TopOptions {
    double interval_s = 1.0;
    long rounds = 0; // 0: until it is interrupted
};
int top(const TopOptions &options);
int explain(const char *process_or_file);

} // namespace command
