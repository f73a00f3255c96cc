// SPDX-License-Identifier: Apache-2.0
// Calls the made-up functions as a C++ program does: the numbers are an enumeration, the event has an owner.
#include <gpustream.hpp>
#include <iostream>
#include <vector>

int main() {
    const gs_made_weight_t weight{sizeof weight, static_cast<int32_t>(gpustream::made::doubled), 0.5};
    const std::vector<int64_t> values{3, 4, 5};
    gs_made_total_t total{};
    total.struct_size = sizeof total;
    gs_event_t made = nullptr;
    int64_t sum = 0;
    const auto seen = [](void *arg, int64_t value) -> gs_status_t {
        *static_cast<int64_t *>(arg) += value;
        return GS_OK;
    };
    if (gs_made_sum(&weight, values.data(), values.size(), seen, &sum, &total, &made) != GS_OK) return 1;
    const gpustream::event event{made};
    uint32_t doubled = 0;
    if (gs_made_doubled_flags(event.get(), &doubled) != GS_OK || doubled != 2 * GS_EVENT_TIMING) return 2;
    if (sum != 12 || total.count != 3 || total.first[2] != 5) return 3;
    std::cout << "C++: " << sum << '\n';
}
