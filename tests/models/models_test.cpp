// SPDX-License-Identifier: Apache-2.0
// Every run of every model keeps the rules, with membarrier and without; and with a bug in the protocol some run does not.
#include <cstdlib>

#include "core/completion/completion_bugs.hpp"
#include "core/token/token_bugs.hpp"
#include "models/models.hpp"
#include "support/long_form.hpp"

namespace gs::models {
namespace {

using testing::SeededBug;

TEST(Models, KeepTheirRules) {
    for (const Model &model : short_models()) expect_sound(model);
    if (!test::long_form()) return; // the long form has the others as well
    for (const Model &model : long_models()) expect_sound(model);
}

TEST(Models, Fixture_ReuseWithoutGrace) { expect_found(event_ends(true, Marks::Light), SeededBug::ReuseWithoutGrace); }
TEST(Models, Fixture_GraceWithoutBarrier) {
    expect_found(event_ends(true, Marks::Light), SeededBug::GraceWithoutBarrier);
    expect_found(stream_is_entered(true, Marks::Light), SeededBug::GraceWithoutBarrier);
}
TEST(Models, Fixture_HoldWithoutConfirmation) {
    expect_found(stream_is_entered(true, Marks::Light), SeededBug::HoldWithoutConfirmation);
}
TEST(Models, Fixture_LostRecorderPublishes) { expect_found(two_records_race(), SeededBug::LostRecorderPublishes); }
TEST(Models, Fixture_NewestRecordIsComplete) {
    expect_found(record_ends_completeness(), SeededBug::NewestRecordIsComplete);
}

template <typename Bug>
void expect_found(std::atomic<Bug> &seeded, Bug bug, const Model &model) {
    seeded.store(bug);
    const Result result = explore_world(model);
    seeded.store(Bug::None);
    EXPECT_NE(result.failure, "") << model.name << ": no run breaks a rule";
}

TEST(Models, Fixture_Tokens) {
    expect_found(testing::token_bug, testing::TokenBug::ReuseInCall, token_call_or_next_token());
}
TEST(Models, Fixture_Completion) {
    using Bug = testing::CompletionBug;
    expect_found(testing::completion_bug, Bug::EarlyLookAtLanes, added_behind_a_lane());
    expect_found(testing::completion_bug, Bug::SleepWithoutALook, added_to_a_sleeper());
}

} // namespace

} // namespace gs::models
