// SPDX-License-Identifier: Apache-2.0
#include "fault/scenario.hpp"

#include <algorithm>

#include "fault/fake_driver.hpp"

namespace gs::test {
namespace {

gs_error_info_t detail() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    return info;
}

bool is_failure(gs_status_t status) { return status != GS_OK && status != GS_NOT_READY; }

bool holds_only(const void *value, size_t size, int byte) {
    const auto *bytes = static_cast<const unsigned char *>(value);
    return std::all_of(bytes, bytes + size, [byte](unsigned char found) { return found == byte; });
}

} // namespace

void Run::begin(const char *text) {
    called(text);
    injected_before_ = fake().injected(nullptr, 0);
}

bool Run::end(const char *text, gs_status_t wanted, gs_status_t got) {
    if (hit_step.empty() && fake().injected(nullptr, 0) > injected_before_) {
        hit_step = text;
        hit_status = got;
        if (is_failure(got)) hit_info = detail();
    }
    const std::vector<WrittenOutput> outputs = std::exchange(outputs_, {});
    if (got == wanted && wanted == GS_OK) return true;
    for (const WrittenOutput &output : outputs)
        if (!holds_only(output.value, output.size, output.after_failure))
            complaints.push_back(std::string(text) + " failed and left an output that is not as promised");
    if (is_failure(got)) {
        const gs_error_info_t now = detail();
        const std::string function(text, std::strcspn(text, "("));
        if (now.status != got) complaints.push_back(std::string(text) + ": gs_last_error has another status");
        if (function != now.function) complaints.push_back(std::string(text) + ": gs_last_error names " + now.function);
    }
    if (got == wanted) return true;
    if (status == GS_OK) {
        status = got == GS_OK ? GS_ERROR_INTERNAL : got;
        failed_step = text;
        info = is_failure(got) ? detail() : gs_error_info_t{};
        if (got == GS_OK) complaints.push_back(std::string(text) + " succeeded where it must fail");
    }
    return false;
}

const std::vector<Scenario> &scenarios() {
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> list = device_scenarios();
        for (auto *more : {stream_scenarios, event_scenarios, work_scenarios, completion_scenarios, timeline_scenarios,
                           pool_scenarios, partition_scenarios, capture_scenarios, table_scenarios, seeing_scenarios,
                           bridge_scenarios, graph_scenarios, graph_node_scenarios})
            for (const Scenario &scenario : more()) list.push_back(scenario);
        return list;
    }();
    return all;
}

} // namespace gs::test
