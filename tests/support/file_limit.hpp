// SPDX-License-Identifier: Apache-2.0
// While it lives, this process and its children can write to no file that a full disk would hold: writes fail with EFBIG.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

namespace gs::test {

class NoFileGrows {
public:
    NoFileGrows() : handler_(signal(SIGXFSZ, SIG_IGN)) {
        EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
        rlimit none = before_;
        none.rlim_cur = 0;
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    }
    ~NoFileGrows() {
        EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
        signal(SIGXFSZ, handler_);
    }
    NoFileGrows(const NoFileGrows &) = delete;
    NoFileGrows &operator=(const NoFileGrows &) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

} // namespace gs::test
