// SPDX-License-Identifier: Apache-2.0
//! A device that is current for a scope.

use std::marker::PhantomData;

use super::Device;
use crate::error::Result;

/// Makes a device current until the guard is dropped, then restores the previous one without creating a context.
///
/// Current streams stay as they are; [`StreamGuard`](crate::StreamGuard) changes both. A guard stays on its thread.
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
    /// Current devices are thread state, so the guard is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl DeviceGuard {
    /// Makes the device current. Does not block.
    ///
    /// # Errors
    ///
    /// As [`Device::set_current`].
    pub fn new(device: Device) -> Result<Self> {
        Ok(Self { previous: device.exchange()?, here: PhantomData })
    }

    /// The device that was current and will be again.
    pub fn previous(&self) -> Device {
        self.previous
    }

    /// Restores the previous device now and reports a failure, which `drop` ignores.
    ///
    /// # Errors
    ///
    /// As [`Device::maybe_exchange`].
    pub fn exit(self) -> Result<()> {
        let previous = self.previous;
        std::mem::forget(self);
        previous.maybe_exchange().map(drop)
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        // `exit` is for callers that need the result.
        let _ = self.previous.maybe_exchange();
    }
}
