// SPDX-License-Identifier: Apache-2.0
//! Blocking waits with a time limit.

use std::borrow::Borrow;
use std::time::Duration;

use gpustream_sys::{self as sys, gs_event_t};

use crate::call::{api, call, check, get};
use crate::device::Device;
use crate::error::Result;
use crate::event::Event;
use crate::library::{option, set_option};
use crate::limit::limit_ns;
use crate::numbers::closed;
use crate::stream::StreamRef;

impl StreamRef {
    /// As [`synchronize`](Self::synchronize), for at most that long. A limit that passes changes nothing: the work goes
    /// on, and the call may be repeated. It sleeps most of the time and spins shortly before the end that it expects,
    /// except in [`WaitMode::Spin`](crate::WaitMode::Spin).
    ///
    /// ```
    /// use std::time::Duration;
    /// use gpustream::{Status, Stream};
    ///
    /// let stream = Stream::new()?;
    /// stream.sleep(50_000_000)?;
    /// match stream.synchronize_for(Duration::from_millis(1)) {
    ///     Err(error) if error.status() == Status::TIMEOUT => println!("still at work"),
    ///     other => other?,
    /// }
    /// stream.synchronize()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn synchronize_for(&self, limit: Duration) -> Result<()> {
        call!(gs_stream_synchronize_for(self.as_handle(), limit_ns(limit)))
    }
}

impl Device {
    /// As [`synchronize`](Self::synchronize), for at most that long.
    pub fn synchronize_for(self, limit: Duration) -> Result<()> {
        call!(gs_device_synchronize_for(self.as_raw(), limit_ns(limit)))
    }
}

impl Event {
    /// As [`synchronize`](Self::synchronize), for at most that long and for the record that is current at the call.
    pub fn synchronize_for(&self, limit: Duration) -> Result<()> {
        call!(gs_event_synchronize_for(self.as_handle(), limit_ns(limit)))
    }

    /// Blocks until the work that one of the events covers now is done, or until a limit is over. Returns the index of the
    /// first such event. The events may belong to different devices.
    pub fn synchronize_any<E: Borrow<Self>>(events: &[E], limit: Option<Duration>) -> Result<usize> {
        let (events, limit) = (handles(events), limit.map_or(-1, limit_ns));
        // SAFETY: the list has that length, and the output is a local variable.
        get(|api, out| unsafe { api.gs_event_synchronize_any(events.as_ptr(), events.len(), limit, out) })
    }

    /// Blocks until the work that all of the events cover now is done, at most for the limit if there is one. The first
    /// failure ends the wait.
    pub fn synchronize_all<E: Borrow<Self>>(events: &[E], limit: Option<Duration>) -> Result<()> {
        let (events, limit) = (handles(events), limit.map_or(-1, limit_ns));
        // SAFETY: the list has that length.
        check(unsafe { api()?.gs_event_synchronize_all(events.as_ptr(), events.len(), limit) })
    }
}

fn handles<E: Borrow<Event>>(events: &[E]) -> Vec<gs_event_t> {
    events.iter().map(|event| event.borrow().as_handle()).collect()
}

sys::for_each_enumerator! {
    wait_mode, closed,
    /// How threads wait in blocking calls, for the whole process.
    WaitMode
}

/// Sets how threads wait in blocking calls, for the whole process; initially the environment variable `GPUSTREAM_WAIT`
/// says so. Waits that have begun are not affected.
pub fn set_wait_mode(mode: WaitMode) -> Result<()> {
    set_option(sys::GS_OPTION_WAIT_MODE, mode as i32)
}

/// How threads wait in blocking calls.
pub fn wait_mode() -> Result<WaitMode> {
    option(sys::GS_OPTION_WAIT_MODE, WaitMode::from_number)
}
