// SPDX-License-Identifier: Apache-2.0
//! The calling thread's current stream.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use gpustream_sys as sys;

use super::{Stream, StreamRef};
use crate::call::{api, call, check, read};
use crate::error::Result;
use crate::status::Status;

/// The current stream of the current device at the time of each call.
///
/// For calls that submit work: record, wait, sleep, memory, notify, launch. Others return
/// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE); use [`Stream::current`] for them.
pub static CURRENT: &StreamRef = &StreamRef::from_handle(sys::GS_STREAM_CURRENT);

/// These are not operations of [`StreamRef`]: any code on the thread can ask for the current stream and keep it, so it
/// must be one that can be kept.
impl Stream {
    /// Makes this the calling thread's current stream for its device, and makes that device current. Does not block.
    /// [`StreamGuard`] restores the previous state by itself.
    pub fn set_current(&self) -> Result<()> {
        call!(gs_set_current_stream(self.as_handle()))
    }

    /// As [`set_current`](Self::set_current), and returns the stream that it replaces, which is on the same device.
    pub fn exchange_current(&self) -> Result<Self> {
        read!(gs_exchange_current_stream(self.as_handle())).map(Self::owned)
    }

    /// Runs a function with this stream current and restores the previous state afterwards, also after a panic.
    ///
    /// A failure to make the stream current leaves the function uncalled.
    pub fn with<R>(&self, function: impl FnOnce() -> R) -> Result<R> {
        let _guard = StreamGuard::new(self)?;
        Ok(function())
    }
}

/// Makes a stream and its device current until the guard is dropped, then restores the previous ones. Guards nest.
///
/// A guard stays on its thread. One that is dropped before guards inside it, of streams or devices, ends those as well; they
/// have no effect any more.
///
/// ```
/// use gpustream::{Device, Stream, StreamGuard};
///
/// let stream = Stream::new()?;
/// {
///     let _guard = StreamGuard::new(&stream)?;
///     assert_eq!(Stream::current(Device::CURRENT)?, stream);
/// }
/// assert_ne!(Stream::current(Device::CURRENT)?, stream);
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the stream is current only while the guard lives"]
#[derive(Debug)]
pub struct StreamGuard {
    scope: u64,
    /// Current streams are thread state, so the guard is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl StreamGuard {
    /// Makes the stream current. Does not block. Allocates only from the 17th nested guard on.
    #[inline]
    pub fn new(stream: &Stream) -> Result<Self> {
        Self::push(stream.as_handle())
    }

    #[inline]
    pub(crate) fn push(stream: sys::gs_stream_t) -> Result<Self> {
        let scope = read!(gs_push_current_stream(stream))?;
        Ok(Self { scope, here: PhantomData })
    }

    /// Restores the previous state now and reports a failure, which `drop` ignores.
    ///
    /// [`SCOPE`](crate::Status::SCOPE): this is not the thread's innermost guard; it ends all the same, with those
    /// inside it.
    pub fn exit(self) -> Result<()> {
        let guard = ManuallyDrop::new(self);
        let api = api()?;
        // SAFETY: takes a number; the guard is on the thread that opened the scope.
        let popped = check(unsafe { api.gs_pop_current_stream(guard.scope) });
        if popped.as_ref().is_err_and(|error| error.status() == Status::SCOPE) {
            guard.unwind();
        }
        popped
    }

    /// Ends the scope and all scopes inside it, or does nothing if it has ended already.
    #[cold]
    fn unwind(&self) {
        if let Ok(api) = api() {
            // SAFETY: takes a number.
            let _ = unsafe { api.gs_unwind_current_stream(self.scope) };
        }
    }
}

impl Drop for StreamGuard {
    #[inline]
    fn drop(&mut self) {
        let Ok(api) = api() else { return };
        // SAFETY: takes a number; the guard is on the thread that opened the scope. `exit` is for callers that need the
        // result.
        if unsafe { api.gs_pop_current_stream(self.scope) } == Ok(sys::GS_ERROR_SCOPE) {
            self.unwind();
        }
    }
}
