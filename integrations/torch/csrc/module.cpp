// SPDX-License-Identifier: Apache-2.0
// The extension module. What it registers with PyTorch does not need Python.
#include <torch/extension.h>

#include "calls.hpp"

PYBIND11_MODULE(_C, module) {
    using namespace gpustream_torch;
    module.def("device_count", [] {
        int32_t count = 0;
        check(gs_device_count(GS_BACKEND_HOST, &count));
        return count;
    });
    module.def("current_device", [] { return static_cast<int>(current_index()); });
    module.def("set_device",
               [](int index) { check(gs_set_current_device(number_of(static_cast<c10::DeviceIndex>(index)))); });
    module.def("in_bad_fork", [] {
        int32_t bad = 0;
        return gs_fork_status(&bad) == GS_OK && bad != 0;
    });
    // Keeps a stream busy: what torch.cuda._sleep does there.
    module.def("sleep", [](int64_t nanoseconds) {
        check(gs_stream_sleep(current_stream(current_index()), static_cast<uint64_t>(nanoseconds)));
    });
    module.def("stats", [] {
        gs_stats_t stats{};
        stats.struct_size = sizeof stats;
        check(gs_get_stats(&stats));
        py::dict counts;
        counts["records"] = stats.records;
        counts["waits"] = stats.waits;
        return counts;
    });
}
