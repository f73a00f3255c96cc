// SPDX-License-Identifier: Apache-2.0
//! What a device is doing just now, asked of NVIDIA's management library, or of the system on the host backend.
//!
//! None of these starts anything, except for [`Device::CURRENT`]. [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED):
//! the device does not measure it, or which GPU it is cannot be known yet.

use super::Device;
use crate::call::{api, check, get};
use crate::error::Result;

/// Memory of a device at one moment, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryUse {
    /// In use, by all processes.
    pub used: u64,
    /// Not in use.
    pub free: u64,
    /// All of it, with what the driver keeps for itself.
    pub total: u64,
}

impl Device {
    /// Share of the last sample period in which a kernel ran, 0 to 100 %.
    pub fn utilization_percent(self) -> Result<i32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_device_utilization_percent(self.as_raw(), out) })
    }

    /// Share of the last sample period in which device memory was read or written, 0 to 100 %.
    pub fn memory_utilization_percent(self) -> Result<i32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_device_memory_utilization_percent(self.as_raw(), out) })
    }

    /// Temperature of the core, degrees Celsius.
    pub fn temperature_celsius(self) -> Result<i32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_device_temperature_celsius(self.as_raw(), out) })
    }

    /// Power drawn, mW.
    pub fn power_milliwatts(self) -> Result<i32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_device_power_milliwatts(self.as_raw(), out) })
    }

    /// Present clock of the multiprocessors, MHz.
    pub fn sm_clock_mhz(self) -> Result<i32> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_device_sm_clock_mhz(self.as_raw(), out) })
    }

    /// Memory in use by all processes. Creates no context.
    pub fn memory_bytes(self) -> Result<MemoryUse> {
        let (mut used, mut free, mut total) = (0, 0, 0);
        let (used_out, free_out, total_out) = (&raw mut used, &raw mut free, &raw mut total);
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_device_memory_bytes(self.as_raw(), used_out, free_out, total_out) })?;
        Ok(MemoryUse { used, free, total })
    }
}
