// SPDX-License-Identifier: Apache-2.0
#include "core/slots.hpp"

namespace gs {
namespace {

constinit SlotMap<EventSlot> g_events{Kind::Event};
constinit SlotMap<StreamSlot> g_streams{Kind::Stream};
constinit SlotMap<ModuleSlot> g_modules{Kind::Module};
constinit SlotMap<KernelSlot> g_kernels{Kind::Kernel};

} // namespace

SlotMap<EventSlot> &event_slots() noexcept { return g_events; }
SlotMap<StreamSlot> &stream_slots() noexcept { return g_streams; }
SlotMap<ModuleSlot> &module_slots() noexcept { return g_modules; }
SlotMap<KernelSlot> &kernel_slots() noexcept { return g_kernels; }

} // namespace gs
