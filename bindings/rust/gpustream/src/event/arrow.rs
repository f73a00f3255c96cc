// SPDX-License-Identifier: Apache-2.0
//! `sync_event` of the Arrow C device interface.

use std::ffi::c_void;

use super::Event;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::status::Status;

/// What `ArrowDeviceArray.sync_event` points to: a `cudaEvent_t` in memory, alive until this is dropped.
///
/// ```no_run
/// use gpustream::{ArrowSyncEvent, Device, Event, Stream};
/// # struct ArrowDeviceArray { sync_event: *mut std::ffi::c_void }
/// # fn fill(_: &Stream) {}
/// # fn example(mut array: ArrowDeviceArray, reader: &Stream, device: Device) -> gpustream::Result<()> {
/// let stream = Stream::new()?;
/// fill(&stream);
/// let ready = ArrowSyncEvent::new(stream.record_new_event()?)?;
/// array.sync_event = ready.as_ptr(); // and the array's release callback drops `ready`
///
/// // SAFETY: the array is alive.
/// if let Some(event) = unsafe { ArrowSyncEvent::read(array.sync_event, device) }? {
///     reader.wait_event(&event)?; // before work that reads the array
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ArrowSyncEvent {
    word: Box<*mut c_void>,
    event: Event,
}

// SAFETY: the word is the driver's handle of the event, which may be used on any thread, and nothing is done with it here.
unsafe impl Send for ArrowSyncEvent {}
// SAFETY: as above.
unsafe impl Sync for ArrowSyncEvent {}

impl ArrowSyncEvent {
    /// Exports an event that was recorded after the work that fills the array. Does not block.
    ///
    /// [`NOT_RECORDED`](crate::Status::NOT_RECORDED): it was never recorded.
    pub fn new(event: Event) -> Result<Self> {
        let raw = event.as_raw_event()?;
        if raw.is_null() {
            let message = "the event of an array was never recorded".to_owned();
            return Err(Error::here(Status::NOT_RECORDED, 0, message));
        }
        Ok(Self { word: Box::new(raw), event })
    }

    /// The pointer for `sync_event`, valid until this is dropped, also after it was moved.
    pub fn as_ptr(&self) -> *mut c_void {
        std::ptr::from_ref::<*mut c_void>(&self.word).cast_mut().cast()
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The event of an array that another library has produced; `None` if the array is ready. It may be dropped once
    /// waits for it have been submitted. Does not block.
    ///
    /// # Safety
    ///
    /// `sync_event` is that of a live array of `device`, and the array outlives the result.
    pub unsafe fn read(sync_event: *const c_void, device: Device) -> Result<Option<Event>> {
        if sync_event.is_null() {
            return Ok(None);
        }
        // SAFETY: the interface says that it points to a cudaEvent_t.
        let raw = unsafe { sync_event.cast::<*mut c_void>().read() };
        // SAFETY: the caller vouches for the event.
        unsafe { Event::from_raw(device, raw) }.map(Some)
    }
}
