// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "support/backend_param.hpp"

int main(int argc, char **argv) {
    gs::test::prepare_backend_tests();
    ::testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
