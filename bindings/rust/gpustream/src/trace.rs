// SPDX-License-Identifier: Apache-2.0
//! Traces of the process.

use std::io;
use std::path::Path;

use gpustream_sys::{self as sys, gs_trace_options_t};

use crate::call::{api, call, check, get};
use crate::error::Result;
use crate::numbers::flags;
use crate::status::Status;
use crate::text::append;

sys::for_each_enumerator! {
    trace_flag, flags,
    /// What a [`Trace`] measures beside the calls.
    TraceFlags
}

/// Records what the process gives its streams, what orders that work, and the ranges of its threads, from
/// [`start`](Trace::start) until the value is [stopped](Trace::stop) or dropped. Perfetto, Chrome and `PyTorch`'s tools read
/// the JSON.
///
/// The trace is the process's: one runs at a time, also beside other languages. It can be written while it runs and again after its
/// end, until another one starts.
///
/// ```
/// use gpustream::{Range, Stream, Trace, TraceFlags};
///
/// let mut trace = Trace::start(TraceFlags::empty())?;
/// {
///     let _step = Range::push("step")?;
///     Stream::new()?.sleep(1000)?; // in place of real work
/// }
/// trace.stop()?;
/// assert!(trace.text()?.contains("step")); // or trace.write("step.json")
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the trace lasts only while the value lives"]
#[derive(Debug)]
pub struct Trace {
    number: u64,
    running: bool,
}

impl Trace {
    /// Starts a trace that keeps the last 16384 operations of each thread. What the one before had kept is forgotten. Does not
    /// block.
    pub fn start(flags: TraceFlags) -> Result<Self> {
        Self::keeping(0, flags)
    }

    /// Starts a trace that keeps so many operations of each thread, rounded up to a power of two, 48 bytes each; 0: 16384. Older ones are
    /// dropped, and counted in the trace. Does not block.
    pub fn keeping(operations: u64, flags: TraceFlags) -> Result<Self> {
        let options = gs_trace_options_t {
            struct_size: size_of::<gs_trace_options_t>().try_into().unwrap_or(0),
            flags: flags.bits(),
            operations,
        };
        // SAFETY: the options are not used after the call; the output is a local variable.
        let number = get(|api, out| unsafe { api.gs_trace_begin(&raw const options, out) })?;
        Ok(Self { number, running: true })
    }

    /// Stops the trace, which can still be written. Ranges that are open end in it at this moment. Nothing happens if it has been stopped,
    /// also by other code: a trace that was started since goes on. Does not block.
    pub fn stop(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.running) {
            return Ok(());
        }
        match call!(gs_trace_end(self.number)) {
            Err(error) if error.status() == Status::SCOPE => Ok(()),
            ended => ended,
        }
    }

    /// The trace as JSON, up to now if it is running. Only with [`DEVICE_TIMES`](TraceFlags::DEVICE_TIMES) it blocks, on work of its own, to
    /// compare clocks; ranges whose work is not done yet are left out and counted.
    ///
    /// [`NOT_RECORDED`](crate::Status::NOT_RECORDED): another trace was started since, also by another language, and this
    /// one is forgotten.
    pub fn text(&self) -> Result<String> {
        let mut text = Vec::<u8>::new();
        // SAFETY: the function takes this argument, which outlives the call.
        check(unsafe { api()?.gs_trace_write(self.number, Some(append), (&raw mut text).cast()) })?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Writes [`text`](Self::text) to a file, which replaces one that exists.
    ///
    /// An error of the file, or one of kind `Other` with the [`Error`](crate::Error) of [`text`](Self::text) inside.
    pub fn write(&self, file: impl AsRef<Path>) -> io::Result<()> {
        std::fs::write(file, self.text().map_err(io::Error::other)?)
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = self.stop(); // fails only in a forked child
    }
}
