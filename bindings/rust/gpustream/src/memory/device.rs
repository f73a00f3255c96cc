// SPDX-License-Identifier: Apache-2.0
//! Device memory with an owner.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::RangeBounds;

use super::copy::{fits, refuse_capture, submit};
use super::pending::drop_after;
use super::plain::bytes_of;
use super::users::Users;
use super::{DeviceSlice, DeviceSliceMut, HostBuffer, Pending, Plain};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::reaper::defer;
use crate::status::Status;
use crate::stream::Stream;

/// The id that the header fixes for per-thread streams.
const PER_THREAD_ID: i64 = 2;

/// Device memory, allocated and freed in stream order: `len` elements of a [plain](Plain) type, bytes if nothing else is
/// said.
///
/// The methods work in the current stream of the buffer's device, and slices in [another one](DeviceSlice::on). The first use
/// in another stream than that of the allocation waits for what the latter has then; between uses in different streams
/// nothing waits. Dropping the buffer frees the memory after the work that all streams of such uses have then;
/// [`record_stream`](Self::record_stream) is for work that goes by the address.
///
/// ```
/// use gpustream::{DeviceBuffer, HostBuffer, Stream};
///
/// let stream = Stream::new()?;
/// let mut buffer = DeviceBuffer::from_slice(&stream, &[1.0_f32, 2.0, 3.0])?;
/// buffer.slice_mut(..1)?.fill_bytes(0)?;
/// assert_eq!(buffer.to_vec()?, [0.0, 2.0, 3.0]); // waits for the current stream
///
/// // Without a wait: the copy owns both buffers until it is done.
/// let pending = buffer.read(HostBuffer::zeroed(3)?)?;
/// let (_buffer, host) = pending.wait()?;
/// assert_eq!(*host, [0.0, 2.0, 3.0]);
/// # Ok::<(), gpustream::Error>(())
/// ```
pub struct DeviceBuffer<T: Plain = u8> {
    start: *mut c_void,
    len: usize,
    users: ManuallyDrop<Users>,
    element: PhantomData<T>,
}

// SAFETY: an address that this code never dereferences, and streams that are `Send`: per-thread streams are refused.
unsafe impl<T: Plain> Send for DeviceBuffer<T> {}
// SAFETY: shared access reads the address only.
unsafe impl<T: Plain> Sync for DeviceBuffer<T> {}

impl DeviceBuffer {
    /// [`zeroed`](DeviceBuffer::zeroed) for bytes.
    pub fn new(stream: &Stream, bytes: usize) -> Result<Self> {
        Self::zeroed(stream, bytes)
    }
}

impl<T: Plain> DeviceBuffer<T> {
    /// Allocates `len` elements and sets all their bytes to zero, in stream order. Does not block.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): a per-thread stream, which is another stream on each
    /// thread. [`CAPTURING`](crate::Status::CAPTURING): the stream is being captured, so that the memory would exist in
    /// launches only.
    pub fn zeroed(stream: &Stream, len: usize) -> Result<Self> {
        let buffer = Self::allocate(stream, len)?;
        // SAFETY: the memory is this buffer's; it is freed in the same stream order and so outlives the fill.
        unsafe { buffer.stream().memset(buffer.start, 0, buffer.size())? };
        Ok(buffer)
    }

