// SPDX-License-Identifier: Apache-2.0
// The tests of this family start this executable again as their children.
#include <gtest/gtest.h>

#include "support/child_process.hpp"

#if defined(__SANITIZE_THREAD__)
// The tests fork children from a process with threads; by default the sanitizer would end them at once.
extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }
#endif

int main(int argc, char **argv) {
    int code = 0;
    if (gs::test::run_registered_child(argc, argv, &code)) return code;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
