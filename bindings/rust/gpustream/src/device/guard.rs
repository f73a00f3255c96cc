// SPDX-License-Identifier: Apache-2.0
//! A device that is current for a scope.

use super::Device;
use crate::call::read;
use crate::error::Result;
use crate::stream::StreamGuard;

/// Makes a device current until the guard is dropped, then restores the previous one without creating a context.
///
/// Current streams stay as they are; [`StreamGuard`] changes both. At its end the guard also restores the current streams
/// of both devices. It stays on its thread, and nests with guards of streams: one that is dropped before guards inside it
/// ends those as well; they have no effect any more.
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
    /// Of the stream that the device has current.
    scope: StreamGuard,
}

impl DeviceGuard {
    /// Makes the device current. Does not block.
    pub fn new(device: Device) -> Result<Self> {
        let (previous, stream) = (Device::current()?, read!(gs_current_stream(device.as_raw()))?);
        Ok(Self { previous, scope: StreamGuard::push(stream)? })
    }

    /// The device that was current and will be again.
    pub fn previous(&self) -> Device {
        self.previous
    }

    /// Restores the previous device now and reports a failure, which `drop` ignores.
    ///
    /// [`SCOPE`](crate::Status::SCOPE): this is not the thread's innermost guard; it ends all the same, with those inside
    /// it, unless it has ended with one outside it.
    pub fn exit(self) -> Result<()> {
        self.scope.exit()
    }
}
