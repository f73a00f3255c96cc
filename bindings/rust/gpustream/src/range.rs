// SPDX-License-Identifier: Apache-2.0
//! Ranges and marks, and an attached profiler's switch.

use std::marker::PhantomData;

use crate::call::{api, call, check, get, terminated};
use crate::error::Result;

/// A range of the calling thread, from [`push`](Range::push) until it is dropped. Ranges go to tools of NVTX such as Nsight Systems,
/// to a trace and to the log, each if it is there. They nest; a range stays on its thread.
///
/// ```
/// use gpustream::{Range, mark};
///
/// {
///     let _step = Range::push("step")?;
///     mark("first chunk")?;
/// }
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the range lasts only while the value lives"]
#[derive(Debug)]
pub struct Range {
    /// It is thread state, so the range is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl Range {
    /// Begins a range. Does not block.
    pub fn push(name: &str) -> Result<Self> {
        let name = terminated(name, "gs_range_push")?;
        // SAFETY: a NUL-terminated text, which is not used after the call.
        check(unsafe { api()?.gs_range_push(name.as_ptr()) })?;
        Ok(Self { here: PhantomData })
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if let Ok(api) = api() {
            // SAFETY: no argument. It fails only if other code has ended this thread's range, or in a forked child.
            let _ = unsafe { api.gs_range_pop() };
        }
    }
}

/// A range that any thread may end: by dropping it, or by [`end`](StartedRange::end). Such ranges need not be nested.
///
/// ```
/// use gpustream::StartedRange;
///
/// let epoch = StartedRange::start("epoch")?;
/// std::thread::spawn(move || epoch.end()).join().unwrap()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the range lasts only while the value lives"]
#[derive(Debug)]
pub struct StartedRange {
    number: u64,
}

impl StartedRange {
    /// Begins a range. Does not block.
    pub fn start(name: &str) -> Result<Self> {
        let name = terminated(name, "gs_range_start")?;
        // SAFETY: a NUL-terminated text, which is not used after the call; the output is a local variable.
        let number = get(|api, out| unsafe { api.gs_range_start(name.as_ptr(), out) })?;
        Ok(Self { number })
    }

    /// Ends the range. Does not block.
    pub fn end(self) -> Result<()> {
        let number = self.number;
        std::mem::forget(self);
        call!(gs_range_end(number))
    }
}

impl Drop for StartedRange {
    fn drop(&mut self) {
        if let Ok(api) = api() {
            // SAFETY: takes a number. It fails only in a forked child.
            let _ = unsafe { api.gs_range_end(self.number) };
        }
    }
}

/// Marks a moment of the calling thread. Does not block.
pub fn mark(message: &str) -> Result<()> {
    let message = terminated(message, "gs_mark")?;
    // SAFETY: a NUL-terminated text, which is not used after the call.
    check(unsafe { api()?.gs_mark(message.as_ptr()) })
}

/// Starts collecting in a profiler that is attached to the process; without one, and on the host backend, nothing happens. Does not
/// block.
pub fn profiler_start() -> Result<()> {
    // SAFETY: no argument.
    check(unsafe { api()?.gs_profiler_start() })
}

/// Stops collecting in a profiler that is attached to the process. Does not block.
pub fn profiler_stop() -> Result<()> {
    // SAFETY: no argument.
    check(unsafe { api()?.gs_profiler_stop() })
}
