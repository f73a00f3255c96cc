// SPDX-License-Identifier: Apache-2.0
//! Waiting for a device, and checking that it still works.

use super::Device;
use crate::call::{api, call, check};
use crate::error::Result;

impl Device {
    /// Blocks until all work submitted to the device before the call is done. Any thread may call it; other threads may
    /// keep submitting work.
    pub fn synchronize(self) -> Result<()> {
        call!(gs_device_synchronize(self.as_raw()))
    }

    /// Checks that the device's context is alive and has no sticky error, and remembers a failure. Does not block.
    pub fn check(self) -> Result<()> {
        call!(gs_device_check(self.as_raw()))
    }

    /// Resets the device: destroys its primary context, with all that any code in the process has created in it. For
    /// gpustream the device is gone permanently: each later use of it or of its objects is
    /// [`CONTEXT_LOST`](crate::Status::CONTEXT_LOST), on every thread. A device without a context is left as it is.
    /// Blocks as [`synchronize`](Self::synchronize) does, and until other threads' calls on its objects have returned.
    ///
    /// # Safety
    ///
    /// On CUDA the page-locked memory that was allocated while the device was current ends with its context. A
    /// [`HostBuffer`](crate::HostBuffer) of it, a slice of one, and one that a [`Pending`](crate::Pending) gives back must
    /// not be read or written at the same time or later. To drop and to free such a buffer is fine. Other libraries must
    /// not use what they have of the device at the same time or later.
    pub unsafe fn reset(self) -> Result<()> {
        // SAFETY: takes a number; the caller vouches for those who use what ends with the context.
        check(unsafe { api()?.gs_device_reset(self.as_raw()) })
    }
}
