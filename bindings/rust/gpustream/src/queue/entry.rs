// SPDX-License-Identifier: Apache-2.0
//! Entries of queues.

use std::fmt::{self, Debug, Formatter};
use std::time::Duration;

use gpustream_sys::{self as sys, gs_completion_t};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::status::Status;

/// An entry of a [`CompletionQueue`](super::CompletionQueue): work that was added is done, has failed or was cancelled.
/// [`Completion::EMPTY`] makes room for entries.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Completion {
    raw: gs_completion_t,
}

impl Completion {
    /// Room for an entry.
    pub const EMPTY: Self = Self {
        raw: gs_completion_t {
            token: 0,
            status: 0,
            device: 0,
            native_code: 0,
            reserved: 0,
            time_ns: 0,
            reserved64: [0; 2],
        },
    };

    /// The token with which the work was added.
    pub fn token(&self) -> u64 {
        self.raw.token
    }

    /// The outcome of the work.
    ///
    /// [`CANCELLED`](crate::Status::CANCELLED): the entry was cancelled, which does not affect the work. Otherwise the
    /// status with which the work failed, with the driver's code.
    pub fn result(&self) -> Result<()> {
        match self.raw.status {
            sys::GS_OK => Ok(()),
            status => {
                let status = Status(status);
                Err(Error::here(status, self.raw.native_code, status.message().to_owned()))
            }
        }
    }

    /// The status alone.
    pub fn status(&self) -> Status {
        Status(self.raw.status)
    }

    /// The device of the work.
    pub fn device(&self) -> Device {
        Device::from_raw(self.raw.device)
    }

    /// When the completion was seen, as time of `CLOCK_MONOTONIC`.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.raw.time_ns)
    }
}

impl Debug for Completion {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Completion")
            .field("token", &self.raw.token)
            .field("status", &self.status())
            .field("device", &self.device())
            .finish_non_exhaustive()
    }
}
