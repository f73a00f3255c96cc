// SPDX-License-Identifier: Apache-2.0
//! Properties of a device.

use gpustream_sys::gs_device_info_t;

use super::{Backend, PriorityRange};
use crate::call::array_text;

/// Where a device sits on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct PciAddress {
    pub domain: i32,
    pub bus: i32,
    pub device: i32,
}

/// Properties of a device. What a backend or driver cannot tell is 0 or `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Name, as the driver has it.
    pub name: String,
    /// `None` if this crate does not know it.
    pub backend: Option<Backend>,
    /// Ordinal within the backend.
    pub ordinal: i32,
    /// Of the instance for MIG; 16 bytes in the order of the usual text form.
    pub uuid: Option<[u8; 16]>,
    /// Where it sits.
    pub pci: Option<PciAddress>,
    /// Compute capability, major and minor; 0.0 on host.
    pub capability: (i32, i32),
    /// Multiprocessors; on host, processors the process may use.
    pub multiprocessor_count: i32,
    /// Threads that run in lockstep; 1 on host.
    pub warp_size: i32,
    /// Most threads of one block.
    pub max_threads_per_block: i32,
    /// Most resident threads of one multiprocessor.
    pub max_threads_per_multiprocessor: i32,
    /// 32-bit registers of one multiprocessor.
    pub regs_per_multiprocessor: i32,
    /// Peak clock of the processors, kHz.
    pub clock_khz: i32,
    /// Peak clock of the memory, kHz.
    pub memory_clock_khz: i32,
    /// Width of the memory bus, bits.
    pub memory_bus_width_bits: i32,
    /// As CUDA numbers it: 0 shared, 2 prohibited, 3 one process only.
    pub compute_mode: i32,
    /// Shares the host's memory.
    pub integrated: bool,
    /// Error correction is on.
    pub ecc_enabled: bool,
    /// Is a MIG instance.
    pub is_mig: bool,
    /// Stream priorities; both 0 on CUDA while the device has no context.
    pub priorities: PriorityRange,
    /// Memory of the device, bytes.
    pub total_memory_bytes: u64,
    /// Second-level cache, bytes.
    pub l2_cache_bytes: u64,
    /// Most shared memory of a block, bytes.
    pub shared_memory_per_block_bytes: u64,
    /// The same for a kernel that asks for more than the default limit, bytes.
    pub shared_memory_per_block_optin_bytes: u64,
    /// Shared memory of a multiprocessor, bytes.
    pub shared_memory_per_multiprocessor_bytes: u64,
}

impl DeviceInfo {
    pub(super) fn from_raw(raw: &gs_device_info_t) -> Self {
        let pci = PciAddress { domain: raw.pci_domain, bus: raw.pci_bus, device: raw.pci_device };
        Self {
            name: array_text(&raw.name),
            backend: Backend::from_number(raw.backend),
            ordinal: raw.ordinal,
            uuid: (raw.has_uuid != 0).then_some(raw.uuid),
            pci: (raw.has_pci != 0).then_some(pci),
            capability: (raw.capability_major, raw.capability_minor),
            multiprocessor_count: raw.multiprocessor_count,
            warp_size: raw.warp_size,
            max_threads_per_block: raw.max_threads_per_block,
            max_threads_per_multiprocessor: raw.max_threads_per_multiprocessor,
            regs_per_multiprocessor: raw.regs_per_multiprocessor,
            clock_khz: raw.clock_khz,
            memory_clock_khz: raw.memory_clock_khz,
            memory_bus_width_bits: raw.memory_bus_width_bits,
            compute_mode: raw.compute_mode,
            integrated: raw.integrated != 0,
            ecc_enabled: raw.ecc_enabled != 0,
            is_mig: raw.is_mig != 0,
            priorities: PriorityRange { least: raw.priority_least, greatest: raw.priority_greatest },
            total_memory_bytes: raw.total_memory_bytes,
            l2_cache_bytes: raw.l2_cache_bytes,
            shared_memory_per_block_bytes: raw.shared_memory_per_block_bytes,
            shared_memory_per_block_optin_bytes: raw.shared_memory_per_block_optin_bytes,
            shared_memory_per_multiprocessor_bytes: raw.shared_memory_per_multiprocessor_bytes,
        }
    }
}
