// SPDX-License-Identifier: Apache-2.0
//! Properties of devices.

use gpustream_sys::gs_device_info_t;

use super::Device;
use crate::backend::Backend;
use crate::call::{api, check, fill, read, truth};
use crate::error::Result;
use crate::text::array_text;

/// The address of a device on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct PciAddress {
    pub domain: i32,
    pub bus: i32,
    pub device: i32,
}

/// Stream priorities of a device: a lower number is a higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityRange {
    /// The number of the lowest priority: the largest number.
    pub least: i32,
    /// The number of the highest priority: the smallest number.
    pub greatest: i32,
}

/// Properties of a device. Those that the backend or driver does not report are 0 or `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The driver's name for it.
    pub name: String,
    /// Its backend; `None` if this crate does not know it.
    pub backend: Option<Backend>,
    /// Ordinal within the backend.
    pub ordinal: i32,
    /// UUID, 16 bytes in the order of the usual text form; the instance's for MIG.
    pub uuid: Option<[u8; 16]>,
    /// Address on the PCI bus.
    pub pci: Option<PciAddress>,
    /// Compute capability, major and minor; (0, 0) on host.
    pub capability: (i32, i32),
    /// Multiprocessors; on host, the processors that the process may use.
    pub multiprocessor_count: i32,
    /// Threads that run in lockstep; 1 on host.
    pub warp_size: i32,
    /// Maximum number of threads per block.
    pub max_threads_per_block: i32,
    /// Maximum number of resident threads per multiprocessor.
    pub max_threads_per_multiprocessor: i32,
    /// 32-bit registers per multiprocessor.
    pub regs_per_multiprocessor: i32,
    /// Peak clock of the multiprocessors, kHz.
    pub clock_khz: i32,
    /// Peak clock of the memory, kHz.
    pub memory_clock_khz: i32,
    /// Width of the memory bus, bits.
    pub memory_bus_width_bits: i32,
    /// CUDA's number of the compute mode: 0 shared, 2 prohibited, 3 exclusive to one process.
    pub compute_mode: i32,
    /// Whether it shares the host's memory.
    pub integrated: bool,
    /// Whether error correction is on.
    pub ecc_enabled: bool,
    /// Whether it is a MIG instance.
    pub is_mig: bool,
    /// Stream priorities; both 0 on CUDA while the device has no context.
    pub priorities: PriorityRange,
    /// Device memory, bytes.
    pub total_memory_bytes: u64,
    /// Second-level cache, bytes.
    pub l2_cache_bytes: u64,
    /// Maximum shared memory per block, bytes.
    pub shared_memory_per_block_bytes: u64,
    /// Maximum shared memory per block of a kernel that opts in to more, bytes.
    pub shared_memory_per_block_optin_bytes: u64,
    /// Shared memory per multiprocessor, bytes.
    pub shared_memory_per_multiprocessor_bytes: u64,
}

impl Device {
    /// Properties of the device. Neither creates a context nor blocks.
    pub fn info(self) -> Result<DeviceInfo> {
        let raw = fill!(gs_device_get_info(self.as_raw()))?;
        Ok(DeviceInfo::from_raw(&raw))
    }

    /// Whether kernels on this device can access the memory of `peer` directly; false for a device and itself and for
    /// devices of different backends. Enables nothing. Neither creates a context nor blocks.
    pub fn can_access_peer(self, peer: Self) -> Result<bool> {
        read!(gs_device_can_access_peer(self.as_raw(), peer.as_raw())).map(truth)
    }

    /// The range of stream priorities; both 0 if the device has none. Creates the device's primary context on CUDA if
    /// there is none. Does not block.
    pub fn priority_range(self) -> Result<PriorityRange> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_device_priority_range(self.as_raw(), &raw mut least, &raw mut greatest) })?;
        Ok(PriorityRange { least, greatest })
    }
}

impl DeviceInfo {
    fn from_raw(raw: &gs_device_info_t) -> Self {
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
