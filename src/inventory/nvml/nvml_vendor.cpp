// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml_vendor.hpp"

#include "inventory/nvml/nvml_entries.hpp"
#include "inventory/nvml/nvml_measure.hpp"

namespace gs::inventory {
namespace {

class NvmlVendor final : public Vendor {
public:
    gs_backend_t backend() const noexcept override { return GS_BACKEND_CUDA; }

    Status read(Inventory *out) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        return read_inventory(nvml, out);
    }

    Status read_entry(int32_t index, Inventory *out, gs_inventory_entry_t *out_entry) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        GS_TRY(read_inventory(nvml, out));
        if (index < 0 || static_cast<size_t>(index) >= out->entries.size())
            return fail(GS_ERROR_INVALID_ARGUMENT, "entry %d does not exist: the inventory has %zu", index,
                        out->entries.size());
        describe_entry(nvml, out->entries[static_cast<size_t>(index)], out_entry);
        return kOk;
    }

    Status measure(const Identity &identity, uint32_t fields, gs_telemetry_t *out) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        return measure_gpu(nvml, identity, fields, out);
    }
};

constinit NvmlVendor g_vendor;

} // namespace

Vendor &nvml_vendor() noexcept { return g_vendor; }

} // namespace gs::inventory
