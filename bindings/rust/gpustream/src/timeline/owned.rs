// SPDX-License-Identifier: Apache-2.0
//! The owner of a timeline's reference.

use gpustream_sys::{GS_TIMELINE_SIGNAL_FIRST, gs_timeline_t};

use crate::call::read;
use crate::counted::{counted, handle, shown_by_handle};
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
        read!(gs_timeline_create(device.as_raw(), initial, flags)).map(|raw| Self { raw })
    }
}

handle! { Timeline, gs_timeline_t, "gs_timeline_destroy" }
shown_by_handle! { Timeline }

counted! {
    Timeline, "timeline",
    retain: |api, raw| api.gs_timeline_retain(raw),
    destroy: |api, raw| api.gs_timeline_destroy(raw),
    same: |timeline| Self { raw: timeline.raw },
}
