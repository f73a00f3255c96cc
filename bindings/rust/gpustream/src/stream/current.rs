// SPDX-License-Identifier: Apache-2.0
//! The calling thread's current stream.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use gpustream_sys as sys;

use super::{Stream, StreamRef};
use crate::call::{api, check, get};
use crate::error::Result;

/// The current stream of the current device, whichever that is when a call is made.
///
/// For calls that submit work: record, wait, sleep, memory, notify, launch. Others answer
/// [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE); they want [`Stream::current`].
pub static CURRENT: &StreamRef = &StreamRef::from_handle(sys::GS_STREAM_CURRENT);

/// Here and not among the operations of [`StreamRef`]: what is current can be asked for by all of the thread, and kept.
impl Stream {
    /// Makes it the calling thread's current stream for its device, and that device current. [`StreamGuard`] goes back by
    /// itself.
    pub fn set_current(&self) -> Result<()> {
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_set_current_stream(self.as_handle()) })
    }

    /// Makes it current and gives the stream that was, on the same device.
    pub fn exchange_current(&self) -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_exchange_current_stream(self.as_handle(), out) }).map(Self::owned)
    }

    /// Runs a function with this stream current; what was current is put back even if it panics.
    ///
    /// Fails, without calling the function, if the stream cannot be made current.
    pub fn with<R>(&self, function: impl FnOnce() -> R) -> Result<R> {
        let _guard = StreamGuard::new(self)?;
        Ok(function())
    }
}

/// Makes a stream and its device current until it is dropped, then puts back what was. Guards nest.
///
/// Stays on its thread. One that is dropped before guards inside it ends those too; they do nothing any more.
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
    /// What is current belongs to a thread: neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl StreamGuard {
    /// Makes the stream current. No allocation up to 16 guards.
    #[inline]
    pub fn new(stream: &Stream) -> Result<Self> {
        // SAFETY: the output is a local variable.
        let scope = get(|api, out| unsafe { api.gs_push_current_stream(stream.as_handle(), out) })?;
        Ok(Self { scope, here: PhantomData })
    }

    /// Puts back what was, and tells if the driver refused its part. If this is not the thread's innermost guard, the
    /// error is [`Status::SCOPE`](crate::Status::SCOPE) and the guard ends all the same, with those inside it.
    pub fn exit(self) -> Result<()> {
        let guard = ManuallyDrop::new(self);
        let api = api()?;
        // SAFETY: takes a number; the guard is on the thread that opened the scope.
        let popped = check(unsafe { api.gs_pop_current_stream(guard.scope) });
        if popped.as_ref().is_err_and(|error| error.status.0 == sys::GS_ERROR_SCOPE) {
            guard.unwind();
        }
        popped
    }

    /// Out of order: ends the scope and all inside it; nothing if it has been ended.
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
        // SAFETY: takes a number; the guard is on the thread that opened the scope. Whoever has to know more uses `exit`.
        if unsafe { api.gs_pop_current_stream(self.scope) } == Ok(sys::GS_ERROR_SCOPE) {
            self.unwind();
        }
    }
}
