// SPDX-License-Identifier: Apache-2.0
// The dispatcher: the thread on which release functions of the application run that were given to gs_graph_keep(). They may
// take any lock (an interpreter's, say), and hold up each other, but neither a stream nor a thread of the driver.
#pragma once

#include "base/status.hpp"

namespace gs {

struct Call {
    void (*run)(Call &call) noexcept = nullptr; // takes the call over
    Call *next = nullptr;
};

// Starts its thread if it does not run yet.
Status start_dispatcher() noexcept;
// The dispatcher runs. Calls run in the order in which they come.
void dispatch(Call &call) noexcept;

} // namespace gs
