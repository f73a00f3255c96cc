// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/calls.hpp"

#include <cstring>
#include <string>

#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

uint64_t hash(const char *text, uint64_t salt) {
    uint64_t value = 0xcbf29ce484222325u ^ salt;
    for (; *text != '\0'; ++text) value = (value ^ static_cast<unsigned char>(*text)) * 0x100000001b3u; // FNV-1a
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu; // the finaliser of MurmurHash3: names differ in their last letters
    return value ^ value >> 33;
}

// For each number the name with the greatest hash: a new function takes over an even share of the numbers, and all
// other numbers keep their meaning. assemble.py does the same.
std::vector<const Call *> numbered() {
    static const std::vector<Call> calls = harness_calls();
    std::vector<const Call *> of(kCallNumbers);
    for (uint16_t number = 0; number < kCallNumbers; ++number) {
        uint64_t greatest = 0;
        for (const Call &call : calls) {
            const uint64_t found = hash(call.name, number);
            if (found < greatest) continue;
            greatest = found;
            of[number] = &call;
        }
    }
    return of;
}

} // namespace

void replace_rows(std::vector<Call> &table, const std::vector<SpecialCall> &rows) {
    for (const SpecialCall &row : rows) {
        size_t places = 0;
        for (Call &call : table) {
            if (std::strcmp(call.name, row.name) != 0) continue;
            call.make = row.make;
            ++places;
        }
        FUZZ_REQUIRE(places == 1, std::string("the harness has no ") + row.name);
    }
}

const Call &call_of(uint16_t number) {
    static const std::vector<const Call *> table = numbered();
    return *table[number % kCallNumbers];
}

void make_generated(const char *name, Arguments &arguments) {
    for (const Call &call : call_table())
        if (std::strcmp(call.name, name) == 0) return call.make(arguments);
}

} // namespace gs::fuzz
