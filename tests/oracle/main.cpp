// SPDX-License-Identifier: Apache-2.0
// Some tests of this family start this executable again: their programs run in several processes.
#include <gtest/gtest.h>

#include "support/child_process.hpp"

int main(int argc, char **argv) {
    int code = 0;
    if (gs::test::run_registered_child(argc, argv, &code)) return code;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
