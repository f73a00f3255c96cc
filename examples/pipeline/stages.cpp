// SPDX-License-Identifier: Apache-2.0
#include "stages.hpp"

namespace pipeline {

std::vector<LanePlan> plan_lanes(int streams) {
    const int count = (streams + kStages - 1) / kStages;
    std::vector<LanePlan> lanes;
    int next = 0;
    for (int i = 0; i < count; ++i) {
        const int share = streams / count + (i < streams % count ? 1 : 0);
        lanes.push_back({next, share});
        next += share;
    }
    return lanes;
}

std::vector<std::string> stream_names(const std::vector<LanePlan> &lanes) {
    std::vector<std::string> names;
    for (const LanePlan &lane : lanes) {
        for (int stream = lane.first_stream; stream < lane.first_stream + lane.streams; ++stream) {
            std::string stages;
            for (int stage = 0; stage < kStages; ++stage) {
                if (lane.stream_of(static_cast<Stage>(stage)) != stream) continue;
                stages += (stages.empty() ? "" : " + ") + std::string(kStageNames[static_cast<size_t>(stage)]);
            }
            names.push_back("stream " + std::to_string(stream + 1) + ", " +
                            (lane.streams == 1 ? "all stages" : stages));
        }
    }
    return names;
}

} // namespace pipeline
