// SPDX-License-Identifier: Apache-2.0
//! Recording events, waiting for them, also where there is no record, and times: between two and by the host's clock.

use gpustream_sys as sys;

use super::Event;
use crate::call::{api, call, check, read, truth};
use crate::device::Device;
use crate::error::Result;
use crate::library::{option, set_option};
use crate::numbers::closed;
use crate::stream::StreamRef;

impl Event {
    /// Records the event: from now on it covers all work submitted to the stream before the call. Does not block. Of
    /// several records at the same time one is the last.
    ///
    /// The first record binds the event to the stream's device. Waits already submitted keep to the previous record.
    #[inline]
    pub fn record(&self, stream: &StreamRef) -> Result<()> {
        call!(gs_event_record(self.as_handle(), stream.as_handle()))
    }

    /// Makes a stream wait for the work that the event covers now. The caller does not block. Later records leave the
    /// wait as it is. An event before its first record has no effect.
    #[inline]
    pub fn wait(&self, stream: &StreamRef) -> Result<()> {
        call!(gs_event_wait(self.as_handle(), stream.as_handle()))
    }

    /// Whether the work that the event covers is done; true if it was never recorded. Does not block.
    #[inline]
    pub fn query(&self) -> Result<bool> {
        read!(gs_event_query(self.as_handle())).map(truth)
    }

    /// Blocks until the work that the event covers is done. Spins unless the event has
    /// [`BLOCKING`](crate::EventFlags::BLOCKING). Returns at once if it was never recorded.
    pub fn synchronize(&self) -> Result<()> {
        call!(gs_event_synchronize(self.as_handle()))
    }

    /// Time from this event's record to `end`'s, in milliseconds; negative if `end` was recorded first. Does not block.
    #[inline]
    pub fn elapsed_ms(&self, end: &Self) -> Result<f64> {
        read!(gs_event_elapsed_ms(self.as_handle(), end.as_handle()))
    }
}

sys::for_each_enumerator! {
    unrecorded_mode, closed,
    /// What a wait for an event that was never recorded does, for the whole process.
    UnrecordedMode
}

/// Sets what waits for events that were never recorded do, for the whole process: those of streams and of threads.
pub fn set_unrecorded_mode(mode: UnrecordedMode) -> Result<()> {
    set_option(sys::GS_OPTION_UNRECORDED_MODE, mode as i32)
}

/// What waits for events that were never recorded do.
pub fn unrecorded_mode() -> Result<UnrecordedMode> {
    option(sys::GS_OPTION_UNRECORDED_MODE, UnrecordedMode::from_number)
}

impl Event {
    /// Records the event as [`record`](Self::record) does, unless it has a record already; returns whether it did. Threads
    /// must not race for the first record. Does not block.
    pub fn record_once(&self, stream: &StreamRef) -> Result<bool> {
        let first = self.info()?.recorded == 0;
        if first {
            self.record(stream)?;
        }
        Ok(first)
    }
}

/// When an event's record was done, by the host's clock; from [`Event::host_time`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTime {
    /// `CLOCK_MONOTONIC`, nanoseconds.
    pub ns: i64,
    /// The true time lies this many nanoseconds before or after at most.
    pub error_ns: i64,
}

impl Event {
    /// Time from this event's record to `end`'s, in nanoseconds; negative if `end` was recorded first. Does not block.
    #[allow(clippy::cast_possible_truncation)] // a nanosecond count of 292 years fits
    pub fn elapsed_ns(&self, end: &Self) -> Result<i64> {
        Ok((self.elapsed_ms(end)? * 1e6).round() as i64)
    }

    /// [`elapsed_ns`](Self::elapsed_ns) in async code, once both records are done. It runs in every executor, as
    /// [`StreamRef::finished`](crate::StreamRef::finished).
    pub async fn elapsed_ns_async(&self, end: &Self) -> Result<i64> {
        self.await?;
        end.await?;
        self.elapsed_ns(end)
    }

    /// When the work that the event covers was done, by the host's clock. [`Device::calibrate`] must have compared the
    /// clocks before; the error covers that comparison, the driver's resolution and drift since. Does not block.
    pub fn host_time(&self) -> Result<HostTime> {
        let mut time = HostTime { ns: 0, error_ns: 0 };
        // SAFETY: the outputs are local variables.
        check(unsafe { api()?.gs_event_time_ns(self.as_handle(), &raw mut time.ns, &raw mut time.error_ns) })?;
        Ok(time)
    }
}

impl Device {
    /// Compares the device's clock with the host's, for [`Event::host_time`], and returns how exact the comparison is,
    /// in nanoseconds. Blocks until the device has done a few records in an idle stream: some ten microseconds.
    pub fn calibrate(self) -> Result<i64> {
        read!(gs_device_calibrate(self.as_raw()))
    }
}
