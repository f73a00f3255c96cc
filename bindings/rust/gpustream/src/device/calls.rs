// SPDX-License-Identifier: Apache-2.0
//! How many devices there are, which one is current, and waiting for all work of one.

use gpustream_sys as sys;

use super::Device;
use crate::backend::Backend;
use crate::call::{api, call, check, read};
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
