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

/// Bytes of host memory that devices copy from and to asynchronously; page-locked on CUDA, so scarce and worth keeping.
///
/// Dropping one hands it to a thread that frees it, as freeing may wait for a device; [`HostBuffer::free`] frees at once.
pub struct HostBuffer {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for HostBuffer {}
// SAFETY: shared access only reads.
unsafe impl Sync for HostBuffer {}

impl HostBuffer {
    /// Allocates zeroed memory of the current device's backend, aligned to at least 64 bytes. `bytes` is at least 1. May
    /// wait for device work.
    pub fn new(bytes: usize) -> Result<Self> {
        // SAFETY: the output is a local variable.
        let start: *mut c_void = get(|api, out| unsafe { api.gs_malloc_host(bytes, out) })?;
        let Some(start) = NonNull::new(start.cast::<u8>()) else {
            return Err(Error::new(Status::INTERNAL, "gs_malloc_host", "success without an address"));
        };
        // SAFETY: the memory is new and that large.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { start, bytes })
    }

    /// Allocates a copy of some bytes, of which there is at least one.
    pub fn from_slice(bytes: &[u8]) -> Result<Self> {
        let mut buffer = Self::new(bytes.len())?;
        buffer.copy_from_slice(bytes);
        Ok(buffer)
    }

    /// Frees the memory now. May wait for device work.
    pub fn free(self) -> Result<()> {
        let buffer = ManuallyDrop::new(self);
        // SAFETY: the memory is this buffer's, which ends here.
        check(unsafe { api()?.gs_free_host(buffer.start.as_ptr().cast()) })
    }
}

impl Deref for HostBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: initialised by `new`, and nobody writes: a device's copy owns the buffer while it runs.
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
        // SAFETY: memory without an owner, on its way to the thread that frees it.
        unsafe impl Send for Address {}
        let address = Address(self.start.as_ptr().cast());
        defer(move || {
            let Address(address) = { address };
            if let Ok(api) = sys::api() {
                // SAFETY: nobody else has the memory. There is nobody to tell a failure.
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
