// SPDX-License-Identifier: Apache-2.0
// Who runs next. The scheduler asks at every point where it could be another thread; the answers make the schedule.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gs::schedule {

struct Option {
    int thread;
    bool keep; // the thread that is left keeps its buffered stores to itself
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
    // Points where only one thread has ever accessed the object are left out, except for a replay.
    virtual bool wants_every_point() const { return false; }
};

// Depth-first search over all schedules with at most `bound` preemptions.
class Systematic final : public Chooser {
public:
    explicit Systematic(int bound) : bound_(bound) {}
    void begin();   // of a run
    bool next();    // selects the next schedule; false: there are no more
    void restart(); // forgets what was searched
    bool diverged() const { return diverged_; }
    size_t choose(const Point &point) override;

private:
    struct Decision {
        size_t options;
        size_t chosen;
        bool voluntary;
    };
    const int bound_;
    std::vector<Decision> decisions_;
    size_t position_ = 0;
    int preemptions_ = 0;
    bool diverged_ = false;
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
