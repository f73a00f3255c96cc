// SPDX-License-Identifier: Apache-2.0
// Variables of the core that code in headers reads. The tools (src/tools) are another library, which is compiled with the same
// headers. There each of these names stands for what a pointer of the core's table points at (core/seam/core_services.inc).
#pragma once

#if defined(GPUSTREAM_TOOLS_LIBRARY)
#define GS_CORE_DATA(type, name) extern type *name##_in_core __attribute__((visibility("hidden")))
#define g_rare_state (*g_rare_state_in_core)
#define g_heap_listener (*g_heap_listener_in_core)
#define g_light_marks (*g_light_marks_in_core)
#define g_event_slots (*g_event_slots_in_core)
#define g_stream_slots (*g_stream_slots_in_core)
#define g_graph_slots (*g_graph_slots_in_core)
#define g_exec_slots (*g_exec_slots_in_core)
#define g_timelines (*g_timelines_in_core)
#define g_memories (*g_memories_in_core)
#define g_default_devices (*g_default_devices_in_core)
#define g_default_device_count (*g_default_device_count_in_core)
#define g_unset_device (*g_unset_device_in_core)
#define g_live_captures (*g_live_captures_in_core)
#define g_capture_guard (*g_capture_guard_in_core)
#else
#define GS_CORE_DATA(type, name) extern type name __attribute__((visibility("hidden")))
#endif
