// SPDX-License-Identifier: Apache-2.0
//! Page-locked host memory.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use gpustream_sys as sys;

use crate::call::{api, check, get};
use crate::error::{Error, Result};
use crate::reaper::defer;
use crate::status::Status;

/// Bytes of host memory that devices copy from and to asynchronously. Page-locked on CUDA: a scarce resource, best kept
/// and reused.
///
/// Dropping a buffer passes it to a thread of the crate that frees it, since freeing may block on a device;
/// [`HostBuffer::free`] frees it at once.
pub struct HostBuffer {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for HostBuffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Allocates `bytes` zeroed bytes of the current device's backend, aligned to at least 64 bytes. Blocks while the
    /// driver maps the memory, which may wait for device work.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): `bytes` is 0 or above `isize::MAX`. The
    /// [start](crate#start-errors), [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn new(bytes: usize) -> Result<Self> {
        // SAFETY: the output is a local variable.
        let start: *mut c_void = get(|api, out| unsafe { api.gs_malloc_host(bytes, out) })?;
        let Some(start) = NonNull::new(start.cast::<u8>()) else {
            return Err(Error::new(Status::INTERNAL, "gs_malloc_host", "success without an address"));
        };
        // SAFETY: the memory is new and has that size.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { start, bytes })
    }

    /// Allocates a buffer that holds a copy of `bytes`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); `bytes` must not be empty.
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        let mut buffer = Self::new(bytes.len())?;
        buffer.copy_from_slice(bytes);
        Ok(buffer)
    }

    /// Frees the memory now. Blocks while the driver unmaps it, which may wait for device work.
    ///
    /// # Errors
    ///
    /// The memory is then leaked. [`NOT_PERMITTED`](Status::NOT_PERMITTED): inside a host function. The
    /// [driver](crate#driver-errors) and [common errors](crate#common-errors).
    pub fn free(self) -> Result<()> {
        let buffer = ManuallyDrop::new(self);
        // SAFETY: the memory is this buffer's, which ends here.
        check(unsafe { api()?.gs_free_host(buffer.start.as_ptr().cast()) })
    }
}

impl Deref for HostBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: initialised by `new`; a copy by a device owns the buffer while it runs, so no other access exists.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl DerefMut for HostBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        struct Address(*mut c_void);
        // SAFETY: plain memory, moved to the thread that frees it.
        unsafe impl Send for Address {}
        let address = Address(self.start.as_ptr().cast());
        defer(move || {
            let Address(address) = { address };
            if let Ok(api) = sys::api() {
                // SAFETY: the memory has no other owner. A drop has no caller to report a failure to.
                let _ = unsafe { api.gs_free_host(address) };
            }
        });
    }
}

impl Debug for HostBuffer {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "HostBuffer({} bytes at {:p})", self.bytes, self.start)
    }
}
