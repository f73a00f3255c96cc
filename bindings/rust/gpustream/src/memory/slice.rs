// SPDX-License-Identifier: Apache-2.0
//! Parts of device buffers.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::atomic::{AtomicBool, Ordering};

use super::copy::{fits, refuse_capture, submit};
use super::range::inside;
use super::{HostBuffer, Pending, Plain};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::stream::Stream;

/// What a slice knows of its buffer.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub stream: &'a Stream,
    /// Set where the buffer's stream does not wait for work that uses the memory: it must not be freed.
    pub lost: &'a AtomicBool,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to be read.
#[derive(Clone, Copy)]
pub struct DeviceSlice<'a, T: Plain> {
    start: *mut T,
    len: usize,
    owner: Owner<'a>,
}

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to be written.
///
/// ```
/// use gpustream::{DeviceBuffer, HostBuffer, Stream};
///
/// let stream = Stream::new()?;
/// let mut buffer = DeviceBuffer::<f32>::zeroed(&stream, 8)?;
/// let pending = buffer.slice_mut(2..4)?.write(HostBuffer::from_slice(&[1.5, 2.5])?)?;
/// assert_eq!(buffer.to_vec()?, [0.0, 0.0, 1.5, 2.5, 0.0, 0.0, 0.0, 0.0]);
/// let _host = pending.wait()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
pub struct DeviceSliceMut<'a, T: Plain> {
    inner: DeviceSlice<'a, T>,
    exclusive: PhantomData<&'a mut T>,
}

// SAFETY: an address that this code never dereferences, and a stream that is `Send` and `Sync`.
unsafe impl<T: Plain> Send for DeviceSlice<'_, T> {}
// SAFETY: as above; shared access reads the address only.
unsafe impl<T: Plain> Sync for DeviceSlice<'_, T> {}

impl<'a, T: Plain> DeviceSlice<'a, T> {
    /// The whole of a buffer.
    pub(super) fn new(start: *mut c_void, len: usize, owner: Owner<'a>) -> Self {
        Self { start: start.cast(), len, owner }
    }

    /// The device address, for kernels and other libraries. Other streams must wait for the buffer's stream first.
    pub fn as_ptr(&self) -> *mut c_void {
        self.start.cast()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The stream in whose order the memory is used.
    pub fn stream(&self) -> &'a Stream {
        self.owner.stream
    }

    /// A part of this one.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (first, len) = inside(&range, self.len)?;
        // In the bounds of the allocation; an empty slice may begin at its end.
        Ok(Self { start: self.start.wrapping_add(first), len, owner: self.owner })
    }

    /// Fills the host buffer from the beginning of this slice, in stream order. [`Pending::wait`] returns the host buffer
    /// when the copy is done. Does not block.
    ///
    /// # Errors
    ///
    /// The host buffer is then freed, after the stream's present work if the copy may be running.
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the host buffer is larger than this slice.
    /// [`CAPTURING`](Status::CAPTURING): the stream is being captured. The [start](crate#start-errors),
    /// [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn read(&self, host: HostBuffer<T>) -> Result<Pending<HostBuffer<T>>> {
        fits(host.len(), self.len)?;
        let from = self.as_ptr();
        submit(self.owner.stream.try_clone()?, host, |host| {
            // SAFETY: both ranges have that length. The host buffer belongs to the copy, and the device's is freed in the
            // order of the same stream.
            unsafe { self.owner.stream.memcpy(host.as_mut_ptr().cast(), from, size_of_val::<[T]>(host)) }
        })
    }

    /// Copies the elements to host memory. Blocks, without spinning, until the stream's work so far is done.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read) and [`Event::synchronize`](crate::Event::synchronize).
    pub fn to_vec(&self) -> Result<Vec<T>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.read(HostBuffer::zeroed(self.len)?)?.wait()?.to_vec())
    }
}

impl<'a, T: Plain> DeviceSliceMut<'a, T> {
    /// The caller has exclusive access to the elements for `'a`.
    pub(super) fn new(inner: DeviceSlice<'a, T>) -> Self {
        Self { inner, exclusive: PhantomData }
    }

    /// The device address, for kernels and other libraries. Other streams must wait for the buffer's stream first.
    pub fn as_ptr(&self) -> *mut c_void {
        self.inner.as_ptr()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.inner.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// The stream in whose order the memory is used.
    pub fn stream(&self) -> &'a Stream {
        self.inner.owner.stream
    }

