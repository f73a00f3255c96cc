// SPDX-License-Identifier: Apache-2.0
//! The owner of an event's reference, and the properties of the event.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};

use gpustream_sys::{self as sys, gs_event_t};

use crate::call::{api, check, fill, get, read};
use crate::callback::register_host;
use crate::counted::{counted, handle};
use crate::device::Device;
use crate::error::Result;
use crate::numbers::flags;

sys::for_each_enumerator! {
    event_flag, flags,
    /// What an event can do.
    EventFlags
}

/// A mark in a stream that streams and threads can wait for.
///
/// Creating one touches no device; the first record binds it to the stream's device. Until it is recorded, queries
/// return true, and waits and synchronizations do nothing. A clone is another reference to the same event, and dropping
/// the last reference ends it; records and waits already submitted are still honoured.
///
/// Equality and hash are those of the event, not of the work that it marks.
#[derive(PartialEq, Eq, Hash)]
pub struct Event {
    raw: gs_event_t,
}

impl Event {
    /// Takes over one reference.
    #[inline]
    pub(super) fn owned(raw: gs_event_t) -> Self {
        Self { raw }
    }

    /// Wraps a `cudaEvent_t` that its owner keeps. It counts as recorded, and no call on it is elided. Does not block.
    ///
    /// # Safety
    ///
    /// `native` is null, or a live event of the driver that belongs to `device` and lives until the last clone of the
    /// result is dropped.
    pub unsafe fn from_raw(device: Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the output is a local variable; the caller vouches for the native handle.
        get(|api, out| unsafe { api.gs_event_from_native(device.as_raw(), native.addr(), out) }).map(Self::owned)
    }

    /// Wraps a `cudaEvent_t` of another owner and calls `release` once, when the last reference is gone. It may run on
    /// any thread that creates or drops an event; a panic in it is contained. Does not block.
    ///
    /// If it fails, `release` is dropped uncalled.
    ///
    /// # Safety
    ///
    /// `native` is null, or a live event of the driver that belongs to `device` and lives until `release` is called.
    pub unsafe fn from_raw_with<F: FnOnce() + Send + 'static>(
        device: Device,
        native: *mut c_void,
        release: F,
    ) -> Result<Self> {
        let mut event: gs_event_t = std::ptr::null_mut();
        let out = &raw mut event;
        register_host(release, |release, arg| {
            // SAFETY: the output is a local variable; the caller vouches for the native handle.
            check(unsafe { api()?.gs_event_from_native_owned(device.as_raw(), native.addr(), release, arg, out) })
        })?;
        Ok(Self::owned(event))
    }

    /// Releases this event to the caller, who owns the `cudaEvent_t` from then on and destroys it. Other references
    /// stay valid as wraps of it. An event that was never recorded is bound to the current device first.
    ///
    /// If it fails, this reference is released as by `drop`.
    pub fn into_raw(self) -> Result<*mut c_void> {
        // SAFETY: the output is a local variable. After a success the reference is gone.
        let native = get(|api, out| unsafe { api.gs_event_into_native(self.raw, out) })?;
        std::mem::forget(self);
        Ok(std::ptr::without_provenance_mut(native))
    }

    /// The `cudaEvent_t` for other libraries: null before the first record or export, constant afterwards.
    ///
    /// It lives as long as the event, and others must not destroy it. Calls on this event are no longer elided, since
    /// others may record it.
    pub fn as_raw_event(&self) -> Result<*mut c_void> {
        read!(gs_event_native(self.raw)).map(std::ptr::without_provenance_mut)
    }

    /// A number that identifies the event: the driver's handle, 0 before the first record or export. To give the event
    /// to another library use [`as_raw_event`](Self::as_raw_event).
    pub fn id(&self) -> Result<u64> {
        read!(gs_event_id(self.raw))
    }

    /// The device that the event is bound to; `None` before the first record or export.
    pub fn device(&self) -> Result<Option<Device>> {
        let number = read!(gs_event_device(self.raw))?;
        Ok((number != sys::GS_DEVICE_NONE).then(|| Device::from_raw(number)))
    }

    /// The event's flags. A wrapped event has `TIMING`, since only the driver knows whether it is timed; an opened one
    /// has `INTERPROCESS`.
    pub fn flags(&self) -> Result<EventFlags> {
        self.info().map(|info| EventFlags::from_bits_retain(info.flags))
    }

    pub(super) fn info(&self) -> Result<sys::gs_event_info_t> {
        fill!(gs_event_get_info(self.raw))
    }
}

handle! { Event, gs_event_t, "gs_event_destroy" }

counted! {
    Event, "event",
    retain: |api, raw| api.gs_event_retain(raw),
    destroy: |api, raw| api.gs_event_destroy(raw),
    same: |event| Self::owned(event.raw),
}

impl Debug for Event {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Event");
        match (self.id(), self.device(), self.flags()) {
            (Ok(id), Ok(device), Ok(flags)) => {
                text.field("id", &format_args!("{id:#x}")).field("device", &device).field("flags", &flags).finish()
            }
            _ => text.field("handle", &self.raw).finish_non_exhaustive(),
        }
    }
}
