// SPDX-License-Identifier: Apache-2.0
// What a program has made so far, and what must hold of it: which handles are alive, and how many references it owns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpustream.h"

namespace gs::fuzz {

// Unsure: a stream that a thread may still have as its current one, without a reference of the program's.
enum class Alive { No, Unsure, Yes };

struct Object {
    uint64_t handle;
    std::string kind;      // as in the description: "stream"
    bool immortal = false; // default and per-thread streams
    bool was_current = false;
    bool held = false;        // a graph may have a reference of its own
    bool lent = false;        // a capture in progress keeps it alive
    bool release_due = false; // wrapped with a release function, which has not been called off
    int references = 0;
    uint64_t keeper = 0; // borrowed: lives as long as this object
};

class Model {
public:
    // Those of the backends that the process has started, which outlive every program.
    void add_immortal(const char *kind, uint64_t handle);

    // A handle came out of a call, with a reference or borrowed from `keeper` (0: from a thread's current streams).
    void gained(const char *kind, uint64_t handle);
    void borrowed(const char *kind, uint64_t handle, uint64_t keeper);
    void added(uint64_t handle);
    void ended(uint64_t handle);
    void made_current(uint64_t handle);
    void set_held(uint64_t handle);
    void set_lent(const char *kind, uint64_t handle, bool lent);
    bool set_release_due(uint64_t handle, bool due); // returns what was so before
    // The program's threads have ended: nothing is current any more.
    void threads_ended();

    Alive alive(uint64_t handle, const std::string &kind) const;
    // Whether destroy succeeds: there is a reference to release.
    Alive destroyable(uint64_t handle, const std::string &kind) const;

    // Objects of a kind in the order in which they appeared, dead ones too.
    std::vector<uint64_t> handles(const std::string &kind) const;
    const std::vector<Object> &objects() const { return objects_; }
    std::string name(uint64_t handle) const; // the same in every run of the program
    void forget();                           // all but the immortal ones

private:
    Object *find(uint64_t handle);
    const Object *find(uint64_t handle) const { return const_cast<Model *>(this)->find(handle); }
    Object &at(const char *kind, uint64_t handle);

    std::vector<Object> objects_;
    std::map<uint64_t, size_t> places_;
};

} // namespace gs::fuzz