    /// The same elements, to be read.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.inner
    }

    /// A part of this one.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        Ok(DeviceSliceMut::new(self.inner.slice(range)?))
    }

    /// The first `at` elements, and the others.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): there are fewer elements.
    pub fn split_at_mut(&mut self, at: usize) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>)> {
        Ok((DeviceSliceMut::new(self.inner.slice(..at)?), DeviceSliceMut::new(self.inner.slice(at..)?)))
    }

    /// Sets every byte of the elements, in stream order. Does not block.
    ///
    /// # Errors
    ///
    /// [`CAPTURING`](Status::CAPTURING): the stream is being captured. The [start](crate#start-errors),
    /// [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn fill_bytes(&mut self, byte: u8) -> Result<()> {
        let stream = self.stream();
        refuse_capture(stream, "DeviceSliceMut::fill_bytes")?;
        // SAFETY: the memory has that length and is freed in the order of the same stream.
        unsafe { stream.memset(self.as_ptr(), byte, self.len() * size_of::<T>()) }
    }

    /// Copies elements of another buffer, or of another part of this one, in stream order. If it goes by another stream,
    /// each of the two streams waits for the present work of the other: this one before the copy, the source's after it.
    /// Does not block.
    ///
    /// ```
    /// use gpustream::{DeviceBuffer, Stream};
    ///
    /// let stream = Stream::new()?;
    /// let mut buffer = DeviceBuffer::from_slice(&stream, &[1, 2, 3, 4])?;
    /// let mut whole = buffer.slice_mut(..)?;
    /// let (mut left, right) = whole.split_at_mut(2)?;
    /// left.copy_from(right.as_slice())?;
    /// assert_eq!(buffer.to_vec()?, [3, 4, 3, 4]);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): not the same number of elements.
    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): memory of different backends. [`CAPTURING`](Status::CAPTURING): one of the
    /// streams is being captured. The [start](crate#start-errors), [driver](crate#driver-errors) and [call
    /// errors](crate#call-errors). If the source's stream cannot be made to wait, the source's memory is never freed, as
    /// the copy may use it.
    pub fn copy_from(&mut self, source: DeviceSlice<'_, T>) -> Result<()> {
        if source.len != self.len() {
            let text = format!("the source has {} elements, the target {}", source.len, self.len());
            return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceSliceMut::copy_from", &text));
        }
        let (stream, other) = (self.stream(), source.owner.stream);
        let apart = stream.as_handle() != other.as_handle();
        refuse_capture(stream, "DeviceSliceMut::copy_from")?;
        if apart {
            refuse_capture(other, "DeviceSliceMut::copy_from")?;
            stream.wait_stream(other)?;
        }
        // SAFETY: both ranges have that length and do not overlap, since this one is borrowed exclusively. Both are freed
        // after the copy: this one in the same stream's order, the source as is seen to below.
        let copied = unsafe { stream.memcpy(self.as_ptr(), source.as_ptr(), self.len() * size_of::<T>()) };
        if !apart {
            return copied;
        }
        // After a failure, too: the copy may be running.
        let ordered = other.wait_stream(stream);
        if ordered.is_err() {
            source.owner.lost.store(true, Ordering::Relaxed);
        }
        copied.and(ordered)
    }

    /// Copies the whole host buffer to the beginning of this slice, in stream order. [`Pending::wait`] returns the host
    /// buffer when the copy is done. Does not block.
    ///
    /// # Errors
    ///
    /// As [`DeviceSlice::read`].
    pub fn write(&mut self, host: HostBuffer<T>) -> Result<Pending<HostBuffer<T>>> {
        fits(host.len(), self.len())?;
        let to = self.as_ptr();
        let stream = self.stream();
        submit(stream.try_clone()?, host, |host| {
            // SAFETY: as in `DeviceSlice::read`.
            unsafe { stream.memcpy(to, host.as_ptr().cast(), size_of_val::<[T]>(host)) }
        })
    }
}

impl<T: Plain> Debug for DeviceSlice<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "DeviceSlice({} elements at {:p} of {:?})", self.len, self.start, self.owner.stream)
    }
}

impl<T: Plain> Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.inner, out)
    }
}
