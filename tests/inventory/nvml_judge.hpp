// SPDX-License-Identifier: Apache-2.0
// Makes every call that may query NVML, and judges the results: a status with a text and nothing else, or the right
// device's number.
#pragma once

#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "inventory/inventory_support.hpp"

namespace gs::test {

// What device `ordinal` is in this test: a GPU, or an instance of it (-1: none).
struct Truth {
    int gpu, instance;
};

class Judge {
public:
    Judge(std::vector<Truth> devices, int gpus, bool strict)
        : devices_(std::move(devices)), gpus_(gpus), strict_(strict) {}

    // Makes every call that may query NVML. Returns false if something was wrong, and prints it on stderr.
    bool all_calls() {
        good_ = true;
        counts();
        for (int32_t ordinal = 0; ordinal < static_cast<int32_t>(devices_.size()); ++ordinal) device(ordinal);
        int32_t gpus = 77, entries = 77;
        const gs_status_t status = gs_inventory_count(&gpus, &entries);
        told("gs_inventory_count", status, gpus == 0 && entries == 0, gpus == gpus_ && entries >= gpus);
        for (int32_t i = 0; status == GS_OK && i < entries; ++i) entry(i);
        return good_;
    }

private:
    void require(bool condition, const std::string &what) {
        if (condition) return;
        good_ = false;
        std::fprintf(stderr, "  %s (last error: %s)\n", what.c_str(), last_text().c_str());
    }

    void told(const char *call, gs_status_t status, bool nothing, bool right) {
        if (status == GS_OK) return require(right, std::string(call) + " returned a wrong number");
        const gs_error_info_t error = last_error();
        require(nothing, std::string(call) + " failed and returned a number");
        require(error.status == status && std::strcmp(error.function, call) == 0 &&
                    std::strlen(error.message) > std::strlen(call) + 10,
                std::string(call) + " failed without a text");
        require(!strict_, std::string(call) + " failed without a reason");
    }

    // The count is a guess at worst, and needs no permission.
    void counts() {
        int32_t value = -1;
        require(gs_device_count(GS_BACKEND_CUDA, &value) == GS_OK && value >= 0 && value <= 2, "gs_device_count");
        require(gs_is_available(&value) == GS_OK && (value == 0 || value == 1), "gs_is_available");
        gs_backend_t backend = 0;
        require(gs_default_backend(&backend) == GS_OK && backend == GS_BACKEND_CUDA, "gs_default_backend");
    }

    void device(int32_t ordinal) {
        const gs_device_t number = GS_DEVICE(GS_BACKEND_CUDA, ordinal);
        const auto [gpu, instance] = devices_[static_cast<size_t>(ordinal)];
        struct Measure {
            uint32_t field;
            int32_t gs_telemetry_t::*value;
            int32_t right;
            bool of_instances;
        };
        const Measure measures[] = {
            {GS_TELEMETRY_UTILIZATION, &gs_telemetry_t::utilization_percent, 10 + gpu, false},
            {GS_TELEMETRY_MEMORY_UTILIZATION, &gs_telemetry_t::memory_utilization_percent, 20 + gpu, false},
            {GS_TELEMETRY_TEMPERATURE, &gs_telemetry_t::temperature_celsius, 40 + gpu, false},
            {GS_TELEMETRY_POWER, &gs_telemetry_t::power_milliwatts, 70000 + gpu, false},
            {GS_TELEMETRY_SM_CLOCK, &gs_telemetry_t::sm_clock_mhz, 1500 + gpu, true},
        };
        for (const Measure &measure : measures) {
            Telemetry read;
            const gs_status_t status = gs_device_get_telemetry(number, measure.field, &read);
            if (instance >= 0 && !measure.of_instances) {
                require(status != GS_OK && read.known == 0, "an instance reported the GPU's number");
                continue;
            }
            told("gs_device_get_telemetry", status, read.*measure.value == 0, read.*measure.value == measure.right);
        }
        Telemetry read;
        const gs_status_t status = gs_device_get_telemetry(number, GS_TELEMETRY_MEMORY, &read);
        const auto kib = static_cast<uint64_t>(gpu + 1);
        told("gs_device_get_telemetry", status, read.memory_total_bytes == 0,
             read.memory_total_bytes == (instance < 0 ? 16u << 20 : 2u << 20) &&
                 (read.memory_used_bytes == kib << 10 || read.memory_used_bytes == (kib + 1) << 10)); // old form
        int32_t index = 77;
        gs_inventory_entry_t found{};
        found.struct_size = sizeof found;
        if (const gs_status_t asked = gs_inventory_index(number, &index); asked != GS_OK)
            return told("gs_inventory_index", asked, index == 0, false);
        if (gs_inventory_get(index, &found) == GS_OK && found.uuid[0] != '\0')
            require(found.uuid == uuid(gpu, instance), "gs_inventory_index found another device");
    }

    static std::string uuid(int gpu, int instance) { return instance < 0 ? gpu_uuid(gpu) : mig_uuid(gpu, instance); }

    // Each field is correct or empty.
    void entry(int32_t i) {
        gs_inventory_entry_t found{};
        found.struct_size = sizeof found;
        found.nvml_index = 77;
        const gs_status_t status = gs_inventory_get(i, &found);
        if (status != GS_OK) {
            // Fewer instances were read this time than when they were counted.
            told("gs_inventory_get", status, found.nvml_index == 77, false);
            return;
        }
        require(found.status == GS_OK || (found.status == GS_ERROR_DRIVER && found.native_code != 0),
                "gs_inventory_get's status");
        require(!strict_ || found.status == GS_OK, "gs_inventory_get's status has no reason");
        require((found.is_mig == 0) == (i < gpus_), "gs_inventory_get's order");
        if (!found.is_mig) require(found.nvml_index == i, "gs_inventory_get's GPU");
        const int gpu = gpus_ - 1 - found.nvml_index; // FAKE_NVML_ORDER reverses them
        if (found.uuid[0] != '\0') require(found.uuid == uuid(gpu, found.mig_index), "gs_inventory_get's uuid");
        if (found.has_pci) require(found.pci_bus == 0x10 + gpu, "gs_inventory_get's address");
        if (found.total_memory_bytes != 0)
            require(found.total_memory_bytes == (found.is_mig ? 2u << 20 : 16u << 20), "gs_inventory_get's memory");
        for (size_t ordinal = 0; found.ordinal >= 0 && ordinal < devices_.size(); ++ordinal)
            require((found.ordinal == static_cast<int32_t>(ordinal)) ==
                        (devices_[ordinal].gpu == gpu && devices_[ordinal].instance == found.mig_index),
                    "gs_inventory_get's ordinal");
    }

    std::vector<Truth> devices_;
    int gpus_;
    bool strict_; // nothing fails
    bool good_ = true;
};

} // namespace gs::test
