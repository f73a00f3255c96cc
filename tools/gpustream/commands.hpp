// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace command {

// Each returns the exit code: 0, or 1 if the devices cannot be used at all.
struct InfoOptions {
    bool as_json = false;
    long streams = 0; // of each device that are probed for shared queues; 0: none
};
int info(const InfoOptions &options);
struct TopOptions {
    double interval_s = 1.0;
    long rounds = 0; // 0: until it is interrupted
};
int top(const TopOptions &options);
int explain(const char *process_or_file);

} // namespace command
