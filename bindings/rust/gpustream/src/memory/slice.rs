// SPDX-License-Identifier: Apache-2.0
//! Parts of device buffers.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::copy::{fits, submit};
use super::range::inside;
use super::users::Users;
use super::{HostBuffer, Pending, Plain};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::stream::Stream;

/// A part of a [`DeviceBuffer`](crate::DeviceBuffer), to be read.
#[derive(Clone, Copy)]
pub struct DeviceSlice<'a, T: Plain> {
    start: *mut T,
    len: usize,
    users: &'a Users,
    /// Where its methods work; `None`: in the current stream.
    stream: Option<&'a Stream>,
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

// SAFETY: an address that this code never dereferences, and streams that are `Send` and `Sync`.
unsafe impl<T: Plain> Send for DeviceSlice<'_, T> {}
// SAFETY: as above; shared access reads the address only.
unsafe impl<T: Plain> Sync for DeviceSlice<'_, T> {}

impl<'a, T: Plain> DeviceSlice<'a, T> {
    /// The whole of a buffer.
    pub(super) fn new(start: *mut c_void, len: usize, users: &'a Users) -> Self {
        Self { start: start.cast(), len, users, stream: None }
    }

    /// The same elements, whose methods work in this stream.
    ///
    /// ```
    /// use gpustream::{DeviceBuffer, Stream};
    ///
    /// let (upload, compute) = (Stream::new()?, Stream::new()?);
    /// let mut buffer = DeviceBuffer::from_slice(&upload, &[1, 2, 3, 4])?;
    /// buffer.slice_mut(2..)?.on(&compute).fill_bytes(0)?; // waits for the allocation and its contents
    /// assert_eq!(buffer.slice(..)?.on(&compute).to_vec()?, [1, 2, 0, 0]);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    #[must_use]
    pub fn on(self, stream: &'a Stream) -> Self {
        Self { stream: Some(stream), ..self }
    }

    /// The device address, as [`DeviceBuffer::as_ptr`](crate::DeviceBuffer::as_ptr).
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

    /// A part of this one.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (first, len) = inside(&range, self.len)?;
        // In the bounds of the allocation; an empty slice may begin at its end.
        Ok(Self { start: self.start.wrapping_add(first), len, ..*self })
    }

    /// Fills the host buffer from the beginning of this slice, in stream order. [`Pending::wait`] returns the host buffer
    /// when the copy is done. Does not block.
    ///
    /// If it fails, as for a host buffer that is larger than this slice, the host buffer is freed, after the stream's
    /// present work if the copy may be running.
    pub fn read(&self, host: HostBuffer<T>) -> Result<Pending<HostBuffer<T>>> {
        fits(host.len(), self.len)?;
        let from = self.as_ptr();
        submit(&self.users.stream(self.stream)?, host, |host, stream| {
            let _use = self.users.enter(stream)?;
            // SAFETY: both ranges have that length. The host buffer belongs to the copy, and the device's is freed behind
            // the stream.
            unsafe { stream.memcpy(host.as_mut_ptr().cast(), from, size_of_val::<[T]>(host)) }
        })
    }

    /// Copies the elements to host memory. Blocks, without spinning, until the work of the stream so far is done.
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

    /// The device address, as [`DeviceBuffer::as_ptr`](crate::DeviceBuffer::as_ptr).
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

    /// The same elements, whose methods work in this stream, as [`DeviceSlice::on`].
    #[must_use]
    pub fn on(self, stream: &'a Stream) -> Self {
        Self::new(self.inner.on(stream))
    }

    /// The same elements, to be read.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.inner
    }

    /// A part of this one.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        Ok(DeviceSliceMut::new(self.inner.slice(range)?))
    }

    /// The first `at` elements, and the others.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): there are fewer elements.
    pub fn split_at_mut(&mut self, at: usize) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>)> {
        Ok((DeviceSliceMut::new(self.inner.slice(..at)?), DeviceSliceMut::new(self.inner.slice(at..)?)))
    }

    /// Sets every byte of the elements, in stream order; in a capture at each launch of the graph, which must not outlive the
    /// buffer. Does not block, but in a capture for the allocation.
    ///
    /// [`CAPTURING`](crate::Status::CAPTURING): the stream of the allocation is being captured, and the stream of the
    /// fill is not.
    pub fn fill_bytes(&mut self, byte: u8) -> Result<()> {
        let stream = self.inner.users.stream(self.inner.stream)?;
        let _use = self.inner.users.enter(&stream)?;
        // SAFETY: the memory has that length and is freed behind the stream.
        unsafe { stream.memset(self.as_ptr(), byte, self.len() * size_of::<T>()) }
    }

    /// Copies elements of another buffer, or of another part of this one, in the stream of this slice; in a capture at each
    /// launch of the graph, which must not outlive the buffers. Does not block, but in a capture for the allocations.
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
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): not the same number of elements.
    pub fn copy_from(&mut self, source: DeviceSlice<'_, T>) -> Result<()> {
        if source.len != self.len() {
            let text = format!("the source has {} elements, the target {}", source.len, self.len());
            return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceSliceMut::copy_from", &text));
        }
        let stream = self.inner.users.stream(self.inner.stream)?;
        let (_use, _source_use) = (self.inner.users.enter(&stream)?, source.users.enter(&stream)?);
        // SAFETY: both ranges have that length and do not overlap, since this one is borrowed exclusively. Both are freed
        // behind the stream.
        unsafe { stream.memcpy(self.as_ptr(), source.as_ptr(), self.len() * size_of::<T>()) }
    }

    /// Copies the whole host buffer to the beginning of this slice, in stream order. [`Pending::wait`] returns the host
    /// buffer when the copy is done. Does not block.
    ///
    /// If it fails, the host buffer ends as with [`DeviceSlice::read`].
    pub fn write(&mut self, host: HostBuffer<T>) -> Result<Pending<HostBuffer<T>>> {
        fits(host.len(), self.len())?;
        let (to, users) = (self.as_ptr(), self.inner.users);
        submit(&users.stream(self.inner.stream)?, host, |host, stream| {
            let _use = users.enter(stream)?;
            // SAFETY: as in `DeviceSlice::read`.
            unsafe { stream.memcpy(to, host.as_ptr().cast(), size_of_val::<[T]>(host)) }
        })
    }
}

impl<T: Plain> Debug for DeviceSlice<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "DeviceSlice({} elements at {:p} of {:?})", self.len, self.start, self.users.own())
    }
}

impl<T: Plain> Debug for DeviceSliceMut<'_, T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.inner, out)
    }
}
