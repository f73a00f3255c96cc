// SPDX-License-Identifier: Apache-2.0
//! Streams of other libraries.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::ops::Deref;

use super::{Stream, StreamRef};
use crate::call::get;
use crate::device::Device;
use crate::error::Result;

/// A `cudaStream_t` that somebody else owns, for as long as `'a`. Its operations are those of [`StreamRef`]: it cannot be
/// cloned as a [`Stream`] or made current, since that would keep it beyond `'a`; [`BorrowedStream::as_stream`] can, and is
/// `unsafe`.
///
/// ```no_run
/// use gpustream::{BorrowedStream, Device, Event};
///
/// struct Foreign; // some library's stream
/// impl Foreign {
///     fn raw(&self) -> *mut std::ffi::c_void { std::ptr::null_mut() }
/// }
/// fn borrow(foreign: &Foreign) -> gpustream::Result<BorrowedStream<'_>> {
///     // SAFETY: the borrow keeps the foreign stream alive.
///     unsafe { BorrowedStream::from_raw(Device::CURRENT, foreign.raw()) }
/// }
/// let foreign = Foreign;
/// Event::new()?.record(&*borrow(&foreign)?)?;
/// # Ok::<(), gpustream::Error>(())
/// ```
///
/// It cannot outlive what it borrows from:
///
/// ```compile_fail,E0597
/// # use gpustream::{BorrowedStream, Device};
/// # struct Foreign;
/// # impl Foreign { fn raw(&self) -> *mut std::ffi::c_void { std::ptr::null_mut() } }
/// # fn borrow(foreign: &Foreign) -> BorrowedStream<'_> {
/// #     unsafe { BorrowedStream::from_raw(Device::CURRENT, foreign.raw()).unwrap() }
/// # }
/// let kept;
/// {
///     let foreign = Foreign;
///     kept = borrow(&foreign);
/// }
/// kept.query();
/// ```
pub struct BorrowedStream<'a> {
    stream: Stream,
    foreign: PhantomData<&'a ()>,
}

impl BorrowedStream<'_> {
    /// Wraps a `cudaStream_t`. Null and 1 give the device's default stream, 2 the per-thread one, a handle that is one of
    /// gpustream's own that stream. Waits on a foreign stream are never elided.
    ///
    /// Other errors than the usual: [`Status::DEVICE_MISMATCH`](crate::Status::DEVICE_MISMATCH) if it belongs to another
    /// device, [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE) if it cannot be a stream,
    /// [`Status::CAPTURING`](crate::Status::CAPTURING) while it is captured.
    ///
    /// # Safety
    ///
    /// `native` is a number of those above, or a stream of the driver that lives for `'a`. For longer uses see
    /// [`as_stream`](Self::as_stream).
    pub unsafe fn from_raw(device: Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the output is a local variable; the native handle is the caller's word.
        let raw = get(|api, out| unsafe { api.gs_stream_from_native(device.as_raw(), native.addr(), out) })?;
        Ok(Self { stream: Stream::owned(raw), foreign: PhantomData })
    }

    /// The stream without its lifetime: to make it current, or for functions that want a [`Stream`].
    ///
    /// ```no_run
    /// # fn submit() {}
    /// # fn run(borrowed: gpustream::BorrowedStream<'_>) -> gpustream::Result<()> {
    /// // SAFETY: current only during the call, and `submit` keeps no stream.
    /// unsafe { borrowed.as_stream() }.with(|| submit())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// The foreign stream lives until nothing made of the result is left: clones, buffers, threads on which it is current,
    /// guards that will make it current again, and each [`Stream`] taken while it was current, by
    /// [`Stream::current`] or in another language.
    pub unsafe fn as_stream(&self) -> &Stream {
        &self.stream
    }
}

impl Deref for BorrowedStream<'_> {
    type Target = StreamRef;

    /// Not to [`Stream`], whose clones know no lifetime.
    #[inline]
    fn deref(&self) -> &StreamRef {
        &self.stream
    }
}

impl AsRef<StreamRef> for BorrowedStream<'_> {
    fn as_ref(&self) -> &StreamRef {
        self
    }
}

impl Clone for BorrowedStream<'_> {
    fn clone(&self) -> Self {
        Self { stream: self.stream.clone(), foreign: PhantomData }
    }
}

impl Debug for BorrowedStream<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Borrowed")?;
        self.stream.fmt(out)
    }
}
