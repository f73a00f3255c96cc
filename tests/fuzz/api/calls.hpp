// SPDX-License-Identifier: Apache-2.0
// Every function of the header as a step of a program: its arguments come from the input, its promises are checked.
// scripts/generator/emit_fuzz.py writes the table; a harness replaces the rows whose arguments must fit together.
#pragma once

#include <vector>

#include "gpustream.h"

namespace gs::fuzz {

class Arguments;

// What the call does with references, as its \ownership line says.
enum class Ownership {
    None,
    Gives,   // the handle that comes out has one reference for the caller
    Adds,    // one more to the handle that goes in
    Ends,    // one less
    Borrows, // a handle comes out that someone else keeps alive
};

struct Call {
    const char *name;
    std::vector<gs_status_t> statuses; // that the header lists; empty if it returns something else
    Ownership ownership;
    void (*make)(Arguments &arguments);
};

const std::vector<Call> &call_table(); // as generated
// Of the harness: the calls that its programs are made of.
std::vector<Call> harness_calls();
// The call that a number of an input names. Which one it is changes for few numbers when a function is added.
const Call &call_of(uint16_t number);
inline constexpr uint16_t kCallNumbers = 4096;

} // namespace gs::fuzz
