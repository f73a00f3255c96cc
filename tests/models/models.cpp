// SPDX-License-Identifier: Apache-2.0
#include "models/models.hpp"

namespace gs::models {

const std::vector<Model> &short_models() {
    static const std::vector<Model> models = [] {
        std::vector<Model> made{first_record_is_seen_whole(),
                                two_records_race(),
                                record_ends_completeness(),
                                event_ends(true, Marks::Unasked),
                                token_call_or_next_token(),
                                token_event_comes_with_its_generation(),
                                added_to_a_sleeper(),
                                added_behind_a_lane()};
        for (const Marks marks : {Marks::Light, Marks::Fenced}) {
            made.push_back(event_ends(false, marks));
            made.push_back(event_ends(true, marks));
            made.push_back(event_ends_blocking(marks));
            made.push_back(event_slot_is_reused(marks));
            made.push_back(event_destroyed_twice(marks));
            made.push_back(stream_ends(false, marks));
            made.push_back(stream_ends(true, marks));
        }
        return made;
    }();
    return models;
}

const std::vector<Model> &long_models() {
    static const std::vector<Model> models = [] {
        std::vector<Model> made{token_readers_and_next_token()};
        for (const Marks marks : {Marks::Light, Marks::Fenced}) {
            made.push_back(event_ends_used_twice(marks));
            made.push_back(stream_is_entered(false, marks));
            made.push_back(stream_is_entered(true, marks));
            made.push_back(stream_is_left(marks));
            made.push_back(stream_is_left_at_exit(marks));
        }
        return made;
    }();
    return models;
}

} // namespace gs::models
