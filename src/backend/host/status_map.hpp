// SPDX-License-Identifier: Apache-2.0
// Turns the engine's results into statuses with a text.
#pragma once

#include "backend/host/engine/engine.hpp"
#include "base/status.hpp"

namespace gs::host {

// Static English text, or nullptr for a number that is none.
const char *result_text(int32_t result) noexcept;

Status failure(Engine &engine, Device &device, Result result, const char *operation) noexcept __attribute__((cold));

// operation: the engine's function, shown as the native function.
inline Status to_status(Engine &engine, Device &device, Result result, const char *operation) noexcept {
    return result == Result::Ok ? kOk : failure(engine, device, result, operation);
}

} // namespace gs::host
