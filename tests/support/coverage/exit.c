// SPDX-License-Identifier: Apache-2.0
// A process that ends by _exit() writes no counters. In builds with gcov, test programs have this _exit(): what the
// process reached was reached all the same.
#include <sys/syscall.h>
#include <unistd.h>

void __gcov_dump(void);

void _exit(int status) {
    __gcov_dump();
    for (;;) syscall(SYS_exit_group, status);
}
