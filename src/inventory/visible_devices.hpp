// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES as text: which elements it has. Whether such devices exist is not known here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "inventory/entries.hpp"

namespace gs::inventory {

struct VisibleList {
    enum class Kind { Numbers, Gpus, MigInstances };
    Kind kind = Kind::Numbers;
    // Numbers: decimal digits without sign or leading zeros, however many. Else beginnings of UUIDs.
    std::vector<std::string> elements;
    // Where a repeated number made the list empty: the numbers before the repetition.
    std::vector<std::string> before_repetition;
};

// What an unset variable stands for: more numbers than any machine has GPUs.
inline constexpr int kUnsetCount = 64;

// value nullptr: the variable is not set. OUT_OF_MEMORY is the only failure.
Status parse_visible_devices(const char *value, VisibleList *out) noexcept;

// Which numbers of the list the driver takes if this many devices exist: the first *out of the elements returned. The
// driver ends the list at a number of no device, and ignores the elements behind it. The parser has the rules of
// torch.cuda, which look for repetitions first.
const std::vector<std::string> &taken_numbers(const VisibleList &list, size_t devices, size_t *out) noexcept;

// The position among uuids of each candidate. A candidate that no uuid or several begin with ends the list; two for the
// same uuid make it empty.
Status match_uuids(const std::vector<std::string> &candidates, const std::vector<std::string> &uuids,
                   std::vector<size_t> *out) noexcept;

// Which entries of the inventory CUDA will number 0, 1, ... in this process, told from the environment alone.
inline constexpr int32_t kNotKnown = -1;

struct DeviceSettings {
    const char *visible_devices; // CUDA_VISIBLE_DEVICES, nullptr when unset
    const char *device_order;    // CUDA_DEVICE_ORDER
};

// *out has one element per CUDA device: its entry, or kNotKnown where only the driver knows which comes first.
// NOT_SUPPORTED where the variable has names and the inventory does not have the name of every device.
Status visible_entries(const Inventory &inventory, const DeviceSettings &settings, std::vector<int32_t> *out) noexcept;

} // namespace gs::inventory
