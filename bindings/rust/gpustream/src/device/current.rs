// SPDX-License-Identifier: Apache-2.0
//! The calling thread's current device.

use super::Device;
use crate::call::{call, read};
use crate::error::Result;

impl Device {
    /// The calling thread's current device, as a plain ordinal if it is one of the default backend.
    pub fn current() -> Result<Self> {
        read!(gs_current_device()).map(Self::from_raw)
    }

    /// Makes this the calling thread's current device. Neither creates a context nor blocks. Current streams stay as
    /// they are. [`DeviceGuard`](crate::DeviceGuard) restores the previous device by itself.
    pub fn set_current(self) -> Result<()> {
        call!(gs_set_current_device(self.as_raw()))
    }

    /// Makes this the calling thread's current device and returns the previous one. A device that can no longer be used
    /// becomes current all the same, and its next use reports the failure.
    pub fn exchange(self) -> Result<Self> {
        read!(gs_exchange_device(self.as_raw())).map(Self::from_raw)
    }
}
