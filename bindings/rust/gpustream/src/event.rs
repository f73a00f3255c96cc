// SPDX-License-Identifier: Apache-2.0
//! Events: marks in streams that others wait for.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::hash::{Hash, Hasher};

use bitflags::bitflags;
use gpustream_sys::{self as sys, gs_event_t};

use crate::call::{api, check, get, get_bool};
use crate::device::Device;
use crate::error::Result;
use crate::ipc::IpcHandle;
use crate::stream::StreamRef;

bitflags! {
    /// What an event can do.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct EventFlags: u32 {
        /// Takes a time stamp. On CUDA a timed record costs the driver several times an untimed one.
        const TIMING = sys::GS_EVENT_TIMING;
        /// [`Event::synchronize`] sleeps instead of spinning.
        const BLOCKING = sys::GS_EVENT_BLOCKING;
        /// Can be exported to other processes. Excludes `TIMING`.
        const INTERPROCESS = sys::GS_EVENT_INTERPROCESS;
        /// In a stream capture, record and wait become nodes of the graph instead of edges inside it.
        const EXTERNAL = sys::GS_EVENT_EXTERNAL;
        /// Later libraries may know more.
        const _ = !0;
    }
}

/// A mark in a stream that streams and threads can wait for.
///
/// Creating one touches no device; the first record binds it to the stream's device. Until it is recorded, queries say
/// done, waits and synchronizations do nothing. A clone is another reference to the same event, dropping the last one
/// ends it; records and waits already submitted are still honoured.
///
/// Equality and hash are those of the event, not of the work it was recorded after.
pub struct Event {
    raw: gs_event_t,
    /// Whether a reference is to be given back.
    owned: bool,
}

// SAFETY: the handle is a number; every function of the library may be called from every thread at the same time.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

/// Options of a new event; from [`Event::builder`].
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct EventBuilder {
    flags: EventFlags,
}

impl EventBuilder {
    /// Takes time stamps, for [`Event::elapsed_ms`].
    pub const fn timing(self, on: bool) -> Self {
        self.with(EventFlags::TIMING, on)
    }

    /// [`Event::synchronize`] sleeps instead of spinning.
    pub const fn blocking(self, on: bool) -> Self {
        self.with(EventFlags::BLOCKING, on)
    }

    /// Can be exported, by [`Event::ipc_export`]. Excludes timing.
    pub const fn interprocess(self, on: bool) -> Self {
        self.with(EventFlags::INTERPROCESS, on)
    }

    /// In a stream capture, record and wait become nodes of the graph.
    pub const fn external(self, on: bool) -> Self {
        self.with(EventFlags::EXTERNAL, on)
    }

    /// All options at once.
    pub const fn flags(self, flags: EventFlags) -> Self {
        Self { flags }
    }

    const fn with(self, flag: EventFlags, on: bool) -> Self {
        let flags = if on { self.flags.union(flag) } else { self.flags.difference(flag) };
        Self { flags }
    }

    /// Creates the event.
    pub fn build(self) -> Result<Event> {
        let flags = self.flags.bits();
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_create(flags, out) }).map(Event::owned)
    }
}

impl Event {
    /// An event without timing.
    #[inline]
    pub fn new() -> Result<Self> {
        Self::builder().build()
    }

    /// An event that takes time stamps.
    pub fn timed() -> Result<Self> {
        Self::builder().timing(true).build()
    }

    /// Options, none of them set.
    pub const fn builder() -> EventBuilder {
        EventBuilder { flags: EventFlags::empty() }
    }

    /// Takes over one reference.
    fn owned(raw: gs_event_t) -> Self {
        Self { raw, owned: true }
    }

    /// Wraps a `cudaEvent_t` that stays its owner's. It counts as recorded; no call on it is elided.
    ///
    /// # Safety
    ///
    /// `native` is null, or an event of the driver that lives until the last clone of the result is dropped, and belongs
    /// to `device`.
    pub unsafe fn from_raw(device: Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the output is a local variable; the native handle is the caller's word.
        get(|api, out| unsafe { api.gs_event_from_native(device.as_raw(), native.addr(), out) }).map(Self::owned)
    }

