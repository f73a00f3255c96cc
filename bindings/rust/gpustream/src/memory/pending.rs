// SPDX-License-Identifier: Apache-2.0
//! What a device still works on.

use std::fmt::{self, Debug, Display, Formatter};
use std::mem::ManuallyDrop;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::stream::{Stream, StreamRef};

/// A value that belongs to submitted work until that is done.
///
/// Dropping it waits for nothing: the value is dropped when the work is done, on a thread of the library, after what the
/// stream got meanwhile. It is leaked if the device fails before, or if the stream is then being captured.
#[must_use = "the value comes back from `wait`"]
pub struct Pending<T: Send + 'static> {
    value: Option<T>,
    /// Never handed out: whoever has an event can record it again, and it would then say "done" of other work.
    pub(super) done: Event,
    stream: Stream,
}

/// Waiting failed; the value still belongs to the work.
pub struct WaitError<T: Send + 'static> {
    /// Why.
    pub error: Error,
    /// What can be waited for again.
    pub pending: Pending<T>,
}

impl<T: Send + 'static> Pending<T> {
    /// `done` was recorded after the work, in the stream that has it.
    pub(super) fn new(value: T, done: Event, stream: Stream) -> Self {
        Self { value: Some(value), done, stream }
    }

    /// Whether the work is done.
    pub fn query(&self) -> Result<bool> {
        self.done.query()
    }

    /// Later work of a stream starts after this work; the caller does not wait.
    ///
    /// ```
    /// use gpustream::{DeviceBuffer, HostBuffer, Stream};
    ///
    /// let (copies, kernels) = (Stream::new()?, Stream::new()?);
    /// let pending = DeviceBuffer::new(&copies, 4)?.write(HostBuffer::from_slice(b"data")?)?;
    /// pending.wait_on(&kernels)?;
    /// let (_buffer, _host) = pending.wait()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn wait_on(&self, stream: &StreamRef) -> Result<()> {
        self.done.wait(stream)
    }

    /// Waits until the work is done and gives the value back. In async code, `pending.await` does.
    pub fn wait(self) -> std::result::Result<T, WaitError<T>> {
        match self.done.synchronize() {
            Ok(()) => Ok(self.into_value()),
            Err(error) => Err(WaitError { error, pending: self }),
        }
    }

    /// To be called when the work is done.
    pub(super) fn into_value(mut self) -> T {
        self.value.take().unwrap_or_else(|| unreachable!("only this and drop take the value, and both end self"))
    }
}

impl<T: Send + 'static> Drop for Pending<T> {
    fn drop(&mut self) {
        let Some(value) = self.value.take() else { return };
        if self.done.query() == Ok(true) {
            return drop(value);
        }
        // Nobody waits: the stream tells when it is beyond the work. Kept from being dropped with the function, which
        // happens at once where the stream cannot tell, though the work may still run.
        let value = ManuallyDrop::new(value);
        // A failure leaks the value; there is nobody to tell.
        let _ = self.stream.notify(move |result| {
            if result.is_ok() {
                drop(ManuallyDrop::into_inner(value));
            }
        });
    }
}

impl<T: Send + 'static> Debug for Pending<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pending").field("done", &self.done).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> From<WaitError<T>> for Error {
    /// The value goes the way of a dropped [`Pending`].
    fn from(failed: WaitError<T>) -> Self {
        failed.error
    }
}

impl<T: Send + 'static> Debug for WaitError<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.error, out)
    }
}

impl<T: Send + 'static> Display for WaitError<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.error, out)
    }
}

impl<T: Send + 'static> std::error::Error for WaitError<T> {}
