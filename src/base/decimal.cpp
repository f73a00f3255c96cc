// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.hpp"

namespace gs {

std::string decimal(uint64_t number) {
    char digits[20]; // of 2^64
    char *first = digits + sizeof digits;
    do {
        *--first = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    return std::string(first, digits + sizeof digits);
}

} // namespace gs
