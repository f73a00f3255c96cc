// SPDX-License-Identifier: Apache-2.0
// Every run of every model keeps the rules, with membarrier and without; and with a bug in the protocol some run does not.
#include <cstdlib>

#include "models/models.hpp"

namespace gs::models {
namespace {

using testing::SeededBug;

bool full() { return std::getenv("GPUSTREAM_TEST_FULL") != nullptr; }

TEST(Models, KeepTheirRules) {
    for (const Model &model : all_models()) expect_sound(model);
}

TEST(Models, KeepTheirRulesWithThreeThreads) {
    if (!full()) GTEST_SKIP() << "GPUSTREAM_TEST_FULL is not set";
    expect_sound(event_ends_used_twice(Marks::Light));
}

TEST(Models, Fixture_ReuseWithoutGrace) { expect_found(event_ends(Marks::Light), SeededBug::ReuseWithoutGrace); }
TEST(Models, Fixture_GraceWithoutBarrier) {
    expect_found(event_ends(Marks::Light), SeededBug::GraceWithoutBarrier);
    expect_found(stream_is_entered(true, Marks::Light), SeededBug::GraceWithoutBarrier);
}
TEST(Models, Fixture_HoldWithoutConfirmation) {
    expect_found(stream_is_entered(true, Marks::Light), SeededBug::HoldWithoutConfirmation);
}
TEST(Models, Fixture_LostRecorderPublishes) {
    expect_found(two_records_race(), SeededBug::LostRecorderPublishes);
}
TEST(Models, Fixture_NewestRecordIsComplete) {
    expect_found(record_ends_completeness(), SeededBug::NewestRecordIsComplete);
}

} // namespace

const std::vector<Model> &all_models() {
    static const std::vector<Model> models = [] {
        std::vector<Model> made{first_record_is_seen_whole(), two_records_race(), record_ends_completeness()};
        for (const Marks marks : {Marks::Light, Marks::Fenced}) {
            made.push_back(event_ends(marks));
            made.push_back(event_ends_blocking(marks));
            made.push_back(event_slot_is_reused(marks));
            made.push_back(event_destroyed_twice(marks));
            for (const bool ever_current : {false, true}) {
                made.push_back(stream_ends(ever_current, marks));
                made.push_back(stream_is_entered(ever_current, marks));
            }
            made.push_back(stream_is_left(marks));
        }
        return made;
    }();
    return models;
}

} // namespace gs::models
