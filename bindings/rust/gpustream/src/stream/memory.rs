// SPDX-License-Identifier: Apache-2.0
//! Memory operations by address, in stream order. [`DeviceBuffer`](crate::DeviceBuffer) and
//! [`HostBuffer`](crate::HostBuffer) own their memory and need no `unsafe`.

use std::ffi::c_void;

use super::StreamRef;
use crate::call::{api, check, get};
use crate::error::Result;

impl StreamRef {
    /// Allocates `bytes` bytes of device memory for work submitted to the stream later; other streams must wait for an
    /// event recorded after this call. The memory is uninitialised, aligned to at least 256 bytes, and freed by
    /// [`free`](Self::free); 0 bytes have the address null. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): `bytes` is above `isize::MAX`.
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live stream.
    /// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): the device has no stream-ordered memory. The
    /// [start](crate#start-errors), [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn malloc(&self, bytes: usize) -> Result<*mut c_void> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_malloc_async(bytes, self.as_handle(), out) })
    }

    /// Frees device memory after the work submitted so far. Null has no effect. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): not memory of [`malloc`](Self::malloc), where the backend
    /// can tell. Otherwise as [`malloc`](Self::malloc).
    ///
    /// # Safety
    ///
    /// `pointer` comes from [`malloc`](Self::malloc) on the same device, and no other stream's pending work uses it.
    pub unsafe fn free(&self, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_free_async(pointer, self.as_handle()) })
    }

    /// Copies `bytes` bytes in stream order, between host or device memory in any combination.
    ///
    /// Blocks while the driver stages pageable host memory, and on CUDA until a copy from host memory to host memory is
    /// done; not between a device and a [`HostBuffer`](crate::HostBuffer).
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): a pointer is null and `bytes` is not 0, or `bytes` is
    /// above `isize::MAX`. [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live stream. The
    /// [start](crate#start-errors), [driver](crate#driver-errors) and [call errors](crate#call-errors).
    ///
    /// # Safety
    ///
    /// Both ranges are valid for `bytes` bytes, do not overlap, and stay valid and unused by others until the copy is
    /// done.
    pub unsafe fn memcpy(&self, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_memcpy_async(to, from, bytes, self.as_handle()) })
    }

    /// Fills `bytes` bytes of device or page-locked memory with `byte` in stream order. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): `to` is null and `bytes` is not 0, or `bytes` is above
    /// `isize::MAX`. Otherwise as [`memcpy`](Self::memcpy).
    ///
    /// # Safety
    ///
    /// The range is valid for `bytes` bytes, and stays valid and unused by others until the fill is done.
    pub unsafe fn memset(&self, to: *mut c_void, byte: u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_memset_async(to, byte.into(), bytes, self.as_handle()) })
    }
}
