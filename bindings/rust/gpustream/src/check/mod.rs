// SPDX-License-Identifier: Apache-2.0
//! The ordering checker.

mod forbid;
mod names;
mod report;

use std::sync::atomic::AtomicU64;

use gpustream_sys as sys;

use crate::call::{api, call, check, terminated};
use crate::error::Result;
use crate::numbers::flags;
use crate::stream::StreamRef;

pub use forbid::ForbidSync;
pub use report::set_check_callback;

sys::for_each_enumerator! {
    check_flag, flags,
    /// What [`check_start`] asks for.
    CheckFlags
}

/// Turns the ordering checker on, for the whole process: it reports accesses to memory that nothing orders, on any backend
/// and at any timing. Copies, fills, allocations and frees of the library are known, others are declared. If it is on
/// already, only the flags change. Does not block.
///
/// ```
/// use gpustream::{CheckFlags, Event, Stream, check_read, check_start, check_stop, check_write};
///
/// let (upload, compute, ready) = (Stream::new()?, Stream::new()?, Event::new()?);
/// let bytes = [0_u8; 64];
/// check_start(CheckFlags::empty())?;
/// check_write(&upload, bytes.as_ptr(), bytes.len(), "copy in")?; // beside the launch
/// ready.record(&upload)?;
/// compute.wait_event(&ready)?; // without this, the next line reports a race
/// check_read(&compute, bytes.as_ptr(), bytes.len(), "sum")?;
/// check_stop()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
pub fn check_start(flags: CheckFlags) -> Result<()> {
    call!(gs_check_start(flags.bits()))
}

/// Turns the ordering checker off; it forgets what it knows. Does not block.
pub fn check_stop() -> Result<()> {
    call!(gs_check_stop())
}

/// Declares to the ordering checker that the work submitted to the stream at this place reads a range of memory. Call it beside the launch. The
/// address is only compared, never accessed. Does not block.
pub fn check_read<T>(stream: &StreamRef, address: *const T, bytes: usize, label: &str) -> Result<()> {
    let label = terminated(label, "check_read")?;
    // SAFETY: the library does not access the address; the label is NUL-terminated and copied.
    check(unsafe { api()?.gs_check_read(stream.as_handle(), address.cast(), bytes, label.as_ptr()) })
}

/// Declares to the ordering checker that the work submitted to the stream at this place writes a range of memory, and possibly reads it.
pub fn check_write<T>(stream: &StreamRef, address: *const T, bytes: usize, label: &str) -> Result<()> {
    let label = terminated(label, "check_write")?;
    // SAFETY: as in `check_read`.
    check(unsafe { api()?.gs_check_write(stream.as_handle(), address.cast(), bytes, label.as_ptr()) })
}

/// What threads that share a lock tell each other about completed work, which the checker cannot see. It stands beside
/// what the lock guards.
#[derive(Debug, Default)]
pub struct CheckClock {
    number: u64,
}

impl CheckClock {
    /// A clock that no thread has used.
    pub const fn new() -> Self {
        Self { number: 0 }
    }

    /// The calling thread learns what earlier callers knew, and leaves what it knows. Does not block.
    pub fn handover(&mut self) -> Result<()> {
        // SAFETY: the number is this object's.
        check(unsafe { api()?.gs_check_handover(&raw mut self.number) })
    }
}

/// As [`CheckClock::handover`], between the crate's threads, which see work complete, and the tasks that wait for it. After a
/// failure the checker knows less, and nothing else changes.
pub(crate) fn hand_over() {
    static CLOCK: AtomicU64 = AtomicU64::new(0);
    if let Ok(api) = api() {
        // SAFETY: the number lives as long as the process, and the library serialises its uses.
        let _ = unsafe { api.gs_check_handover(CLOCK.as_ptr()) };
    }
}
