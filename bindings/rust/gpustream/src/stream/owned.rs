// SPDX-License-Identifier: Apache-2.0
//! Streams that are owned.

use std::borrow::Borrow;
use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use gpustream_sys::{self as sys, gs_stream_t, gs_stream_triple_t};

use super::{StreamBuilder, StreamRef, StreamTriple};
use crate::call::{api, check, get};
use crate::callback::register_host;
use crate::device::Device;
use crate::error::Result;

/// An ordered queue of device work, owned. Its operations are those of [`StreamRef`].
///
/// A clone is another reference to the same stream. Dropping the last one ends it without waiting: work already submitted
/// is still done. Every stream is a driver stream of its own, from a pool, unless sharing was asked for.
pub struct Stream {
    stream: StreamRef,
    /// Whether a reference is to be given back.
    owned: bool,
}

impl Stream {
    /// A stream on the current device.
    #[inline]
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// Options: current device, priority 0, no flags.
    pub const fn builder() -> StreamBuilder {
        StreamBuilder::new()
    }

    /// Takes over one reference.
    #[inline]
    pub(super) fn owned(raw: gs_stream_t) -> Self {
        Self { stream: StreamRef::from_handle(raw), owned: true }
    }

    /// A device's default ("null", legacy) stream.
    pub fn default_on(device: Device) -> Result<Self> {
        // SAFETY: the output is a local variable. The handle is immortal.
        get(|api, out| unsafe { api.gs_default_stream(device.as_raw(), out) }).map(Self::owned)
    }

    /// A device's per-thread default stream. In each call it means the calling thread's own.
    pub fn per_thread(device: Device) -> Result<Self> {
        // SAFETY: the output is a local variable. The handle is immortal.
        get(|api, out| unsafe { api.gs_per_thread_stream(device.as_raw(), out) }).map(Self::owned)
    }

    /// The calling thread's current stream of a device: the default stream until the thread sets another.
    #[inline]
    pub fn current(device: Device) -> Result<Self> {
        // SAFETY: the output is a local variable.
        let borrowed = get(|api, out| unsafe { api.gs_current_stream(device.as_raw(), out) })?;
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_stream_retain(borrowed) })?;
        Ok(Self::owned(borrowed))
    }

    /// Calls a function with the calling thread's current stream of a device, without adding a reference to it. If the
    /// function makes another stream current, the reference it has may go stale:
    /// [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE).
    #[inline]
    pub fn with_current<R>(device: Device, function: impl FnOnce(&StreamRef) -> R) -> Result<R> {
        // SAFETY: the output is a local variable.
        let borrowed = get(|api, out| unsafe { api.gs_current_stream(device.as_raw(), out) })?;
        Ok(function(&StreamRef::from_handle(borrowed)))
    }

    /// The stream that [`StreamRef::pack`] described. It must still be alive; a stale description is
    /// [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE).
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
    /// If the numbers are those of a stream of another owner, as in [`BorrowedStream`](super::BorrowedStream), it lives
    /// until nothing made of the result is left: what [`BorrowedStream::as_stream`](super::BorrowedStream::as_stream)
    /// lists. Any other numbers may be given.
    pub unsafe fn unpack(triple: StreamTriple) -> Result<Self> {
        let StreamTriple { id, device_index, device_type } = triple;
        let triple = gs_stream_triple_t { id, device_index, device_type };
        // SAFETY: the input and the output are local variables.
        get(|api, out| unsafe { api.gs_stream_unpack(&raw const triple, out) }).map(Self::owned)
    }

    /// Wraps a `cudaStream_t` of another owner and calls a function when it is no longer needed, once, after the last
    /// reference. If this fails, the function is dropped uncalled. A panic in it ends there.
    ///
    /// Null, 1, 2 and streams that gpustream knows already are [`Status::INVALID_ARGUMENT`](crate::Status).
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
            // SAFETY: the output is a local variable; the native handle is the caller's word.
            check(unsafe { api()?.gs_stream_from_native_owned(device.as_raw(), native.addr(), release, arg, out) })
        })?;
        Ok(Self::owned(stream))
    }

    /// Takes over one reference of a handle of the C library.
    ///
    /// # Safety
    ///
    /// The caller owns a reference to `handle` and gives it away.
    pub unsafe fn from_handle(handle: gs_stream_t) -> Self {
        Self::owned(handle)
    }

    /// Another reference, or why there can be none. `clone` gives a handle that owns nothing then.
    pub fn try_clone(&self) -> Result<Self> {
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_stream_retain(self.as_handle()) })?;
        Ok(Self::owned(self.as_handle()))
    }
}

impl Deref for Stream {
    type Target = StreamRef;

    #[inline]
    fn deref(&self) -> &StreamRef {
        &self.stream
    }
}

impl AsRef<StreamRef> for Stream {
    fn as_ref(&self) -> &StreamRef {
        self
    }
}

impl Borrow<StreamRef> for Stream {
    fn borrow(&self) -> &StreamRef {
        self
    }
}

impl Clone for Stream {
    /// Adds a reference. Where that fails (host memory is out; a forked child), the clone owns nothing: it answers
    /// [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE) as soon as the owners are gone.
    fn clone(&self) -> Self {
        self.try_clone().unwrap_or(Self { stream: StreamRef::from_handle(self.as_handle()), owned: false })
    }
}

impl Drop for Stream {
    #[inline]
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        if let Ok(api) = sys::api() {
            // SAFETY: takes a handle. Failures of the driver go to the library's log.
            let _ = unsafe { api.gs_stream_destroy(self.as_handle()) };
        }
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.stream == other.stream
    }
}

impl Eq for Stream {}

impl Hash for Stream {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.stream.hash(state);
    }
}

impl Debug for Stream {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.stream.fmt(out)
    }
}
