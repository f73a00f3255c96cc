// SPDX-License-Identifier: Apache-2.0
// The models of the library's protocols. models_test.cpp explores them; weaken_main.cpp weakens one access after the other.
#pragma once

#include <vector>

#include "models/world.hpp"

namespace gs::models {

// An event is destroyed while other threads use it.
Model event_ends(bool shared, Marks marks); // shared: several threads had used it before
Model event_ends_blocking(Marks marks);     // a blocking call pins the slot
Model event_ends_used_twice(Marks marks);
Model event_slot_is_reused(Marks marks); // and the thread makes another event in the same slot
Model event_destroyed_twice(Marks marks);

// Records, and what they allow to leave out.
Model first_record_is_seen_whole();
Model two_records_race();
Model record_ends_completeness();

// A stream is destroyed while other threads use it or make it current.
Model stream_ends(bool ever_current, Marks marks);
Model stream_is_entered(bool ever_current, Marks marks);
Model stream_is_left(Marks marks);
Model stream_is_left_at_exit(Marks marks);

// Signals of several processes, aborts, and who takes part.

// A token's event is recorded again, for the next one, while other processes use it.
Model token_call_or_next_token();
Model token_readers_and_next_token();
Model token_event_comes_with_its_generation();

// A point is added while the scanner goes to sleep.
Model added_to_a_sleeper();
Model added_behind_a_lane();

const std::vector<Model> &short_models(); // milliseconds each
const std::vector<Model> &long_models();

} // namespace gs::models
