// SPDX-License-Identifier: Apache-2.0
//! The owner of a stream's reference.

use std::borrow::Borrow;
use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};

use gpustream_sys::{gs_stream_t, gs_stream_triple_t};

use super::{StreamRef, StreamTriple};
use crate::call::{api, call, check, get, read};
use crate::callback::register_host;
use crate::counted::{counted, derefs, given_away};
use crate::device::Device;
use crate::error::Result;

/// An ordered queue of device work, owned. Its operations are those of [`StreamRef`].
///
/// A clone is another reference to the same stream. Dropping the last reference ends the stream without waiting: work
/// already submitted is still done. Every stream is a driver stream of its own, from a pool, unless it was created as
/// [shared](crate::StreamFlags::SHARED).
#[derive(PartialEq, Eq, Hash)]
pub struct Stream {
    stream: StreamRef,
}

impl Stream {
    /// Takes over one reference.
    #[inline]
    pub(crate) fn owned(raw: gs_stream_t) -> Self {
        Self { stream: StreamRef::from_handle(raw) }
    }

    /// A device's default ("null", legacy) stream.
    pub fn default_on(device: Device) -> Result<Self> {
        read!(gs_default_stream(device.as_raw())).map(Self::owned)
    }

    /// A device's per-thread default stream: in each call it means the calling thread's own.
    pub fn per_thread(device: Device) -> Result<Self> {
        read!(gs_per_thread_stream(device.as_raw())).map(Self::owned)
    }

    /// The calling thread's current stream of a device: the default stream until the thread sets another.
    #[inline]
    pub fn current(device: Device) -> Result<Self> {
        let borrowed = read!(gs_current_stream(device.as_raw()))?;
        call!(gs_stream_retain(borrowed))?;
        Ok(Self::owned(borrowed))
    }

    /// The raw handle of the calling thread's current stream of a device, in one call: null for the default stream, 2
    /// for the per-thread one. It may be used until this thread makes another stream current there.
    #[inline]
    pub fn current_raw(device: Device) -> Result<*mut c_void> {
        read!(gs_current_native(device.as_raw())).map(std::ptr::without_provenance_mut)
    }

    /// Calls a function with the calling thread's current stream of a device, without adding a reference to it. If the
    /// function makes another stream current, its argument may become stale: calls on it then return
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE).
    ///
    /// Without a current stream the function stays uncalled.
    #[inline]
    pub fn with_current<R>(device: Device, function: impl FnOnce(&StreamRef) -> R) -> Result<R> {
        let borrowed = read!(gs_current_stream(device.as_raw()))?;
        Ok(function(&StreamRef::from_handle(borrowed)))
    }

    /// The stream that [`StreamRef::pack`] described, which must still be alive.
    ///
    /// ```
    /// let stream = gpustream::Stream::new()?;
    /// let numbers = stream.pack()?;
    /// // SAFETY: the numbers are those of a stream of gpustream's own.
    /// assert_eq!(unsafe { gpustream::Stream::unpack(numbers) }?, stream);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// If the numbers are those of a stream of another owner, as in [`BorrowedStream`](super::BorrowedStream), that
    /// stream outlives everything made of the result; [`BorrowedStream::as_stream`](super::BorrowedStream::as_stream)
    /// lists what that is. Any other numbers may be passed.
    pub unsafe fn unpack(triple: StreamTriple) -> Result<Self> {
        let StreamTriple { id, device_index, device_type } = triple;
        let triple = gs_stream_triple_t { id, device_index, device_type };
        // SAFETY: the input and the output are local variables.
        get(|api, out| unsafe { api.gs_stream_unpack(&raw const triple, out) }).map(Self::owned)
    }

    /// Wraps a `cudaStream_t` of another owner and calls `release` once, when the last reference is gone. It may run on
    /// any thread that creates or drops a stream; a panic in it is contained. Does not block.
    ///
    /// If it fails, `release` is dropped uncalled.
    ///
    /// # Safety
    ///
    /// `native` is null, or a stream of the driver that lives until `release` is called.
    pub unsafe fn from_raw_with<F: FnOnce() + Send + 'static>(
        device: Device,
        native: *mut c_void,
        release: F,
    ) -> Result<Self> {
        let mut stream: gs_stream_t = std::ptr::null_mut();
        let out = &raw mut stream;
        register_host(release, |release, arg| {
            // SAFETY: the output is a local variable; the caller vouches for the native handle.
            check(unsafe { api()?.gs_stream_from_native_owned(device.as_raw(), native.addr(), release, arg, out) })
        })?;
        Ok(Self::owned(stream))
    }

    /// Releases this stream to the caller, who owns the `cudaStream_t` from then on and destroys it. Other references
    /// stay valid as wraps of it, and work already submitted still runs. Makes no driver call.
    ///
    /// If it fails, this reference is released as by `drop`.
    pub fn into_raw(self) -> Result<*mut c_void> {
        // SAFETY: the output is a local variable. After a success the reference is gone.
        let native = get(|api, out| unsafe { api.gs_stream_into_native(self.as_handle(), out) })?;
        std::mem::forget(self);
        Ok(std::ptr::without_provenance_mut(native))
    }
}

given_away! { Stream, gs_stream_t, "gs_stream_destroy", |handle| Self::owned(handle) }
derefs! { Stream, stream: StreamRef }

impl Borrow<StreamRef> for Stream {
    fn borrow(&self) -> &StreamRef {
        self
    }
}

counted! {
    Stream, "stream",
    retain: |api, raw| api.gs_stream_retain(raw),
    destroy: |api, raw| api.gs_stream_destroy(raw),
    same: |stream| Self::owned(stream.as_handle()),
}

impl Debug for Stream {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.stream.fmt(out)
    }
}
