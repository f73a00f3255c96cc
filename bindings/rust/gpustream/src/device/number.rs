// SPDX-License-Identifier: Apache-2.0
//! Device numbers. Arithmetic only: nothing here calls the library.

use std::fmt::{self, Debug, Display, Formatter};

use gpustream_sys as sys;

use crate::backend::Backend;

/// A device: a number, which need not belong to a device that exists.
///
/// Equality is that of the numbers. The library returns plain ordinals for devices of the default backend, so
/// `Device::new(0)` equals `stream.device()?` there and `Device::on(...)` does not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device(i32);

impl Device {
    /// The calling thread's current device at the time of each call.
    pub const CURRENT: Self = Self(sys::GS_DEVICE_CURRENT);

    /// Device `ordinal` of the default backend ([`Backend::default_backend`]).
    pub const fn new(ordinal: u16) -> Self {
        Self(ordinal as i32)
    }

    /// Device `ordinal` of a given backend.
    pub const fn on(backend: Backend, ordinal: u16) -> Self {
        Self(sys::GS_DEVICE(backend as i32, ordinal as i32))
    }

    /// A device by its number in C (`gs_device_t`).
    pub const fn from_raw(number: i32) -> Self {
        Self(number)
    }

    /// The number in C (`gs_device_t`).
    pub const fn as_raw(self) -> i32 {
        self.0
    }

    /// The backend that the number names; `None` for a plain ordinal (see [`Backend::default_backend`]), for
    /// [`Device::CURRENT`], and for a backend that this crate does not know.
    pub fn backend(self) -> Option<Backend> {
        if self.0 < 0 { None } else { Backend::from_number(self.0 >> 16) }
    }

    /// The ordinal within the backend; `None` for [`Device::CURRENT`].
    pub fn ordinal(self) -> Option<u16> {
        if self.0 < 0 { None } else { Some((self.0 & 0xffff) as u16) }
    }
}

impl Display for Device {
    /// `0` for a plain ordinal, `Cuda:0` with a backend, `current` for [`Device::CURRENT`].
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
