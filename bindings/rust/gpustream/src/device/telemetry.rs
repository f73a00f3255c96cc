// SPDX-License-Identifier: Apache-2.0
//! Load, temperature, power, clock and memory of a device, from NVIDIA's management library (NVML), or from the system
//! on the host backend.

use gpustream_sys as sys;

use super::Device;
use crate::call::fill;
use crate::error::Result;

/// Memory of a device at one moment, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryUse {
    /// In use, by all processes.
    pub used: u64,
    /// Not in use.
    pub free: u64,
    /// Everything, including what the driver reserves for itself.
    pub total: u64,
}

/// None of these functions starts a backend, except for [`Device::CURRENT`]. NVML may take milliseconds to answer.
impl Device {
    /// Share of the last sample period in which a kernel was running, percent (0 to 100). On host, the load of the
    /// machine over the last minute per processor.
    pub fn utilization_percent(self) -> Result<i32> {
        Ok(self.telemetry(sys::GS_TELEMETRY_UTILIZATION)?.utilization_percent)
    }

    /// Share of the last sample period in which device memory was read or written, percent (0 to 100).
    pub fn memory_utilization_percent(self) -> Result<i32> {
        Ok(self.telemetry(sys::GS_TELEMETRY_MEMORY_UTILIZATION)?.memory_utilization_percent)
    }

    /// Temperature of the core, degrees Celsius.
    pub fn temperature_celsius(self) -> Result<i32> {
        Ok(self.telemetry(sys::GS_TELEMETRY_TEMPERATURE)?.temperature_celsius)
    }

    /// Power draw, milliwatts.
    pub fn power_milliwatts(self) -> Result<i32> {
        Ok(self.telemetry(sys::GS_TELEMETRY_POWER)?.power_milliwatts)
    }

    /// Clock of the multiprocessors at the moment, MHz.
    pub fn sm_clock_mhz(self) -> Result<i32> {
        Ok(self.telemetry(sys::GS_TELEMETRY_SM_CLOCK)?.sm_clock_mhz)
    }

    /// Memory in use by all processes, bytes. Creates no context.
    pub fn memory_bytes(self) -> Result<MemoryUse> {
        let found = self.telemetry(sys::GS_TELEMETRY_MEMORY)?;
        Ok(MemoryUse { used: found.memory_used_bytes, free: found.memory_free_bytes, total: found.memory_total_bytes })
    }

    fn telemetry(self, field: u32) -> Result<sys::gs_telemetry_t> {
        fill!(gs_device_get_telemetry(self.as_raw(), field))
    }
}
