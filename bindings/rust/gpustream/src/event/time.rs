// SPDX-License-Identifier: Apache-2.0
//! Times of events: between two in nanoseconds, and by the host's clock.

use super::Event;
use crate::call::{api, check, read};
use crate::device::Device;
use crate::error::Result;

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
