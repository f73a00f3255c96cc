// SPDX-License-Identifier: Apache-2.0
//! Conversions from and to cudarc's types: the feature `cudarc`.

use std::fmt::{self, Debug, Formatter};
use std::mem::{ManuallyDrop, forget};
use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError};

use crate::backend::Backend;
use crate::call::get;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::status::Status;
use crate::stream::Stream;

impl From<&CudaContext> for Device {
    /// The device of a context.
    fn from(context: &CudaContext) -> Self {
        // No machine has so many devices; the largest number is no device.
        Self::on(Backend::Cuda, u16::try_from(context.ordinal()).unwrap_or(u16::MAX))
    }
}

impl TryFrom<Arc<CudaStream>> for Stream {
    type Error = Error;

    /// Keeps cudarc's stream until the last reference to the result is gone. A stream of gpustream's own that cudarc
    /// wrapped is that stream again; the legacy and the per-thread default stream are gpustream's.
    ///
    /// [`INVALID_DEVICE`](Status::INVALID_DEVICE), [`DEVICE_MISMATCH`](Status::DEVICE_MISMATCH) or
    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): it belongs to a context that is not the primary one of a device.
    fn try_from(theirs: Arc<CudaStream>) -> Result<Self> {
        let device = Device::from(&**theirs.context());
        let native = theirs.cu_stream().cast();
        // SAFETY: the function holds the wrapper, which keeps the driver's stream or whose maker promised to.
        match unsafe { Self::from_raw_with(device, native, move || drop(theirs)) } {
            // A default stream, one of gpustream's own, or one that an earlier conversion keeps.
            Err(refused) if refused.status() == Status::INVALID_ARGUMENT => {
                // SAFETY: the output is a local variable; gpustream keeps each of those itself.
                get(|api, out| unsafe { api.gs_stream_from_native(device.as_raw(), native.addr(), out) })
                    .map(Self::owned)
            }
            wrapped => wrapped,
        }
    }
}

impl TryFrom<CudaEvent> for Event {
    type Error = Error;

    /// Keeps cudarc's event until the last reference to the result is gone. It counts as recorded.
    fn try_from(theirs: CudaEvent) -> Result<Self> {
        let device = Device::from(&**theirs.context());
        let native = theirs.cu_event().cast();
        // SAFETY: the function holds cudarc's event, which destroys the driver's when it is dropped.
        unsafe { Self::from_raw_with(device, native, move || drop(theirs)) }
    }
}

/// One of gpustream's streams as cudarc's type. Dereferences to what cudarc's functions take.
///
/// The stream lives as long as this value. Clones of the `Arc`, as in a `CudaSlice`, may outlive the value, and nothing
/// reports when the last one is gone. The reference to the stream is then never released.
///
/// ```no_run
/// use gpustream::{CudarcStream, Stream};
///
/// let stream = CudarcStream::try_from(Stream::new()?)?;
/// let zeros = stream.alloc_zeros::<f32>(1024).expect("cudarc");
/// # drop(zeros);
/// # Ok::<(), gpustream::Error>(())
/// ```
pub struct CudarcStream {
    theirs: ManuallyDrop<Arc<CudaStream>>,
    ours: ManuallyDrop<Stream>,
}

impl CudarcStream {
    /// gpustream's stream.
    pub fn stream(&self) -> &Stream {
        &self.ours
    }
}

impl TryFrom<Stream> for CudarcStream {
    type Error = Error;

    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): not a stream of the CUDA backend. [`DRIVER`](Status::DRIVER): cudarc
    /// cannot open the device's primary context; [`Error::native`] is the driver's code.
    fn try_from(ours: Stream) -> Result<Self> {
        let device = ours.device()?;
        let backend = match device.backend() {
            None => Backend::default_backend()?,
            stated => stated,
        };
        let Some(ordinal) = device.ordinal().filter(|_| backend == Some(Backend::Cuda)) else {
            let message = format!("{device} has no streams of CUDA's driver");
            return Err(Error::here(Status::NOT_SUPPORTED, 0, message));
        };
        let native = ours.as_raw_stream()?.cast();
        let context = CudaContext::new(ordinal.into()).map_err(not_opened)?;
        // SAFETY: a stream of that device's primary context; dropping this value keeps it while it is referred to.
        let theirs = unsafe { context.wrap_borrowed_stream(native) };
        Ok(Self { theirs: ManuallyDrop::new(theirs), ours: ManuallyDrop::new(ours) })
    }
}

fn not_opened(DriverError(code): DriverError) -> Error {
    Error::here(Status::DRIVER, code as i32, "cudarc cannot open the device's primary context".to_owned())
}

impl Deref for CudarcStream {
    type Target = Arc<CudaStream>;

    fn deref(&self) -> &Arc<CudaStream> {
        &self.theirs
    }
}

impl Drop for CudarcStream {
    fn drop(&mut self) {
        // SAFETY: both are taken here only, once.
        let (theirs, ours) = unsafe { (ManuallyDrop::take(&mut self.theirs), ManuallyDrop::take(&mut self.ours)) };
        if Arc::into_inner(theirs).is_none() {
            forget(ours);
        }
    }
}

impl Debug for CudarcStream {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_tuple("CudarcStream").field(&*self.ours).finish()
    }
}
