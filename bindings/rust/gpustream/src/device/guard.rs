// SPDX-License-Identifier: Apache-2.0
//! A device that is current for a while.

use std::marker::PhantomData;

use super::Device;
use crate::error::Result;

/// Makes a device current until it is dropped, then goes back without creating a context.
///
/// Current streams stay as they are; [`StreamGuard`](crate::StreamGuard) cares for both. Stays on its thread.
///
/// ```
/// use gpustream::{Device, DeviceGuard};
///
/// let before = Device::current()?;
/// {
///     let _guard = DeviceGuard::new(Device::new(1))?;
///     assert_eq!(Device::current()?, Device::new(1));
/// }
/// assert_eq!(Device::current()?, before);
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the device is current only while the guard lives"]
#[derive(Debug)]
pub struct DeviceGuard {
    previous: Device,
    /// What is current belongs to a thread: neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl DeviceGuard {
    /// Makes the device current.
    pub fn new(device: Device) -> Result<Self> {
        Ok(Self { previous: device.exchange()?, here: PhantomData })
    }

    /// The device that was current, and will be.
    pub fn previous(&self) -> Device {
        self.previous
    }

    /// Goes back now, and tells if that failed.
    pub fn exit(self) -> Result<()> {
        let previous = self.previous;
        std::mem::forget(self);
        previous.maybe_exchange().map(drop)
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        // Whoever has to know uses `exit`.
        let _ = self.previous.maybe_exchange();
    }
}
