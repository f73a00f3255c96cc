// SPDX-License-Identifier: Apache-2.0
//! Streams that another library owns.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use super::{Stream, StreamRef};
use crate::call::get;
use crate::counted::derefs;
use crate::device::Device;
use crate::error::Result;

/// A `cudaStream_t` of another owner, valid for `'a`. Its operations are those of [`StreamRef`]. It cannot be cloned as
/// a [`Stream`] or made current, since both would keep it beyond `'a`; the `unsafe` [`BorrowedStream::as_stream`]
/// allows that. A clone is another reference to the same wrapper, for the same `'a`.
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
/// It cannot outlive what it borrows from.
pub struct BorrowedStream<'a> {
    stream: Stream,
    foreign: PhantomData<&'a ()>,
}

impl BorrowedStream<'_> {
    /// Wraps a `cudaStream_t`. Null and 1 mean the device's default stream, 2 the per-thread stream, and a handle of
    /// one of gpustream's own streams means that stream. Waits on a foreign stream are never elided. Does not block.
    ///
    /// # Safety
    ///
    /// `native` is null, 1, 2, or a stream of the driver that lives for `'a`. [`as_stream`](Self::as_stream) states
    /// what longer uses need.
    pub unsafe fn from_raw(device: Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the output is a local variable; the caller vouches for the native handle.
        let raw = get(|api, out| unsafe { api.gs_stream_from_native(device.as_raw(), native.addr(), out) })?;
        Ok(Self { stream: Stream::owned(raw), foreign: PhantomData })
    }

    /// The stream without its lifetime, to make it current or for functions that take a [`Stream`].
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
    /// The foreign stream outlives everything made of the result: clones, buffers, threads on which it is current, and
    /// guards that will make it current again. It also outlives each [`Stream`] taken while the foreign stream
    /// was current, by [`Stream::current`] or in another language.
    pub unsafe fn as_stream(&self) -> &Stream {
        &self.stream
    }
}

// To `StreamRef` only: clones of a `Stream` have no lifetime.
derefs! { BorrowedStream<'_>, stream: StreamRef }

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
