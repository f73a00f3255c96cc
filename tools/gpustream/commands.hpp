// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

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
int explain(const char *process_or_file, bool as_svg);
// The program's exit code; 125: the front or the driver is missing, 127: the program cannot be started.
int run(int count, char **arguments);
// 0: all runs passed, 1: one with delays failed, 2: the plain one fails, 3: trouble, 4: the program put no work in streams.
int shake(int count, char **arguments);
// Says on stderr that there is no such command or option, and which known word is nearest. One line: the usage would hide it.
void report_unknown(const char *what, const char *word, std::initializer_list<const char *> known);

} // namespace command