    /// The `cudaEvent_t`, for other libraries: null before the first record, then the same for life. Calls on this event
    /// are no longer elided. It lives as long as the event, and others must not destroy it.
    pub fn as_raw_event(&self) -> Result<*mut c_void> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_native(self.raw, out) }).map(std::ptr::without_provenance_mut)
    }

    /// The C library's handle, for its functions in [`sys`]. Owned by this event.
    pub fn as_handle(&self) -> gs_event_t {
        self.raw
    }

    /// Another reference, or why there can be none. `clone` gives a handle that owns nothing then.
    pub fn try_clone(&self) -> Result<Self> {
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_event_retain(self.raw) })?;
        Ok(Self { raw: self.raw, owned: true })
    }

    /// Records the event: it now covers all work submitted to the stream before the call.
    #[inline]
    pub fn record(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_record(self.raw, stream.as_handle()) })
    }

    /// Makes a stream wait for what the event covers now; the caller does not wait.
    #[inline]
    pub fn wait(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_wait(self.raw, stream.as_handle()) })
    }

    /// Whether the work that the event covers is done; true if it was never recorded.
    #[inline]
    pub fn query(&self) -> Result<bool> {
        // SAFETY: the output is a local variable.
        get_bool(|api, out| unsafe { api.gs_event_query(self.raw, out) })
    }

    /// Waits until the work that the event covers is done.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_event_synchronize(self.raw) })
    }

    /// Time from this event's record to `end`'s, milliseconds; negative if that came first. Waits for nothing: where work
    /// is not done yet, the error is [`Status::NOT_READY`](crate::Status::NOT_READY).
    #[inline]
    pub fn elapsed_ms(&self, end: &Self) -> Result<f64> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_elapsed_ms(self.raw, end.raw, out) })
    }

    /// A number that identifies the event for others: the driver's handle, 0 before the first record.
    pub fn id(&self) -> Result<u64> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_id(self.raw, out) })
    }

    /// The device it is bound to, if it is yet.
    pub fn device(&self) -> Result<Option<Device>> {
        // SAFETY: the output is a local variable.
        let number = get(|api, out| unsafe { api.gs_event_device(self.raw, out) })?;
        Ok((number != sys::GS_DEVICE_NONE).then(|| Device::from_raw(number)))
    }

    /// Its options. A wrapped event has `TIMING`, since only the driver knows whether it is timed.
    pub fn flags(&self) -> Result<EventFlags> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_flags(self.raw, out) }).map(EventFlags::from_bits_retain)
    }

    /// 64 bytes by which another process can open the event; it needs [`EventFlags::INTERPROCESS`]. An event not bound
    /// yet is bound to the current device.
    pub fn ipc_export(&self) -> Result<IpcHandle> {
        let mut handle = sys::gs_ipc_handle_t::default();
        // SAFETY: the output is a local variable.
        check(unsafe { api()?.gs_event_ipc_export(self.raw, &raw mut handle) })?;
        Ok(handle.into())
    }

    /// Opens an event that another process exported from the same device.
    pub fn ipc_open(device: Device, handle: &IpcHandle) -> Result<Self> {
        let raw = handle.raw();
        // SAFETY: the input and the output are local variables.
        get(|api, out| unsafe { api.gs_event_ipc_open(device.as_raw(), &raw const raw, out) }).map(Self::owned)
    }
}

impl Clone for Event {
    /// Adds a reference. Where that fails (host memory is out; a forked child), the clone owns nothing: it answers
    /// [`Status::INVALID_HANDLE`](crate::Status::INVALID_HANDLE) as soon as the owners are gone.
    fn clone(&self) -> Self {
        self.try_clone().unwrap_or(Self { raw: self.raw, owned: false })
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Event {}

impl Hash for Event {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.addr().hash(state);
    }
}

impl Drop for Event {
    #[inline]
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        if let Ok(api) = api() {
            // SAFETY: takes a handle. Failures of the driver go to the library's log.
            let _ = unsafe { api.gs_event_destroy(self.raw) };
        }
    }
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
