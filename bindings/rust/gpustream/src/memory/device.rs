// SPDX-License-Identifier: Apache-2.0
//! Device memory owned in the order of one stream.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};

use super::{HostBuffer, Pending};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::status::Status;
use crate::stream::{Stream, StreamRef};

/// The id that the header fixes for per-thread streams.
const PER_THREAD_ID: i64 = 2;

/// Bytes of device memory, used and freed in the order of one stream.
///
/// ```
/// use gpustream::{DeviceBuffer, HostBuffer, Stream};
///
/// let stream = Stream::new()?;
/// let buffer = DeviceBuffer::new(&stream, 4)?;
/// let (buffer, _host) = buffer.write(HostBuffer::from_slice(b"data")?)?.wait()?;
/// let (_buffer, host) = buffer.read(HostBuffer::new(4)?)?.wait()?;
/// assert_eq!(*host, *b"data");
/// # Ok::<(), gpustream::Error>(())
/// ```
pub struct DeviceBuffer {
    start: *mut c_void,
    bytes: usize,
    stream: Stream,
}

// SAFETY: an address that this code never dereferences, and a stream that is `Send` and not a per-thread stream.
unsafe impl Send for DeviceBuffer {}
// SAFETY: shared access reads the address only.
unsafe impl Sync for DeviceBuffer {}

impl DeviceBuffer {
    /// Allocates `bytes` bytes and fills them with zeros, in stream order. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): a per-thread stream, which is another stream on each thread, or
    /// `bytes` is 0 or above `isize::MAX`. [`CAPTURING`](Status::CAPTURING): the stream is being captured, so that the
    /// memory would exist in launches only. Otherwise as [`StreamRef::malloc`](crate::StreamRef::malloc).
    pub fn new(stream: &Stream, bytes: usize) -> Result<Self> {
        if stream.id()? == PER_THREAD_ID {
            let text = "a buffer cannot belong to a per-thread stream, which is another stream on each thread";
            return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceBuffer::new", text));
        }
        refuse_capture(stream, "DeviceBuffer::new")?;
        let stream = stream.try_clone()?;
        let buffer = Self { start: stream.malloc(bytes)?, bytes, stream };
        // SAFETY: the memory is this buffer's; it is freed in the same stream order and so outlives the fill.
        unsafe { buffer.stream.memset(buffer.start, 0, bytes)? };
        Ok(buffer)
    }

    /// The device address, for kernels and other libraries. Other streams must wait for the buffer's stream first.
    pub fn as_ptr(&self) -> *mut c_void {
        self.start
    }

    /// Size in bytes, never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// The stream in whose order the buffer is used and freed.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Copies the whole host buffer to the beginning of this one, in stream order. [`Pending::wait`] returns both
    /// buffers when the copy is done. Does not block.
    ///
    /// # Errors
    ///
    /// Both buffers are then freed, or leaked if the copy may already be running.
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the host buffer is larger than this one.
    /// [`CAPTURING`](Status::CAPTURING): the stream is being captured; [`GraphRef`](crate::GraphRef) has copies. The
    /// [start](crate#start-errors), [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn write(self, host: HostBuffer) -> Result<Pending<(Self, HostBuffer)>> {
        self.copy(host, |device, host| {
            // SAFETY: both ranges have that length, and `copy` keeps both buffers until the copy is done.
            unsafe { device.stream.memcpy(device.start, host.as_ptr().cast(), host.len()) }
        })
    }

    /// Fills the host buffer from the beginning of this one, in stream order. [`Pending::wait`] returns both buffers
    /// when the copy is done. Does not block.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn read(self, host: HostBuffer) -> Result<Pending<(Self, HostBuffer)>> {
        self.copy(host, |device, host| {
            // SAFETY: as above.
            unsafe { device.stream.memcpy(host.as_mut_ptr().cast(), device.start, host.len()) }
        })
    }

    fn copy(
        self,
        mut host: HostBuffer,
        submit: impl FnOnce(&Self, &mut HostBuffer) -> Result<()>,
    ) -> Result<Pending<(Self, HostBuffer)>> {
        if host.len() > self.bytes {
            let text = format!("the host buffer has {} bytes, the device buffer {}", host.len(), self.bytes);
            return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceBuffer", &text));
        }
        refuse_capture(&self.stream, "DeviceBuffer")?;
        let done = Event::builder().blocking(true).build()?;
        let stream = self.stream.try_clone()?;
        submit(&self, &mut host)?;
        match done.record(&stream) {
            Ok(()) => Ok(Pending::new((self, host), done, stream)),
            Err(error) => {
                // The copy may be running, and there is no event that would show its end.
                std::mem::forget((self, host));
                Err(error)
            }
        }
    }
}

/// Refuses what cannot be undone in a capture: its copies never run, or again and again.
fn refuse_capture(stream: &StreamRef, function: &str) -> Result<()> {
    if stream.is_capturing()? {
        return Err(Error::new(Status::CAPTURING, function, "buffers are not used in a stream that is being captured"));
    }
    Ok(())
}

impl Drop for DeviceBuffer {
    /// Leaks the memory if the stream is being captured: each launch would free it again.
    fn drop(&mut self) {
        if self.stream.is_capturing() == Ok(true) {
            return;
        }
        // SAFETY: the memory is this buffer's, and all work on it was submitted to this stream before. A failure leaks
        // it: a drop has no caller to report to.
        let _ = unsafe { self.stream.free(self.start) };
    }
}

impl Debug for DeviceBuffer {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "DeviceBuffer({} bytes at {:p} of {:?})", self.bytes, self.start, self.stream)
    }
}
