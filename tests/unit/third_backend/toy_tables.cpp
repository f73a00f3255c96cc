// SPDX-License-Identifier: Apache-2.0
// The rows that this test's build has instead of those in src/backend/backends.cpp and src/inventory/vendors.cpp: the
// linker takes these, as the library is an archive here. A vendor that cannot be used stands first.
#include "backend/host/host_backend.hpp"
#include "backend/registry.hpp"
#include "inventory/entries.hpp"
#include "inventory/nvml/nvml_vendor.hpp"
#include "toy_backend.hpp"

namespace gs {

std::span<const BackendRow, kBackendKinds> backend_rows() noexcept {
    static constexpr BackendRow rows[kBackendKinds] = {
        {GS_BACKEND_HOST, "host", BackendRole::Fallback, host_backend, 1},
        {GS_BACKEND_CUDA, "cuda", BackendRole::Accelerator, nullptr, 2, "/dev/null"},
        {GS_BACKEND_HIP, "toy", BackendRole::Accelerator, toy_backend, 10, "/dev/null", toy_no_device},
    };
    return rows;
}

namespace inventory {

std::span<Vendor *const> vendors() noexcept {
    static Vendor *const all[] = {&nvml_vendor(), &toy_vendor()};
    return all;
}

} // namespace inventory
} // namespace gs
