// SPDX-License-Identifier: Apache-2.0
//! Page-locked host memory.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use gpustream_sys as sys;

use super::Plain;
use super::plain::bytes_of;
use crate::call::{api, check, read};
use crate::error::{Error, Result};
use crate::reaper::defer;
use crate::status::Status;

/// Host memory that devices copy from and to asynchronously: `len` elements of a [plain](Plain) type, bytes if nothing
/// else is said. Page-locked on CUDA: a scarce resource, best kept and reused.
///
/// ```
/// use gpustream::HostBuffer;
///
/// let mut numbers = HostBuffer::<f32>::zeroed(3)?;
/// numbers[1] = 2.5;
/// assert_eq!(*numbers, [0.0, 2.5, 0.0]);
/// # Ok::<(), gpustream::Error>(())
/// ```
///
/// The memory belongs to the device that is current when it is allocated. On CUDA it ends where that device is reset: so
/// [`Device::reset`](crate::Device::reset) is unsafe, and so is a reset by other code.
///
/// A copy owns the buffer while it runs ([`Pending`](crate::Pending)), so that it is neither changed nor freed under a
/// device.
///
/// Dropping a buffer passes it to a thread of the crate that frees it, since freeing may block on a device;
/// [`HostBuffer::free`] frees it at once.
pub struct HostBuffer<T: Plain = u8> {
    start: NonNull<T>,
    len: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl<T: Plain> Send for HostBuffer<T> {}
// SAFETY: shared access only reads.
unsafe impl<T: Plain> Sync for HostBuffer<T> {}

impl HostBuffer {
    /// [`zeroed`](HostBuffer::zeroed) for bytes.
    pub fn new(bytes: usize) -> Result<Self> {
        Self::zeroed(bytes)
    }
}

impl<T: Plain> HostBuffer<T> {
    /// Allocates `len` elements of the current device's backend, all bytes zero, aligned to at least 64 bytes. Blocks
    /// while the driver maps the memory, which may wait for device work.
    pub fn zeroed(len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len, "HostBuffer")?;
        let start: *mut c_void = read!(gs_malloc_host(bytes))?;
        let start = match NonNull::new(start.cast::<T>()) {
            Some(start) => start,
            None if bytes == 0 => NonNull::dangling(),
            None => return Err(Error::new(Status::INTERNAL, "gs_malloc_host", "success without an address")),
        };
        // SAFETY: the memory is new and has that size. It is aligned for every plain type, of which zeros are a value.
        unsafe { start.write_bytes(0, len) };
        Ok(Self { start, len })
    }

    /// Allocates a buffer that holds a copy of the elements.
    pub fn from_slice(elements: &[T]) -> Result<Self> {
        let mut buffer = Self::zeroed(elements.len())?;
        buffer.copy_from_slice(elements);
        Ok(buffer)
    }

    /// Frees the memory now. Blocks while the driver unmaps it, which may wait for device work.
    ///
    /// [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED): inside a host function; it is freed later, as by a drop. After
    /// other failures it is leaked.
    pub fn free(self) -> Result<()> {
        let buffer = ManuallyDrop::new(self);
        // SAFETY: the memory is this buffer's, which ends here.
        let freed = check(unsafe { api()?.gs_free_host(buffer.allocated()) });
        if freed.as_ref().is_err_and(|error| error.status() == Status::NOT_PERMITTED) {
            drop(ManuallyDrop::into_inner(buffer));
        }
        freed
    }

    /// What `gs_malloc_host` returned: NULL of no bytes.
    fn allocated(&self) -> *mut c_void {
        if size_of_val::<[T]>(self) == 0 { std::ptr::null_mut() } else { self.start.as_ptr().cast() }
    }
}

impl<T: Plain> Deref for HostBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: initialised by `zeroed`, and whatever bytes a device writes are values of the type; a copy by a device
        // owns the buffer while it runs, so no other access exists. Who resets the device has promised that no access
        // follows.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Plain> DerefMut for HostBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Plain> Drop for HostBuffer<T> {
    fn drop(&mut self) {
        struct Address(*mut c_void);
        // SAFETY: plain memory, moved to the thread that frees it.
        unsafe impl Send for Address {}
        let address = Address(self.allocated());
        defer(move || {
            let Address(address) = { address };
            if let Ok(api) = sys::api() {
                // SAFETY: the memory has no other owner. A drop has no caller to report a failure to.
                let _ = unsafe { api.gs_free_host(address) };
            }
        });
    }
}

impl<T: Plain> Debug for HostBuffer<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "HostBuffer({} bytes at {:p})", size_of_val::<[T]>(self), self.start)
    }
}
