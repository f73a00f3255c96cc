// SPDX-License-Identifier: Apache-2.0
//! The owner of a timeline's reference.

use std::fmt::{self, Debug, Formatter};
use std::mem::ManuallyDrop;

use gpustream_sys::{GS_TIMELINE_SIGNAL_FIRST, gs_timeline_t};

use crate::call::get;
use crate::counted::counted;
use crate::device::Device;
use crate::error::Result;

/// A number that only grows. Streams and threads signal it, which raises it to a value, and wait until it has reached
/// one. A wait may come before its signal is submitted, or known. Streams of all devices of the timeline's backend may
/// use it. Values are below 2^63 - 1.
///
/// A clone is another reference to the same timeline; equality and hash are those of the timeline. Dropping the last one
/// lets streams that wait for it go on although their waits were not met; signals that were submitted still happen. Once a timeline is aborted, its functions return
/// the status of the abort.
///
/// ```
/// use gpustream::{Stream, Timeline};
///
/// let (producer, consumer) = (Stream::new()?, Stream::new()?);
/// let ready = Timeline::new()?;
/// ready.wait(&consumer, 1)?; // first: the consumer's later work waits
/// producer.sleep(1_000_000)?; // in place of real work
/// ready.signal(&producer, 1)?;
/// consumer.synchronize()?;
/// assert_eq!(ready.value()?, 1);
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Timeline {
    raw: gs_timeline_t,
}

// SAFETY: the handle is a number; every function of the library may be called from every thread at the same time.
unsafe impl Send for Timeline {}
// SAFETY: as above.
unsafe impl Sync for Timeline {}

impl Timeline {
    /// Creates a timeline of the current device's backend, at 0.
    pub fn new() -> Result<Self> {
        Self::with_initial(Device::CURRENT, 0)
    }

    /// Creates a timeline with a first value. Its memory is registered in the name of the device. Does not block.
    pub fn with_initial(device: Device, initial: u64) -> Result<Self> {
        Self::with_flags(device, initial, 0)
    }

    /// Creates a timeline for which streams wait only after the signal was submitted. A signal is then one driver call less,
    /// and [`value`](Self::value) asks the driver, so it cannot be read in host functions. Does not block.
    pub fn signal_first(device: Device, initial: u64) -> Result<Self> {
        Self::with_flags(device, initial, GS_TIMELINE_SIGNAL_FIRST)
    }

    fn with_flags(device: Device, initial: u64, flags: u32) -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_timeline_create(device.as_raw(), initial, flags, out) }).map(|raw| Self { raw })
    }

    /// The C library's handle, for the functions in [`sys`](crate::sys). It stays owned by this timeline.
    #[inline]
    pub fn as_handle(&self) -> gs_timeline_t {
        self.raw
    }

    /// Takes over one reference of a handle of the C library, from C or another language.
    ///
    /// # Safety
    ///
    /// The caller owns a reference to `handle` and gives it away.
    pub unsafe fn from_handle(handle: gs_timeline_t) -> Self {
        Self { raw: handle }
    }

    /// Releases this reference to the caller, as the C library's handle, which the caller passes to
    /// `gs_timeline_destroy`.
    pub fn into_handle(self) -> gs_timeline_t {
        ManuallyDrop::new(self).raw
    }
}

counted! {
    Timeline, "timeline",
    retain: |api, raw| api.gs_timeline_retain(raw),
    destroy: |api, raw| api.gs_timeline_destroy(raw),
    same: |timeline| Self { raw: timeline.raw },
}

impl Debug for Timeline {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Timeline").field("handle", &self.raw).finish_non_exhaustive()
    }
}
