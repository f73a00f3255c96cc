// SPDX-License-Identifier: Apache-2.0
//! The default backend and the numbers of devices. Nothing here starts a backend.

use gpustream_sys as sys;

use super::Device;
use crate::backend::Backend;
use crate::call::read;
use crate::error::Result;

impl Backend {
    /// The backend that plain ordinals ([`Device::new`]) mean: the one that `GPUSTREAM_BACKEND` names, else CUDA if it
    /// has a usable device, else host. `None` if a newer library chose a backend that this crate does not know.
    ///
    /// Starts nothing, and works in a forked child. Does not block.
    pub fn default_backend() -> Result<Option<Self>> {
        read!(gs_default_backend()).map(Self::from_number)
    }

    /// The number of devices of this backend; 0 if it cannot be used. As [`Device::count`] otherwise.
    pub fn device_count(self) -> Result<u32> {
        count(self as i32)
    }
}

impl Device {
    /// The number of devices of the default backend; 0 if the driver is missing or fails.
    ///
    /// Starts nothing, and works in a forked child: safe to call before fork. Does not block.
    pub fn count() -> Result<u32> {
        count(sys::GS_BACKEND_DEFAULT)
    }
}

fn count(backend: i32) -> Result<u32> {
    read!(gs_device_count(backend)).map(i32::unsigned_abs)
}
