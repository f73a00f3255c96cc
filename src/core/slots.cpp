// SPDX-License-Identifier: Apache-2.0
#include "core/slots.hpp"

namespace gs {

constinit SlotMap<EventSlot> g_event_slots{Kind::Event};
constinit SlotMap<StreamSlot> g_stream_slots{Kind::Stream};
constinit SlotMap<ModuleSlot> g_module_slots{Kind::Module};
constinit SlotMap<KernelSlot> g_kernel_slots{Kind::Kernel};

} // namespace gs
