// SPDX-License-Identifier: Apache-2.0
// Who runs next. The scheduler asks at every point where it could be another thread; the answers make the schedule.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gs::schedule {

// What a thread does next, when its turn comes.
struct Access {
    const char *doing = ""; // empty: it has not come to an access yet
    uintptr_t object = 0;
    bool write = false;
    const void *code = nullptr;
    bool strict = false; // sequentially consistent
};
inline constexpr uintptr_t kAlwaysShared = 0; // no object, but whatever any thread does
inline constexpr uintptr_t kFence = 1;        // what all sequentially consistent accesses have in common

struct Option {
    int thread;
    bool keep; // the thread that is left keeps its buffered stores to itself
    const Access *next;
};

// The first option is what happens by default: the running thread goes on, or, if it cannot, the first one that can.
struct Point {
    uint64_t step;  // number of the access in this run
    bool voluntary; // the running thread could go on: any other option preempts it
    const std::vector<Option> &options;
};

class Chooser {
public:
    virtual ~Chooser() = default;
    virtual size_t choose(const Point &point) = 0;
    // Which of the stores that weak memory offers a thread reads, or puts its own behind.
    virtual size_t pick(size_t) { return 0; }
    virtual bool cut_short() const { return false; } // another run makes the same
    // Points where only one thread has ever accessed the object are left out, except for a replay.
    virtual bool wants_every_point() const { return false; }
};

// A depth-first search.
class Search : public Chooser {
public:
    virtual void begin(); // of a run
    bool next();          // selects the next run; false: there are no more
    void restart();       // forgets what was searched
    bool diverged() const { return diverged_; }

protected:
    size_t decide(size_t options, bool voluntary);

private:
    struct Decision {
        size_t options;
        size_t chosen;
        bool voluntary;
    };
    std::vector<Decision> decisions_;
    size_t position_ = 0;
    bool diverged_ = false;
};

// Over all schedules with at most `bound` preemptions.
class Systematic final : public Search {
public:
    explicit Systematic(int bound) : bound_(bound) {}
    void begin() override;
    size_t choose(const Point &point) override;

private:
    const int bound_;
    int preemptions_ = 0;
};

// Over all schedules, and all that weak memory offers in each. Of those that differ only in the order of accesses which
// do not touch each other, one is made (sleep sets).
class Exhaustive final : public Search {
public:
    void begin() override;
    size_t choose(const Point &point) override;
    size_t pick(size_t count) override;
    bool cut_short() const override { return cut_short_; }

private:
    unsigned sleeping_ = 0;
    bool cut_short_ = false;
};

// Probabilistic concurrency testing: the thread with the highest random priority runs, and at `changes` random points
// the running one drops below all others. It finds any bug that needs so many ordering constraints with a known chance.
class Random final : public Chooser {
public:
    Random(uint64_t seed, int changes, uint64_t expected_points);
    size_t choose(const Point &point) override;

private:
    int64_t &priority_of(int thread);
    std::mt19937_64 random_;
    std::vector<int64_t> priorities_;
    std::vector<uint64_t> changes_; // by number of the point
    uint64_t points_ = 0;
    int64_t lowest_ = 0;
};

// A choice that was not the default one, and their list as text: step:thread, with ~ where stores are kept.
struct Choice {
    uint64_t step;
    int thread;
    bool keep;
};
std::string text_of(const std::vector<Choice> &choices);
std::string text_of(const std::vector<Option> &options);

class Replay final : public Chooser {
public:
    explicit Replay(const std::string &text);
    size_t choose(const Point &point) override;
    bool wants_every_point() const override { return true; }
    bool used_up() const { return next_ == choices_.size(); }

private:
    std::vector<Choice> choices_;
    size_t next_ = 0;
};

} // namespace gs::schedule
