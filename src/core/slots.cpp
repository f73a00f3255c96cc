// SPDX-License-Identifier: Apache-2.0
#include "core/slots.hpp"

namespace gs {

// All zero, so that the tables take no room in the library's file.
constinit EventSlots g_event_slots;
constinit StreamSlots g_stream_slots;
constinit ModuleSlots g_module_slots;
constinit KernelSlots g_kernel_slots;

} // namespace gs
