// SPDX-License-Identifier: Apache-2.0
//! The operations of streams that need nothing but the stream.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};

use gpustream_sys::{self as sys, gs_stream_t, gs_stream_triple_t};

use crate::call::{call, fill, read, truth};
use crate::counted::of_all_threads;
use crate::device::Device;
use crate::error::Result;
use crate::numbers::flags;

sys::for_each_enumerator! {
    stream_flag, flags,
    /// What kind of stream it is.
    StreamFlags
}

/// The operations of streams. Always behind a reference: [`Stream`](super::Stream) and
/// [`BorrowedStream`](super::BorrowedStream) are to it what `String` is to `str`, and [`CURRENT`](super::CURRENT) is a
/// reference without an owner.
///
/// Equality and hash are those of the driver's stream: two handles of one are equal. In a forked child, where the library
/// does not answer, they are those of the handle. Hashes differ from those before the fork, so a `HashSet` or `HashMap`
/// of the parent does not find its streams there.
#[repr(transparent)]
pub struct StreamRef {
    raw: gs_stream_t,
}

of_all_threads! { StreamRef }

/// A stream as plain numbers, for another language in the same process. [`Stream::unpack`](super::Stream::unpack) turns
/// them back into a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamTriple {
    /// 0 for a default stream, 2 for a per-thread stream, otherwise unique and above 2^48.
    pub id: i64,
    /// Ordinal of the device within its backend.
    pub device_index: i32,
    /// Number of the backend: 1 host, 2 CUDA, 3 HIP.
    pub device_type: i32,
}

impl StreamRef {
    pub(super) const fn from_handle(raw: gs_stream_t) -> Self {
        Self { raw }
    }

    /// The C library's handle, for the functions in [`sys`]. Borrowed.
    #[inline]
    pub fn as_handle(&self) -> gs_stream_t {
        self.raw
    }

    /// The `cudaStream_t` for cudarc, cust or any other library: null for the default stream, 2 for the per-thread one.
    ///
    /// It lives as long as this stream, and others must not destroy it. The library assumes from now on that others
    /// submit work to it. On the host backend it is a number that only
    /// [`BorrowedStream::from_raw`](super::BorrowedStream) accepts.
    pub fn as_raw_stream(&self) -> Result<*mut c_void> {
        read!(gs_stream_native(self.raw)).map(std::ptr::without_provenance_mut)
    }

    /// Whether all work submitted so far is done. Neither blocks nor breaks a capture.
    #[inline]
    pub fn query(&self) -> Result<bool> {
        read!(gs_stream_query(self.raw)).map(truth)
    }

    /// Blocks until all work submitted before the call is done. Does not break a capture.
    pub fn synchronize(&self) -> Result<()> {
        call!(gs_stream_synchronize(self.raw))
    }

    /// Makes this stream wait for all work submitted to `other` before the call. The caller does not block; a stream
    /// does not wait for itself.
    #[inline]
    pub fn wait_stream(&self, other: &Self) -> Result<()> {
        call!(gs_stream_wait_stream(self.raw, other.raw))
    }

    /// A number that identifies the stream within the process: 0 for a default stream, 2 for a per-thread stream,
    /// otherwise above 2^48.
    pub fn id(&self) -> Result<i64> {
        read!(gs_stream_id(self.raw))
    }

    /// The stream's device, which never changes.
    pub fn device(&self) -> Result<Device> {
        read!(gs_stream_device(self.raw)).map(Device::from_raw)
    }

    /// Whether this is its device's default stream, under any of the driver's names for it.
    pub fn is_default(&self) -> Result<bool> {
        Ok(self.info()?.id == 0)
    }

    /// Whether this is a per-thread default stream, which is another stream on each thread.
    pub fn is_per_thread(&self) -> Result<bool> {
        Ok(self.info()?.id == 2)
    }

    /// The driver's own number of the stream, by which traces and profilers name it. 0: a default or per-thread stream of
    /// a device that has no context yet. Does not block.
    pub fn driver_id(&self) -> Result<u64> {
        read!(gs_stream_driver_id(self.raw))
    }

    /// The `CUcontext` that the stream belongs to, its device's primary one, as a pointer that nothing is done with here.
    /// Null as above. Does not block.
    pub fn raw_context(&self) -> Result<*mut c_void> {
        read!(gs_stream_context(self.raw)).map(std::ptr::without_provenance_mut)
    }

    /// The effective priority; a lower number is a higher priority.
    pub fn priority(&self) -> Result<i32> {
        self.info().map(|info| info.priority)
    }

    /// What kind of stream it is.
    pub fn flags(&self) -> Result<StreamFlags> {
        self.info().map(|info| StreamFlags::from_bits_retain(info.flags))
    }

    fn info(&self) -> Result<sys::gs_stream_info_t> {
        fill!(gs_stream_get_info(self.raw))
    }

    /// Whether the stream is being captured into a graph. Does not break the capture.
    pub fn is_capturing(&self) -> Result<bool> {
        read!(gs_stream_is_capturing(self.raw)).map(truth)
    }

    /// The stream as plain numbers, which do not keep it alive.
    pub fn pack(&self) -> Result<StreamTriple> {
        let gs_stream_triple_t { id, device_index, device_type } = fill!(gs_stream_pack(self.raw))?;
        Ok(StreamTriple { id, device_index, device_type })
    }

    /// Occupies the stream for about this many clock cycles of the device (nanoseconds on host). For tests and
    /// demonstrations. Does not block.
    pub fn sleep(&self, cycles: u64) -> Result<()> {
        call!(gs_stream_sleep(self.raw, cycles))
    }
}

impl PartialEq for StreamRef {
    /// In a forked child, where the library does not answer, the handles are compared.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw || read!(gs_stream_equal(self.raw, other.raw)).map(truth).unwrap_or(false)
    }
}

impl Eq for StreamRef {}

impl Hash for StreamRef {
    /// In a forked child, where the library does not answer, the hash of the handle.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.info().map_or(self.raw.addr() as u64, |info| info.hash).hash(state);
    }
}

impl Debug for StreamRef {
    /// Does not count as giving out the driver's handle.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.raw == sys::GS_STREAM_CURRENT {
            return out.write_str("Stream(current)");
        }
        let mut text = out.debug_struct("Stream");
        match (self.id(), self.device(), self.priority(), self.flags()) {
            (Ok(id), Ok(device), Ok(priority), Ok(flags)) => text
                .field("id", &format_args!("{id:#x}"))
                .field("device", &device)
                .field("priority", &priority)
                .field("flags", &flags)
                .finish(),
            _ => text.field("handle", &self.raw).finish_non_exhaustive(),
        }
    }
}
