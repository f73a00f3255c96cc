// SPDX-License-Identifier: Apache-2.0
// Streams that wait for each other only because they share a hardware queue of the device.
#pragma once

#include <gpustream.h>

#include <string>
#include <vector>

namespace command {

struct SharedQueues {
    std::vector<int32_t> held; // streams, counted from 0, that the first one, number 0, held up
    std::string trouble;       // why nothing is known; empty otherwise
};
// Makes so many streams, two at least. The first one waits for the host; each of the others then has a word to write,
// which depends on no other stream. Takes 2 seconds if one of them is held up.
SharedQueues probe_queues(gs_device_t device, int32_t streams);

std::string queues_json(const SharedQueues &queues, long streams);
std::string queues_text(const SharedQueues &queues, int32_t device, long streams); // one line, not wrapped

} // namespace command
