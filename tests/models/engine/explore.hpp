// SPDX-License-Identifier: Apache-2.0
// Runs a model, a few threads of production code, in every way that its memory allows.
//
// Threads are fibers of one thread of the system. Each announces its next access to memory that several threads use and
// waits for its turn; whose turn it is, what a load reads and where a store is placed are choices, and all of them are tried,
// depth first. Of runs that differ only in the order of accesses which do not touch each other, one is made (sleep sets).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gs::models {

struct Model {
    const char *name;
    std::function<void()> set_up; // before each run: must make the same state each time
    std::vector<std::function<void()>> threads;
    std::function<void()> check;      // after each run that was not cut short
    std::function<void()> clean_up{}; // after each run
};

struct Result {
    uint64_t runs = 0;
    uint64_t cut_short = 0; // another run has the same accesses in an order that makes no difference
    std::string failure;    // with the accesses that led to it; empty: no run breaks a rule
    bool complete = false;  // all runs were made
};

// most_runs: 0 is no limit.
Result explore(const Model &model, uint64_t most_runs = 0);

// A rule of the model. On its threads and in `check`.
void require(bool holds, const char *rule);
// For `set_up`: this memory must be accessed without races.
void watch_memory(const void *begin, size_t bytes, const char *name);
template <typename T>
void watch(const T &object, const char *name) {
    watch_memory(&object, sizeof object, name);
}
// The number of the calling thread in the model, from 0; -1 outside of a run.
int current_thread() noexcept;

// An access in the code, by the address behind its instruction.
struct Site {
    const char *doing;
    int order;
};
using Sites = std::map<const void *, Site>;
const Sites &sites() noexcept; // all that ran, on memory that threads share
void forget_sites() noexcept;
// From now on the accesses at these addresses have this order; an empty list ends it.
void weaken(std::vector<const void *> code, int order);

} // namespace gs::models
