// SPDX-License-Identifier: Apache-2.0
// The learner and the pace of waits, fed with made-up durations: how late a wait notices the end of the work, and how much of
// the time it spends awake. No clock: a nap takes as long as it should, plus what the kernel adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/completion/pace.hpp"

namespace gs {
namespace {

constexpr uint32_t kShare = 15;
constexpr uint64_t kUs = 1'000;
constexpr uint64_t kWakeUpNs = 6 * kUs;  // until a sleeper runs again
constexpr uint64_t kNapCostNs = 8 * kUs; // of a processor, for falling asleep and waking up
constexpr uint64_t kSpinNs = 300;        // between two questions

struct Waited {
    uint64_t late_ns;
    uint64_t busy_ns;
};

Waited wait_for_work(Learner &learner, uint64_t duration) {
    const Learner::Window window = learner.window();
    uint64_t now = 0, spun = 0, busy = 0;
    while (now < duration) {
        const Step step = next_step(window, now, spun, kShare);
        if (step.spin) {
            spun += kSpinNs;
            busy += kSpinNs;
            now += kSpinNs;
        } else {
            EXPECT_GT(step.sleep_ns, 0u);
            EXPECT_LE(step.sleep_ns, longest_nap_ns(now));
            busy += kNapCostNs;
            now += step.sleep_ns + kWakeUpNs;
        }
    }
    learner.add(now);
    return {now - duration, busy};
}

struct Summary {
    uint64_t median_late_ns;
    uint64_t p99_late_ns;
    double load;
};

Summary run(const std::function<uint64_t(int)> &duration, bool fresh = false) {
    Learner learner;
    std::vector<uint64_t> late;
    uint64_t busy = 0, total = 0;
    for (int i = 0; i < 500; ++i) {
        Learner first;
        const uint64_t work = duration(i);
        const Waited waited = wait_for_work(fresh ? first : learner, work);
        if (i < 20 && !fresh) continue; // learning
        late.push_back(waited.late_ns);
        busy += waited.busy_ns;
        total += work;
    }
    std::sort(late.begin(), late.end());
    return {late[late.size() / 2], late[late.size() * 99 / 100],
            static_cast<double>(busy) / static_cast<double>(total)};
}

uint64_t pseudo_random(int i) {
    uint64_t x = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return (x * 0xBF58476D1CE4E5B9u) >> 32;
}

void expect_good(const Summary &found, uint64_t work, const char *what) {
    EXPECT_LE(found.median_late_ns, std::max<uint64_t>(10 * kUs + 2 * kUs, work / 100)) << what << " " << work;
    EXPECT_LE(found.p99_late_ns, 100 * kUs) << what << " " << work;
    EXPECT_LE(found.load, 0.20) << what << " " << work;
}

TEST(Learner, KnowsNothingAtFirst) {
    const Learner learner;
    EXPECT_FALSE(learner.window().known);
}

TEST(Learner, KnowsWorkThatTookNoTime) {
    Learner learner;
    learner.add(0);
    EXPECT_TRUE(learner.window().known);
    EXPECT_LE(learner.window().high_ns, 1u);
}

TEST(Learner, OneShortOutlierDoesNotWidenTheWindow) {
    Learner learner;
    for (int i = 0; i < 7; ++i) learner.add(1'000'000);
    learner.add(10);
    EXPECT_EQ(learner.window().low_ns, 1'000'000u);
    EXPECT_EQ(learner.window().high_ns, 1'000'000u);
}

TEST(Learner, ForgetsWhatIsOld) {
    Learner learner;
    for (int i = 0; i < 100; ++i) learner.add(1'000'000);
    for (uint32_t i = 0; i < Learner::kKept; ++i) learner.add(2'000'000);
    EXPECT_EQ(learner.window().low_ns, 2'000'000u);
}

TEST(Learner, IsTheDevices) {
    learner_of(1).add(7);
    EXPECT_TRUE(learner_of(1).window().known);
    EXPECT_FALSE(learner_of(2).window().known);
}

TEST(Pace, AnAlertedWaiterSpinsWithinItsShareAndItsLimit) {
    EXPECT_EQ(alerted_spin_ns(1'000 * kUs, kShare, -1), 150 * kUs);
    EXPECT_EQ(alerted_spin_ns(1'000 * kUs, kShare, 10'000 * kUs), 150 * kUs);
    EXPECT_EQ(alerted_spin_ns(1'000 * kUs, kShare, 1'010 * kUs), 10 * kUs) << "it would wait beyond its limit";
    EXPECT_EQ(alerted_spin_ns(1'000 * kUs, kShare, 900 * kUs), 0u);
}

TEST(Pace, FixedDurations) {
    for (const uint64_t work : {100 * kUs, 300 * kUs, 1'000 * kUs, 5'000 * kUs, 20'000 * kUs})
        expect_good(run([work](int) { return work; }), work, "fixed");
}

TEST(Pace, DurationsThatVaryByATenth) {
    for (const uint64_t work : {100 * kUs, 1'000 * kUs, 20'000 * kUs})
        expect_good(run([work](int i) { return work + pseudo_random(i) % (work / 10); }), work, "nearly fixed");
}

TEST(Pace, RandomDurations) {
    for (const uint64_t work : {200 * kUs, 1'000 * kUs, 20'000 * kUs}) {
        const Summary found = run([work](int i) { return work / 2 + pseudo_random(i) % work; });
        EXPECT_LE(found.median_late_ns, std::max<uint64_t>(15 * kUs, work / 100)) << work;
        EXPECT_LE(found.p99_late_ns, 110 * kUs) << work;
        EXPECT_LE(found.load, 0.25) << work;
    }
}

TEST(Pace, FirstWaits) {
    for (const uint64_t work : {100 * kUs, 1'000 * kUs, 20'000 * kUs}) {
        const Summary found = run([work](int) { return work; }, true);
        EXPECT_LE(found.p99_late_ns, 110 * kUs) << work;
        EXPECT_LE(found.load, work < 1'000 * kUs ? 0.36 : 0.25) << work;
    }
}

// Streams of one device whose work differs much: neither kind of wait spins for long, or is later than a first wait.
TEST(Pace, ShortAndLongWorkOfOneDevice) {
    for (const uint64_t work : {400 * kUs, 1'000 * kUs, 20'000 * kUs}) {
        const Summary found = run([work](int i) { return pseudo_random(i) % 2 ? 20 * kUs : work; });
        EXPECT_LE(found.p99_late_ns, 110 * kUs) << work;
        EXPECT_LE(found.load, 0.36) << work;
    }
    Learner learner;
    for (int i = 0; i < 8; ++i) learner.add(i % 2 ? 20 * kUs : 400 * kUs);
    EXPECT_FALSE(next_step(learner.window(), 2 * kFirstSpinNs, 2 * kFirstSpinNs, kShare).spin);
}

TEST(Pace, ShortWorkIsSpunFor) {
    Learner learner;
    for (int i = 0; i < 8; ++i) learner.add(20 * kUs);
    EXPECT_TRUE(next_step(learner.window(), 0, 0, kShare).spin);
    EXPECT_TRUE(next_step(learner.window(), 19 * kUs, 19 * kUs, kShare).spin);
    EXPECT_FALSE(next_step(learner.window(), 1'000 * kUs, 40 * kUs, kShare).spin);
}

// Work that was begun long before the wait, or is far longer than before, is never waited for blindly.
TEST(Pace, AWrongGuessCostsLittle) {
    Learner learner;
    for (int i = 0; i < 8; ++i) learner.add(20'000 * kUs);
    EXPECT_LE(wait_for_work(learner, 300 * kUs).late_ns, kFirstLongestNapNs + kWakeUpNs);
    const Waited longer = wait_for_work(learner, 200'000 * kUs);
    EXPECT_LE(longer.late_ns, 200'000 * kUs / kNapShare + kWakeUpNs);
    EXPECT_LE(longer.busy_ns, 40'000 * kUs);
}

// An hour's wait, or one that a stopped machine made long, is not seconds late.
TEST(Pace, NapsOfLongWaitsStayShort) {
    Learner learner;
    constexpr uint64_t kHourNs = 3'600'000'000'000;
    EXPECT_LE(next_step(learner.window(), kHourNs, 0, kShare).sleep_ns, kLongestNapNs);
    for (int i = 0; i < 8; ++i) learner.add(2 * kHourNs);
    EXPECT_LE(next_step(learner.window(), 0, 0, kShare).sleep_ns, kLongestNapNs);
    EXPECT_LE(next_step(learner.window(), kHourNs, 0, kShare).sleep_ns, kLongestNapNs);
    EXPECT_LE(next_step(learner.window(), 3 * kHourNs, 2 * kHourNs, kShare).sleep_ns, kLongestNapNs);
}

TEST(Budget, IsEarnedByTimeAndSpentByWork) {
    Budget budget(10);
    budget.pass(Budget::kMostSavedNs, true);
    EXPECT_FALSE(budget.may_spin());
    budget.pass(1'000, false);
    EXPECT_TRUE(budget.may_spin());
    budget.pass(200, true);
    EXPECT_FALSE(budget.may_spin());
    budget.pass(UINT64_MAX / 100, false);
    budget.pass(Budget::kMostSavedNs * 2, true);
    EXPECT_FALSE(budget.may_spin()) << "a long rest does not pay for a long spin";
}

} // namespace
} // namespace gs
