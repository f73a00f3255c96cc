// SPDX-License-Identifier: Apache-2.0
// Every run of every model keeps the rules, with membarrier and without; and with a bug in the protocol some run does not.
#include <cstdlib>

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

TEST(Models, Fixture_Tokens) { expect_found(token_call_or_next_token(), SeededBug::ReuseInCall); }
TEST(Models, Fixture_Completion) {
    expect_found(added_behind_a_lane(), SeededBug::EarlyLookAtLanes);
    expect_found(added_to_a_sleeper(), SeededBug::SleepWithoutALook);
}

} // namespace

} // namespace gs::models
