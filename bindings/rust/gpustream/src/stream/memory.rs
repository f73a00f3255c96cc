// SPDX-License-Identifier: Apache-2.0
//! Memory operations by address, in stream order. [`DeviceBuffer`](crate::DeviceBuffer) and
//! [`HostBuffer`](crate::HostBuffer) own their memory and need no `unsafe`.

use std::ffi::c_void;

use gpustream_sys as sys;

use super::StreamRef;
use crate::call::{api, check, read};
use crate::error::Result;
use crate::numbers::given;

sys::for_each_enumerator! {
    access_order, given,
    /// When [`StreamRef::memcpy_batch`] reads its sources.
    AccessOrder
}

/// A copy of [`StreamRef::memcpy_batch`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct MemoryCopy(sys::gs_copy_t);

impl MemoryCopy {
    /// Of `bytes` bytes, between host or device memory in any combination.
    pub const fn new(to: *mut c_void, from: *const c_void, bytes: usize) -> Self {
        Self(sys::gs_copy_t { dst: to, src: from, bytes: bytes as u64 })
    }
}

impl StreamRef {
    /// Allocates `bytes` bytes of device memory for work submitted to the stream later; other streams must wait for an
    /// event recorded after this call. The memory is uninitialised, aligned to at least 256 bytes, and freed by
    /// [`free`](Self::free); 0 bytes have the address null. Does not block.
    pub fn malloc(&self, bytes: usize) -> Result<*mut c_void> {
        read!(gs_malloc_async(bytes, self.as_handle()))
    }

    /// Frees device memory after the work submitted so far. Null has no effect. Does not block.
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
    /// # Safety
    ///
    /// Both ranges are valid for `bytes` bytes, do not overlap, and stay valid and unused by others until the copy is
    /// done.
    pub unsafe fn memcpy(&self, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_memcpy_async(to, from, bytes, self.as_handle()) })
    }

    /// Submits several copies, where possible in one call of the driver. All start after the work submitted before, and
    /// later work waits for all; among themselves they may run in any order and at the same time.
    ///
    /// Blocks as [`memcpy`](Self::memcpy), and with [`AccessOrder::DuringCall`] until the stream's work is done where the
    /// copies are made one by one and a source is not pageable memory.
    ///
    /// # Safety
    ///
    /// As [`memcpy`](Self::memcpy) for each, and no copy reads or writes what another one writes. With an order other than
    /// [`AccessOrder::Stream`] no pending work writes the sources. With [`AccessOrder::DuringCall`] they need not stay valid
    /// after the call.
    pub unsafe fn memcpy_batch(&self, copies: &[MemoryCopy], order: AccessOrder) -> Result<()> {
        // SAFETY: the caller's obligation; a MemoryCopy is a gs_copy_t.
        check(unsafe {
            api()?.gs_memcpy_batch_async(copies.as_ptr().cast(), copies.len(), order as i32, self.as_handle())
        })
    }

    /// Fills `bytes` bytes of device or page-locked memory with `byte` in stream order. Does not block.
    ///
    /// # Safety
    ///
    /// The range is valid for `bytes` bytes, and stays valid and unused by others until the fill is done.
    pub unsafe fn memset(&self, to: *mut c_void, byte: u8, bytes: usize) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_memset_async(to, byte.into(), bytes, self.as_handle()) })
    }
}
