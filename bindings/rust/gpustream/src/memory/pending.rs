// SPDX-License-Identifier: Apache-2.0
//! Values in use by submitted work.

use std::fmt::{self, Debug, Display, Formatter};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::event::Event;
use crate::status::Status;
use crate::stream::{Stream, StreamRef};

/// A value that belongs to submitted work until the work is done.
///
/// Dropping it does not block: the value is dropped on a thread of the library, after the work and everything submitted
/// to the stream until then is done; if the stream is being captured, after its graph has ended as well. It is leaked if
/// the device fails before that. The default stream stands for a per-thread one: while a blocking stream is being captured,
/// the value is leaked.
#[must_use = "the value comes back from `wait`"]
pub struct Pending<T: Send + 'static> {
    value: Option<T>,
    /// Never handed out: an event can be recorded again by every owner, and would then cover other work.
    pub(super) done: Event,
    stream: Stream,
}

/// A failed wait. The value still belongs to the work.
pub struct WaitError<T: Send + 'static> {
    /// Why the wait failed.
    pub error: Error,
    /// The work, to wait for it again.
    pub pending: Pending<T>,
}

impl<T: Send + 'static> Pending<T> {
    /// `done` was recorded after the work. That of `stream`, on any thread, comes behind it.
    pub(super) fn new(value: T, done: Event, stream: Stream) -> Self {
        Self { value: Some(value), done, stream }
    }

    /// Whether the work is done. Does not block.
    pub fn query(&self) -> Result<bool> {
        self.done.query()
    }

    /// Makes a stream wait for this work. The caller does not block.
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

    /// Blocks, without spinning, until the work is done, and returns the value. In async code use `pending.await`.
    ///
    /// The [`WaitError`] holds the work, so that the caller can wait again.
    pub fn wait(self) -> std::result::Result<T, WaitError<T>> {
        match self.done.synchronize() {
            Ok(()) => Ok(self.into_value()),
            Err(error) => Err(WaitError { error, pending: self }),
        }
    }

    /// Takes the value out; the work is done.
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
        drop_after(&self.stream, value);
    }
}

/// Drops a value on a thread of the library when the stream is past its present work; leaks it if that cannot be known.
/// Does not block.
pub(super) fn drop_after<T: Send + 'static>(stream: &Stream, value: T) {
    drop_kept(stream, Arc::new(Mutex::new(Some(ManuallyDrop::new(value)))));
}

/// A refused notification drops its function at once, while the work may still run: the value must not be dropped with it.
type Kept<T> = Arc<Mutex<Option<ManuallyDrop<T>>>>;

fn drop_kept<T: Send + 'static>(stream: &Stream, kept: Kept<T>) {
    let mine = kept.clone();
    let refused = stream.notify(move |result| {
        let value = mine.lock().ok().and_then(|mut kept| kept.take());
        if let (Ok(()), Some(value)) = (result, value) {
            drop(ManuallyDrop::into_inner(value));
        }
    });
    // The work is from before the capture: when the graph has ended, the stream is asked again. Any other failure leaks the
    // value: the caller has no way to report a second failure.
    if let (Err(Status::CAPTURING), Ok(owned)) = (refused.map_err(|error| error.status()), stream.try_clone()) {
        let _ = stream.defer(move || drop_kept(&owned, kept));
    }
}

impl<T: Send + 'static> Debug for Pending<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pending").field("done", &self.done).finish_non_exhaustive()
    }
}

impl<T: Send + 'static> From<WaitError<T>> for Error {
    /// Drops the [`Pending`].
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread;

    use super::super::copy::submit;
    use crate::device::Device;
    use crate::stream::Stream;

    /// A per-thread stream is another one on the thread that drops the value.
    #[test]
    #[cfg_attr(miri, ignore = "uses the C library")]
    fn value_of_a_per_thread_stream_outlives_the_work_of_its_thread() {
        let (owned, (open, opened)) = (Arc::new(()), channel::<()>());
        let value = owned.clone();
        let begin = move || {
            let stream = Stream::per_thread(Device::CURRENT).unwrap();
            // SAFETY: waits for a thread of the test only.
            unsafe { stream.launch_host(move || _ = opened.recv()) }.unwrap();
            submit(&stream, value, |_, _| Ok(())).unwrap()
        };
        drop(thread::spawn(begin).join().unwrap());
        let (ran, run) = channel();
        Stream::new().unwrap().notify(move |_| ran.send(()).unwrap()).unwrap();
        run.recv().unwrap(); // this thread's own per-thread stream is idle, too
        assert_eq!(Arc::strong_count(&owned), 2);
        open.send(()).unwrap();
        while Arc::strong_count(&owned) > 1 {
            thread::yield_now();
        }
    }
}
