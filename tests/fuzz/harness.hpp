// SPDX-License-Identifier: Apache-2.0
// What a harness defines, and how it reports. One program is one harness: under clang libFuzzer feeds it, elsewhere
// replay_main.cpp runs the corpus.
#pragma once

#include <string>
#include <vector>

#include "fuzz/bytes.hpp"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

// Of the harness. Tests plant these bugs to see that the harness finds them.
extern const std::vector<testing::SeededBug> kPlantedBugs;
void start();          // once, before any other use of the library
void one(Bytes input); // one input; whatever it starts has ended when it returns

// What the library did with an input, for the comparison of two runs: whatever does not depend on time.
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The same for a person who reads a trace: it is not compared.
void remark(const char *text);

// Ends the process, which libFuzzer and the replay report together with the input.
[[noreturn]] void found(const char *file, int line, const char *rule, const std::string &detail);

} // namespace gs::fuzz

#define FUZZ_REQUIRE(rule, detail)                                                                                     \
    do {                                                                                                               \
        if (!(rule)) ::gs::fuzz::found(__FILE__, __LINE__, #rule, detail);                                             \
    } while (0)
