// SPDX-License-Identifier: Apache-2.0
// What is known of the accesses under weak memory (memory.hpp). Those of the run are kept for a report. Their places in
// the code are known so that an access can be made with a weaker order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gs::schedule {

// An access in the code, by the address behind its instruction.
struct Site {
    const char *doing;
    int order;
};
using Sites = std::map<const void *, Site>;
const Sites &sites() noexcept; // all that ran, on memory that threads share
void forget_sites() noexcept;
void note_site(const char *doing, int order, const void *code);

// From now on the accesses at these addresses have this order; an empty list ends it.
void weaken(std::vector<const void *> code, int order);
int order_of(int order, const void *code) noexcept;

void forget_steps() noexcept;
void note_step(int thread, const char *doing, uintptr_t object, uint64_t value, int order, const void *code);
std::string describe_steps();

} // namespace gs::schedule
