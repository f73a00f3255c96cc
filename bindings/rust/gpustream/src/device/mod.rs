// SPDX-License-Identifier: Apache-2.0
//! Devices by number, and the calling thread's current one.

mod guard;
mod info;
mod telemetry;

use std::fmt::{self, Debug, Display, Formatter};

use gpustream_sys as sys;

use crate::call::{api, check, get, get_bool};
use crate::error::Result;

pub use guard::DeviceGuard;
pub use info::{DeviceInfo, PciAddress};
pub use telemetry::MemoryUse;

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Backend {
    /// CPU threads with the semantics of CUDA.
    Host = sys::GS_BACKEND_HOST,
    /// NVIDIA GPUs.
    Cuda = sys::GS_BACKEND_CUDA,
    /// AMD GPUs. The number is reserved: this version has no such backend.
    Hip = sys::GS_BACKEND_HIP,
}

impl Backend {
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            sys::GS_BACKEND_HOST => Self::Host,
            sys::GS_BACKEND_CUDA => Self::Cuda,
            sys::GS_BACKEND_HIP => Self::Hip,
            _ => return None,
        })
    }

    /// The backend that plain ordinals ([`Device::new`]) mean: what `GPUSTREAM_BACKEND` says, else CUDA if a device is
    /// usable, else host. Starts nothing. `None` if a later library chose one that this crate does not know.
    pub fn default_backend() -> Result<Option<Self>> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_default_backend(out) }).map(Self::from_number)
    }

    /// Devices of this backend, as [`Device::count`].
    pub fn device_count(self) -> Result<u32> {
        count(self as i32)
    }
}

fn count(backend: i32) -> Result<u32> {
    // SAFETY: the output is a local variable.
    get(|api, out| unsafe { api.gs_device_count(backend, out) }).map(i32::unsigned_abs)
}

/// A device: a number, which need not belong to one that exists.
///
/// Equality is that of the numbers. What the library gives is always a plain ordinal for a device of the default backend,
/// so `Device::new(0)` equals `stream.device()?` there, and `Device::on(...)` does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device(i32);

/// Stream priorities of a device: a lower number is a higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PriorityRange {
    /// Of the lowest priority: the largest number.
    pub least: i32,
    /// Of the highest priority: the smallest number.
    pub greatest: i32,
}

impl Device {
    /// The calling thread's current device, whichever that is when the call is made.
    pub const CURRENT: Self = Self(sys::GS_DEVICE_CURRENT);

    /// Device `ordinal` of the default backend.
    pub const fn new(ordinal: u16) -> Self {
        Self(ordinal as i32)
    }

    /// Device `ordinal` of a backend, whatever the default one is.
    pub const fn on(backend: Backend, ordinal: u16) -> Self {
        Self(sys::GS_DEVICE(backend as i32, ordinal as i32))
    }

    /// A device by the number it has in C.
    pub const fn from_raw(number: i32) -> Self {
        Self(number)
    }

    /// The number it has in C.
    pub const fn as_raw(self) -> i32 {
        self.0
    }

    /// The backend that the number names; `None` for a plain ordinal (see [`Backend::default_backend`]) and for
    /// [`Device::CURRENT`]. Arithmetic only.
    pub fn backend(self) -> Option<Backend> {
        if self.0 < 0 { None } else { Backend::from_number(self.0 >> 16) }
    }

    /// The ordinal within the backend; `None` for [`Device::CURRENT`]. Arithmetic only.
    pub fn ordinal(self) -> Option<u16> {
        if self.0 < 0 { None } else { Some((self.0 & 0xffff) as u16) }
    }

    /// Devices of the default backend. Starts nothing and is safe before fork; trouble with the driver counts as 0.
    pub fn count() -> Result<u32> {
        count(sys::GS_BACKEND_DEFAULT)
    }

    /// The calling thread's current device.
    pub fn current() -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_current_device(out) }).map(Self)
    }

    /// Makes it the calling thread's current device; creates no context. [`DeviceGuard`] goes back by itself.
    pub fn set_current(self) -> Result<()> {
        // SAFETY: takes a number.
        check(unsafe { api()?.gs_set_current_device(self.0) })
    }

    /// Makes it current and gives the device that was.
    pub fn exchange(self) -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_exchange_device(self.0, out) }).map(Self)
    }

    /// Makes it current at the end of a scope, and gives the device that was. As [`exchange`](Self::exchange), but a
    /// device that cannot be used any more becomes current all the same: its next use says so.
    pub fn maybe_exchange(self) -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_maybe_exchange_device(self.0, out) }).map(Self)
    }

    /// Waits until all work submitted to the device before the call is done.
    pub fn synchronize(self) -> Result<()> {
        // SAFETY: takes a number.
        check(unsafe { api()?.gs_device_synchronize(self.0) })
    }

    /// Looks whether the device's context is alive and free of sticky errors, and remembers what it finds.
    pub fn check(self) -> Result<()> {
        // SAFETY: takes a number.
        check(unsafe { api()?.gs_device_check(self.0) })
    }

    /// Properties; creates no context.
    pub fn info(self) -> Result<DeviceInfo> {
        let mut raw = sys::gs_device_info_t::default();
        // SAFETY: the struct is a local variable that says its size.
        check(unsafe { api()?.gs_device_get_info(self.0, &raw mut raw) })?;
        Ok(DeviceInfo::from_raw(&raw))
    }

    /// Whether kernels on this device can access the other one's memory directly. Enables nothing.
    pub fn can_access_peer(self, peer: Self) -> Result<bool> {
        // SAFETY: the output is a local variable.
        get_bool(|api, out| unsafe { api.gs_device_can_access_peer(self.0, peer.0, out) })
    }

    /// Stream priorities; both 0 if the device has none. On CUDA creates the device's primary context if there is none.
    pub fn priority_range(self) -> Result<PriorityRange> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_device_priority_range(self.0, &raw mut least, &raw mut greatest) })?;
        Ok(PriorityRange { least, greatest })
    }
}

impl Display for Device {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match (self.backend(), self.ordinal()) {
            (_, None) if *self == Self::CURRENT => out.write_str("current"),
            (_, None) => write!(out, "none ({})", self.0),
            (None, Some(ordinal)) => write!(out, "{ordinal}"),
            (Some(backend), Some(ordinal)) => write!(out, "{backend:?}:{ordinal}"),
        }
    }
}

impl Debug for Device {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "Device({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(Device::on(Backend::Host, 1).as_raw(), 65537);
        assert_eq!(Device::on(Backend::Cuda, 3).backend(), Some(Backend::Cuda));
        assert_eq!(Device::on(Backend::Cuda, u16::MAX).ordinal(), Some(u16::MAX));
        assert_eq!((Device::new(4).backend(), Device::new(4).ordinal()), (None, Some(4)));
        assert_eq!((Device::CURRENT.backend(), Device::CURRENT.ordinal()), (None, None));
    }

    #[test]
    fn texts() {
        let text = |device: Device| format!("{device} {device:?}");
        assert_eq!(text(Device::new(1)), "1 Device(1)");
        assert_eq!(text(Device::on(Backend::Host, 1)), "Host:1 Device(Host:1)");
        assert_eq!(text(Device::CURRENT), "current Device(current)");
        assert_eq!(text(Device::from_raw(-2)), "none (-2) Device(none (-2))");
    }
}
