// SPDX-License-Identifier: Apache-2.0
//! A capture under way.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use gpustream_sys as sys;

use crate::error::{Error, Result};
use crate::graph::{BorrowedGraph, Captured, Graph};
use crate::status::Status;
use crate::stream::StreamRef;

/// A capture under way; from [`StreamRef::capture`] or [`GraphRef::capture`](crate::GraphRef::capture). It lasts until
/// [`end`](Self::end); dropping it before that, also by a panic, aborts the capture, and all its streams are normal
/// again.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use gpustream::{CaptureMode, InstantiateFlags, Stream};
///
/// let (stream, side) = (Stream::new()?, Stream::new()?);
/// let count = Arc::new(AtomicU32::new(0));
///
/// let capture = stream.capture(CaptureMode::ThreadLocal)?;
/// let one = count.clone();
/// capture.launch_host(&stream, move || _ = one.fetch_add(1, Ordering::Relaxed))?;
/// side.wait_stream(&stream)?; // a fork: side is captured too
/// let two = count.clone();
/// capture.launch_host(&side, move || _ = two.fetch_add(1, Ordering::Relaxed))?;
/// stream.wait_stream(&side)?; // the join
/// let graph = capture.end()?;
///
/// let exec = graph.instantiate(InstantiateFlags::empty())?;
/// for _ in 0..1000 {
///     // SAFETY: the functions only count.
///     unsafe { exec.launch(&stream) }?;
/// }
/// stream.synchronize()?;
/// assert_eq!(count.load(Ordering::Relaxed), 2000);
/// # Ok::<(), gpustream::Error>(())
/// ```
///
/// The stream outlives the capture, which stays on its thread: only a [relaxed](crate::CaptureMode::Relaxed) one may end
/// on another ([`release`](Self::release)).
#[must_use = "dropping a capture aborts it"]
#[derive(Debug)]
pub struct Capture<'a> {
    stream: &'a StreamRef,
    /// No other capture of the process has it.
    id: u64,
    /// In the modes other than relaxed the thread that began a capture ends it, so this is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl<'a> Capture<'a> {
    /// The capture that the stream has just begun.
    pub(crate) fn begun(stream: &'a StreamRef) -> Result<Self> {
        let mut capture = Self { stream, id: 0, here: PhantomData };
        capture.id = stream.raw_capture_info()?.id; // after a failure, the drop aborts it
        Ok(capture)
    }

    /// The stream that is being captured.
    pub fn stream(&self) -> &'a StreamRef {
        self.stream
    }

    /// The graph so far, to [keep](crate::GraphRef::keep) something for it or to add nodes, which
    /// [`StreamRef::add_capture_nodes`] puts before the stream's next work.
    ///
    /// [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED): the capture is over: another caller ended it, or a call broke
    /// it.
    pub fn graph(&self) -> Result<BorrowedGraph<'_>> {
        let info = self.stream.raw_capture_info()?;
        if info.id != self.id || info.graph.is_null() {
            return Err(over("Capture::graph"));
        }
        Ok(BorrowedGraph::new(info.graph))
    }

    /// Keeps a value until the graph, its executables and their launches have ended, as
    /// [`GraphRef::keep`](crate::GraphRef::keep).
    ///
    /// If it fails, the value is dropped.
    pub fn keep<T: Send + 'static>(&self, value: T) -> Result<()> {
        self.graph()?.keep(value)
    }

    /// Captures a function in a stream that takes part in this capture. It runs at each launch of the graph, which keeps
    /// it; [`StreamRef::launch_host`] is for functions that run once. The rules and the bounds are those of
    /// [`GraphRef::add_host`](crate::GraphRef::add_host).
    ///
    /// The status is [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED) if the stream takes no part in this capture, or
    /// another caller ended the capture during the call. After a failure the function stays uncalled and may be leaked.
    /// If only the launch failed, the graph keeps the function all the same.
    pub fn launch_host<F: Fn() + Send + Sync + 'static>(&self, stream: &StreamRef, function: F) -> Result<()> {
        let (own, other) = (self.stream.raw_capture_info()?, stream.raw_capture_info()?);
        if own.id != self.id || own.state != sys::GS_CAPTURE_STATE_ACTIVE || own.graph.is_null() {
            return Err(over("Capture::launch_host"));
        }
        if other.id != own.id || other.state != sys::GS_CAPTURE_STATE_ACTIVE {
            let text = "the stream takes no part in this capture";
            return Err(Error::new(Status::NOT_PERMITTED, "Capture::launch_host", text));
        }
        // Another thread may end or abort the capture at any time from here on.
        let function = Captured::new(function);
        BorrowedGraph::new(own.graph).keep(function.clone())?;
        let captured = function.put(
            // SAFETY: a call does nothing unless the function is in the graph. Then it only runs in launches, whose
            // callers vouch for what it does; the graph keeps it until they have ended.
            |call, arg| unsafe { stream.launch_host_raw(call, arg) },
            // No two captures have the same number, so the stream has been in this one all the time.
            || Ok(stream.raw_capture_info()?.id == own.id),
        )?;
        if captured { Ok(()) } else { Err(over("Capture::launch_host")) }
    }

    /// Ends the capture and returns its graph: for a capture into a graph that one.
    ///
    /// If it fails, the capture is over, too, and a graph that it went into keeps the nodes captured so far.
    pub fn end(self) -> Result<Graph> {
        if self.is_over() {
            return Err(over("Capture::end"));
        }
        let graph = self.stream.end_capture()?; // after a failure, dropping self aborts what is left of it
        self.release();
        Ok(graph)
    }

    /// Ends the capture without a graph, as dropping it does, and reports a failure.
    pub fn abort(self) -> Result<()> {
        if self.is_over() {
            return Err(over("Capture::abort"));
        }
        ManuallyDrop::new(self).stream.abort_capture()
    }

    /// Leaves the capture under way, for [`StreamRef::end_capture`] or code in another language to end it. If it is
    /// relaxed, that may be on another thread.
    pub fn release(self) {
        std::mem::forget(self);
    }

    /// Whether other code has ended it. What the stream captures since is not for this value to use or to end.
    fn is_over(&self) -> bool {
        self.stream.raw_capture_info().is_ok_and(|info| info.id != self.id)
    }
}

impl Drop for Capture<'_> {
    fn drop(&mut self) {
        if !self.is_over() {
            // A drop has no caller to report to.
            let _ = self.stream.abort_capture();
        }
    }
}

fn over(function: &str) -> Error {
    Error::new(Status::NOT_PERMITTED, function, "the capture is over or broken")
}
