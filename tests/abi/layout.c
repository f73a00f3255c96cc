/* SPDX-License-Identifier: Apache-2.0 */
/* The binary layout of the public interface, number by number. Compiling this file is the test: a line that fails here
   means that programs built against an earlier header would break. Lines are added, never changed. */
#include <gpustream.h>

#include <stddef.h>

#define SIZE(type, bytes, alignment)                                                                                   \
    _Static_assert(sizeof(type) == (bytes), #type " has another size");                                                \
    _Static_assert(_Alignof(type) == (alignment), #type " has another alignment")
#define FIELD(type, name, offset, bytes)                                                                               \
    _Static_assert(offsetof(type, name) == (offset), #type "." #name " has moved");                                    \
    _Static_assert(sizeof(((type *)0)->name) == (bytes), #type "." #name " has another size")
#define NUMBER(name, value) _Static_assert((name) == (value), #name " has another value")
#define SAME(left, right, text) _Static_assert(_Generic((left)0, right: 1, default: 0), text)

/* Scalars. */
SAME(gs_status_t, int32_t, "gs_status_t is int32_t");
SAME(gs_backend_t, int32_t, "gs_backend_t is int32_t");
SAME(gs_device_t, int32_t, "gs_device_t is int32_t");
SIZE(gs_stream_t, 8, 8);
SIZE(gs_event_t, 8, 8);
SIZE(gs_module_t, 8, 8);
SIZE(gs_kernel_t, 8, 8);

SIZE(gs_error_info_t, 920, 4);
FIELD(gs_error_info_t, struct_size, 0, 4);
FIELD(gs_error_info_t, status, 4, 4);
FIELD(gs_error_info_t, reason, 8, 4);
FIELD(gs_error_info_t, backend, 12, 4);
FIELD(gs_error_info_t, native_code, 16, 4);
FIELD(gs_error_info_t, sticky, 20, 4);
FIELD(gs_error_info_t, function, 24, 64);
FIELD(gs_error_info_t, native_function, 88, 64);
FIELD(gs_error_info_t, message, 152, 512);
FIELD(gs_error_info_t, origin, 664, 256);

SIZE(gs_stats_t, 136, 8);
FIELD(gs_stats_t, struct_size, 0, 4);
FIELD(gs_stats_t, reserved, 4, 4);
FIELD(gs_stats_t, driver_calls, 8, 8);
FIELD(gs_stats_t, records, 16, 8);
FIELD(gs_stats_t, waits, 24, 8);
FIELD(gs_stats_t, queries, 32, 8);
FIELD(gs_stats_t, synchronizes, 40, 8);
FIELD(gs_stats_t, elided_waits, 48, 8);
FIELD(gs_stats_t, elided_queries, 56, 8);
FIELD(gs_stats_t, elided_synchronizes, 64, 8);
FIELD(gs_stats_t, events_created, 72, 8);
FIELD(gs_stats_t, event_pool_hits, 80, 8);
FIELD(gs_stats_t, event_pool_misses, 88, 8);
FIELD(gs_stats_t, streams_created, 96, 8);
FIELD(gs_stats_t, stream_pool_hits, 104, 8);
FIELD(gs_stats_t, stream_pool_misses, 112, 8);
FIELD(gs_stats_t, notifications, 120, 8);
FIELD(gs_stats_t, reclaim_rounds, 128, 8);

SIZE(gs_device_info_t, 408, 8);
FIELD(gs_device_info_t, struct_size, 0, 4);
FIELD(gs_device_info_t, ordinal, 4, 4);
FIELD(gs_device_info_t, backend, 8, 4);
FIELD(gs_device_info_t, capability_major, 12, 4);
FIELD(gs_device_info_t, capability_minor, 16, 4);
FIELD(gs_device_info_t, multiprocessor_count, 20, 4);
FIELD(gs_device_info_t, warp_size, 24, 4);
FIELD(gs_device_info_t, max_threads_per_block, 28, 4);
FIELD(gs_device_info_t, max_threads_per_multiprocessor, 32, 4);
FIELD(gs_device_info_t, regs_per_multiprocessor, 36, 4);
FIELD(gs_device_info_t, clock_khz, 40, 4);
FIELD(gs_device_info_t, memory_clock_khz, 44, 4);
FIELD(gs_device_info_t, memory_bus_width_bits, 48, 4);
FIELD(gs_device_info_t, compute_mode, 52, 4);
FIELD(gs_device_info_t, integrated, 56, 4);
FIELD(gs_device_info_t, ecc_enabled, 60, 4);
FIELD(gs_device_info_t, is_mig, 64, 4);
FIELD(gs_device_info_t, has_uuid, 68, 4);
FIELD(gs_device_info_t, has_pci, 72, 4);
FIELD(gs_device_info_t, pci_domain, 76, 4);
FIELD(gs_device_info_t, pci_bus, 80, 4);
FIELD(gs_device_info_t, pci_device, 84, 4);
FIELD(gs_device_info_t, priority_least, 88, 4);
FIELD(gs_device_info_t, priority_greatest, 92, 4);
FIELD(gs_device_info_t, total_memory_bytes, 96, 8);
FIELD(gs_device_info_t, l2_cache_bytes, 104, 8);
FIELD(gs_device_info_t, shared_memory_per_block_bytes, 112, 8);
FIELD(gs_device_info_t, shared_memory_per_block_optin_bytes, 120, 8);
FIELD(gs_device_info_t, shared_memory_per_multiprocessor_bytes, 128, 8);
FIELD(gs_device_info_t, uuid, 136, 16);
FIELD(gs_device_info_t, name, 152, 256);

SIZE(gs_inventory_entry_t, 256, 8);
FIELD(gs_inventory_entry_t, struct_size, 0, 4);
FIELD(gs_inventory_entry_t, status, 4, 4);
FIELD(gs_inventory_entry_t, native_code, 8, 4);
FIELD(gs_inventory_entry_t, nvml_index, 12, 4);
FIELD(gs_inventory_entry_t, ordinal, 16, 4);
FIELD(gs_inventory_entry_t, is_mig, 20, 4);
FIELD(gs_inventory_entry_t, mig_index, 24, 4);
FIELD(gs_inventory_entry_t, mig_enabled, 28, 4);
FIELD(gs_inventory_entry_t, capability_major, 32, 4);
FIELD(gs_inventory_entry_t, capability_minor, 36, 4);
FIELD(gs_inventory_entry_t, has_pci, 40, 4);
FIELD(gs_inventory_entry_t, pci_domain, 44, 4);
FIELD(gs_inventory_entry_t, pci_bus, 48, 4);
FIELD(gs_inventory_entry_t, pci_device, 52, 4);
FIELD(gs_inventory_entry_t, total_memory_bytes, 56, 8);
FIELD(gs_inventory_entry_t, uuid, 64, 96);
FIELD(gs_inventory_entry_t, name, 160, 96);

SIZE(gs_stream_triple_t, 16, 8);
FIELD(gs_stream_triple_t, id, 0, 8);
FIELD(gs_stream_triple_t, device_index, 8, 4);
FIELD(gs_stream_triple_t, device_type, 12, 4);

SIZE(gs_ipc_handle_t, 64, 1);
FIELD(gs_ipc_handle_t, data, 0, 64);

SIZE(gs_launch_config_t, 32, 4);
FIELD(gs_launch_config_t, struct_size, 0, 4);
FIELD(gs_launch_config_t, grid_x, 4, 4);
FIELD(gs_launch_config_t, grid_y, 8, 4);
FIELD(gs_launch_config_t, grid_z, 12, 4);
FIELD(gs_launch_config_t, block_x, 16, 4);
FIELD(gs_launch_config_t, block_y, 20, 4);
FIELD(gs_launch_config_t, block_z, 24, 4);
FIELD(gs_launch_config_t, shared_memory_bytes, 28, 4);

SIZE(gs_kernel_context_t, 56, 8);
FIELD(gs_kernel_context_t, struct_size, 0, 4);
FIELD(gs_kernel_context_t, block_x, 4, 4);
FIELD(gs_kernel_context_t, block_y, 8, 4);
FIELD(gs_kernel_context_t, block_z, 12, 4);
FIELD(gs_kernel_context_t, grid_dim_x, 16, 4);
FIELD(gs_kernel_context_t, grid_dim_y, 20, 4);
FIELD(gs_kernel_context_t, grid_dim_z, 24, 4);
FIELD(gs_kernel_context_t, block_dim_x, 28, 4);
FIELD(gs_kernel_context_t, block_dim_y, 32, 4);
FIELD(gs_kernel_context_t, block_dim_z, 36, 4);
FIELD(gs_kernel_context_t, shared_memory_bytes, 40, 4);
FIELD(gs_kernel_context_t, reserved, 44, 4);
FIELD(gs_kernel_context_t, shared_memory, 48, 8);

/* Constants. */
NUMBER(GS_ABI_VERSION, 1);
NUMBER(GS_OK, 0);
NUMBER(GS_NOT_READY, 1);
NUMBER(GS_ERROR_INVALID_ARGUMENT, 10);
NUMBER(GS_ERROR_INVALID_HANDLE, 11);
NUMBER(GS_ERROR_INVALID_DEVICE, 12);
NUMBER(GS_ERROR_DEVICE_MISMATCH, 13);
NUMBER(GS_ERROR_SCOPE, 14);
NUMBER(GS_ERROR_NOT_RECORDED, 20);
NUMBER(GS_ERROR_TIMING_DISABLED, 21);
NUMBER(GS_ERROR_NOT_PERMITTED, 22);
NUMBER(GS_ERROR_CAPTURING, 23);
NUMBER(GS_ERROR_TIMEOUT, 24);
NUMBER(GS_ERROR_UNAVAILABLE, 30);
NUMBER(GS_ERROR_BAD_FORK, 31);
NUMBER(GS_ERROR_CONTEXT_LOST, 32);
NUMBER(GS_ERROR_NOT_SUPPORTED, 33);
NUMBER(GS_ERROR_SHUTDOWN, 34);
NUMBER(GS_ERROR_PEER_LOST, 35);
NUMBER(GS_ERROR_OUT_OF_MEMORY, 40);
NUMBER(GS_ERROR_SYSTEM, 41);
NUMBER(GS_ERROR_DRIVER, 50);
NUMBER(GS_ERROR_STICKY, 51);
NUMBER(GS_ERROR_SYNC_FORBIDDEN, 60);
NUMBER(GS_ERROR_INTERNAL, 99);
NUMBER(GS_REASON_NONE, 0);
NUMBER(GS_REASON_NO_LIBRARY, 1);
NUMBER(GS_REASON_STUB, 2);
NUMBER(GS_REASON_TOO_OLD, 3);
NUMBER(GS_REASON_NO_SYMBOL, 4);
NUMBER(GS_REASON_NO_DEVICE, 5);
NUMBER(GS_BACKEND_DEFAULT, 0);
NUMBER(GS_BACKEND_HOST, 1);
NUMBER(GS_BACKEND_CUDA, 2);
NUMBER(GS_BACKEND_HIP, 3);
NUMBER(GS_STREAM_BLOCKING, 1);
NUMBER(GS_STREAM_SHARED, 2);
NUMBER(GS_STREAM_DEDICATED, 4);
NUMBER(GS_EVENT_TIMING, 1);
NUMBER(GS_EVENT_BLOCKING, 2);
NUMBER(GS_EVENT_INTERPROCESS, 4);
NUMBER(GS_EVENT_EXTERNAL, 8);
NUMBER(GS_SYNC_DEBUG_DEFAULT, 0);
NUMBER(GS_SYNC_DEBUG_WARN, 1);
NUMBER(GS_SYNC_DEBUG_ERROR, 2);
NUMBER(GS_SYNC_SCOPE_TORCH, 0);
NUMBER(GS_SYNC_SCOPE_ALL, 1);
NUMBER(GS_LOG_ERROR, 1);
NUMBER(GS_LOG_WARNING, 2);
NUMBER(GS_LOG_INFO, 3);
NUMBER(GS_FORK_CLEAN, 0);
NUMBER(GS_FORK_CHILD_OF_INITIALIZED, 1);
NUMBER(GS_DEVICE_CURRENT, -1);
NUMBER(GS_DEVICE_NONE, -2);
NUMBER(GS_DEVICE(GS_BACKEND_HOST, 0), 0x10000);
NUMBER(GS_DEVICE(GS_BACKEND_CUDA, 3), 0x20003);
/* Not a constant expression of the language, but every compiler that builds the library folds it. */
__extension__ _Static_assert((uintptr_t)GS_STREAM_CURRENT == 0x7000000000000001u,
                             "GS_STREAM_CURRENT has another value");
