// SPDX-License-Identifier: Apache-2.0
//! The header's structs. One list, from which the header check is made as well.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $ty:ty,)* })*) => { $(
        $(#[$doc])*
        ///
        /// The fields are described in `gpustream.h`.
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: $ty,)* }

        impl Default for $name {
            /// All zero, but for `struct_size`, if there is one, which is the struct's size.
            fn default() -> Self {
                // SAFETY: every field is an integer, an array of integers or a raw pointer.
                let mut zeroed: Self = unsafe { std::mem::zeroed() };
                zeroed.set_size();
                zeroed
            }
        }
    )* };
}

/// Structs that say their own size get it, others nothing.
trait SetSize {
    fn set_size(&mut self) {}
}

macro_rules! sized {
    ($($name:ident)*) => { $(
        impl SetSize for $name {
            fn set_size(&mut self) {
                self.struct_size = size_of::<Self>() as u32;
            }
        }
    )* };
}

/// Calls a macro with the list of structs: `name { field: type, ... }`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_struct {
    ($then:path) => {
        $then! {
            /// Detail of the calling thread's last failure.
            gs_error_info_t {
                struct_size: u32,
                status: i32,
                reason: i32,
                backend: i32,
                native_code: i32,
                sticky: i32,
                function: [c_char; 64],
                native_function: [c_char; 64],
                message: [c_char; 512],
                origin: [c_char; 256],
            }
            /// Counts since start or `gs_reset_stats`.
            gs_stats_t {
                struct_size: u32,
                reserved: u32,
                driver_calls: u64,
                records: u64,
                waits: u64,
                queries: u64,
                synchronizes: u64,
                elided_waits: u64,
                elided_queries: u64,
                elided_synchronizes: u64,
                events_created: u64,
                event_pool_hits: u64,
                event_pool_misses: u64,
                streams_created: u64,
                stream_pool_hits: u64,
                stream_pool_misses: u64,
                notifications: u64,
                reclaim_rounds: u64,
            }
            /// Properties of a device; 0 where unknown.
            gs_device_info_t {
                struct_size: u32,
                ordinal: i32,
                backend: i32,
                capability_major: i32,
                capability_minor: i32,
                multiprocessor_count: i32,
                warp_size: i32,
                max_threads_per_block: i32,
                max_threads_per_multiprocessor: i32,
                regs_per_multiprocessor: i32,
                clock_khz: i32,
                memory_clock_khz: i32,
                memory_bus_width_bits: i32,
                compute_mode: i32,
                integrated: i32,
                ecc_enabled: i32,
                is_mig: i32,
                has_uuid: i32,
                has_pci: i32,
                pci_domain: i32,
                pci_bus: i32,
                pci_device: i32,
                priority_least: i32,
                priority_greatest: i32,
                total_memory_bytes: u64,
                l2_cache_bytes: u64,
                shared_memory_per_block_bytes: u64,
                shared_memory_per_block_optin_bytes: u64,
                shared_memory_per_multiprocessor_bytes: u64,
                uuid: [u8; 16],
                name: [c_char; 256],
            }
            /// One GPU or MIG instance of the machine.
            gs_inventory_entry_t {
                struct_size: u32,
                status: i32,
                native_code: i32,
                nvml_index: i32,
                ordinal: i32,
                is_mig: i32,
                mig_index: i32,
                mig_enabled: i32,
                capability_major: i32,
                capability_minor: i32,
                has_pci: i32,
                pci_domain: i32,
                pci_bus: i32,
                pci_device: i32,
                total_memory_bytes: u64,
                uuid: [c_char; 96],
                name: [c_char; 96],
            }
            /// A stream as plain numbers.
            gs_stream_triple_t {
                id: i64,
                device_index: i32,
                device_type: i32,
            }
            /// An exported event.
            gs_ipc_handle_t {
                data: [u8; 64],
            }
            /// Geometry of a kernel launch.
            gs_launch_config_t {
                struct_size: u32,
                grid_x: u32,
                grid_y: u32,
                grid_z: u32,
                block_x: u32,
                block_y: u32,
                block_z: u32,
                shared_memory_bytes: u32,
            }
            /// What a host kernel sees.
            gs_kernel_context_t {
                struct_size: u32,
                block_x: u32,
                block_y: u32,
                block_z: u32,
                grid_dim_x: u32,
                grid_dim_y: u32,
                grid_dim_z: u32,
                block_dim_x: u32,
                block_dim_y: u32,
                block_dim_z: u32,
                shared_memory_bytes: u32,
                reserved: u32,
                shared_memory: *mut c_void,
            }
        }
    };
}

for_each_struct!(define);
sized! { gs_error_info_t gs_stats_t gs_device_info_t gs_inventory_entry_t gs_launch_config_t gs_kernel_context_t }
impl SetSize for gs_stream_triple_t {}
impl SetSize for gs_ipc_handle_t {}