    /// [`zeroed`](Self::zeroed) in the calling thread's current stream.
    ///
    /// ```
    /// use gpustream::{DeviceBuffer, Stream};
    ///
    /// let stream = Stream::new()?;
    /// let buffer = stream.with(|| DeviceBuffer::<u32>::current(16))??;
    /// assert_eq!(buffer.stream(), &stream);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn current(len: usize) -> Result<Self> {
        Self::zeroed(&Stream::current(Device::CURRENT)?, len)
    }

    /// Allocates memory for the elements and copies them to it by way of pinned memory, in stream order. Blocks while the
    /// driver maps that, not for the copy: the elements are the caller's again when this returns.
    pub fn from_slice(stream: &Stream, elements: &[T]) -> Result<Self> {
        let buffer = Self::allocate(stream, elements.len())?;
        let host = HostBuffer::from_slice(elements)?;
        // SAFETY: both ranges have that length, and both are freed after the copy: the host's as is seen to below.
        let copied = unsafe { buffer.stream().memcpy(buffer.start, host.as_ptr().cast(), buffer.size()) };
        drop_after(buffer.stream(), host); // after a failure, too: the copy may be running
        copied.map(|()| buffer)
    }

    fn allocate(stream: &Stream, len: usize) -> Result<Self> {
        if stream.id()? == PER_THREAD_ID {
            let text = "a buffer cannot belong to a per-thread stream, which is another stream on each thread";
            return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceBuffer", text));
        }
        refuse_capture(stream, "DeviceBuffer")?;
        let bytes = bytes_of::<T>(len, "DeviceBuffer")?;
        let stream = stream.try_clone()?;
        Ok(Self {
            start: stream.malloc(bytes)?,
            len,
            users: ManuallyDrop::new(Users::new(stream)),
            element: PhantomData,
        })
    }

    fn size(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address, for kernels and other libraries; null if there are no elements. Another stream than the buffer's
    /// must wait for that one first, and be [recorded](Self::record_stream).
    pub fn as_ptr(&self) -> *mut c_void {
        self.start
    }

    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The stream of the allocation.
    pub fn stream(&self) -> &Stream {
        self.users.own()
    }

    /// Notes that another stream uses the memory by its address: it is freed once that stream, too, has done what it has
    /// then. Neither stream waits: the caller orders that use behind the allocation. The methods note their streams themselves.
    pub fn record_stream(&self, stream: &Stream) -> Result<()> {
        self.users.record(stream)
    }

    /// A part of the buffer, to be read.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        DeviceSlice::new(self.start, self.len, &self.users).slice(range)
    }

    /// A part of the buffer, to be written.
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the range is not inside.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        Ok(DeviceSliceMut::new(self.slice(range)?))
    }

    /// [`DeviceSlice::to_vec`] of the whole buffer.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.slice(..)?.to_vec()
    }

    /// Copies the whole host buffer to the beginning of this one, in the current stream. [`Pending::wait`] returns both
    /// buffers when the copy is done. Does not block. [`DeviceSliceMut::write`] leaves this buffer with the caller.
    ///
    /// If it fails, as for a host buffer that is larger than this one, both buffers are freed, after the stream's
    /// present work if the copy may be running.
    pub fn write(self, host: HostBuffer<T>) -> Result<Pending<(Self, HostBuffer<T>)>> {
        fits(host.len(), self.len)?;
        submit(&self.users.stream(None)?, (self, host), |(device, host), stream| {
            let _use = device.users.enter(stream)?;
            // SAFETY: both ranges have that length, and both buffers belong to the copy until it is done.
            unsafe { stream.memcpy(device.start, host.as_ptr().cast(), size_of_val::<[T]>(host)) }
        })
    }

    /// Fills the host buffer from the beginning of this one, in the current stream. [`Pending::wait`] returns both buffers
    /// when the copy is done. Does not block. [`DeviceSlice::read`] leaves this buffer with the caller.
    pub fn read(self, host: HostBuffer<T>) -> Result<Pending<(Self, HostBuffer<T>)>> {
        fits(host.len(), self.len)?;
        submit(&self.users.stream(None)?, (self, host), |(device, host), stream| {
            let _use = device.users.enter(stream)?;
            // SAFETY: as above.
            unsafe { stream.memcpy(host.as_mut_ptr().cast(), device.start, size_of_val::<[T]>(host)) }
        })
    }
}

impl<T: Plain> Drop for DeviceBuffer<T> {
    /// Frees the memory after the present work of the streams that use it. If one is being captured, it lives as long as the
    /// graph. Host functions may not free what they drop: the crate's thread does. Any other failure leaks it: a drop has no
    /// caller to report to.
    fn drop(&mut self) {
        // SAFETY: nothing uses them after this.
        let users = unsafe { ManuallyDrop::take(&mut self.users) };
        // SAFETY: the memory is this buffer's, and all work on it that is not by address has entered its stream.
        let freed = unsafe { users.free(self.start) };
        if freed.is_err_and(|error| error.status() == Status::NOT_PERMITTED) {
            let address = self.start.addr();
            // SAFETY: as above; it was not freed.
            defer(move || _ = unsafe { users.free(std::ptr::without_provenance_mut(address)) });
        }
    }
}

impl<T: Plain> Debug for DeviceBuffer<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "DeviceBuffer({} bytes at {:p} of {:?})", self.size(), self.start, self.stream())
    }
}
