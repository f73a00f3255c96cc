// SPDX-License-Identifier: Apache-2.0
//! Memory in stream order, by address. [`DeviceBuffer`](crate::DeviceBuffer) and [`HostBuffer`](crate::HostBuffer) own
//! theirs and need no `unsafe`.

use std::ffi::c_void;

use super::StreamRef;
use crate::call::{api, check, get};
use crate::error::Result;

impl StreamRef {
    /// Allocates device memory for work submitted to the stream later; other streams must wait for an event recorded
    /// after this call. Uninitialised, aligned to at least 256 bytes; [`free`](Self::free) gives it back.
    pub fn malloc(&self, bytes: usize) -> Result<*mut c_void> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_malloc_async(bytes, self.as_handle(), out) })
    }

    /// Frees device memory after the work submitted so far. Null does nothing.
    ///
    /// # Safety
    ///
    /// `pointer` comes from [`malloc`](Self::malloc) on the same device, and no other stream's pending work uses it.
    pub unsafe fn free(&self, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's.
        check(unsafe { api()?.gs_free_async(pointer, self.as_handle()) })
    }

    /// Copies memory in stream order, host or device on either side.
    ///
    /// # Safety
    ///
    /// Both ranges are valid for `bytes`, do not overlap, and stay valid and unused by others until the copy is done.
    pub unsafe fn memcpy(&self, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        check(unsafe { api()?.gs_memcpy_async(to, from, bytes, self.as_handle()) })
    }

    /// Fills device or page-locked memory with a byte in stream order.
    ///
    /// # Safety
    ///
    /// The range is valid for `bytes`, and stays valid and unused by others until the fill is done.
    pub unsafe fn memset(&self, to: *mut c_void, byte: u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's.
        check(unsafe { api()?.gs_memset_async(to, byte.into(), bytes, self.as_handle()) })
    }
}
