// SPDX-License-Identifier: Apache-2.0
//! Functions that run when a stream reaches them, and events as seen from a stream.

use std::ffi::c_void;

use super::StreamRef;
use crate::call::{api, call, check};
use crate::callback::{register_host, register_notify};
use crate::error::Result;
use crate::event::Event;

impl StreamRef {
    /// Calls a function after the work submitted so far is done. Neither this call nor the stream's later work waits
    /// for it.
    ///
    /// It runs once, on the library's dispatcher thread, in an order that agrees with happens-before, across streams too:
    /// after those of work that its own work waited for. Its argument is `Ok`, or the status with which the work failed. It may call gpustream
    /// except to synchronize, and should be brief, as it holds up other notifications. A panic in it is contained.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    ///
    /// let stream = gpustream::Stream::new()?;
    /// let (done, wait) = channel();
    /// stream.sleep(1_000_000)?;
    /// stream.notify(move |result| done.send(result).unwrap())?;
    /// wait.recv().unwrap()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// If it fails, the function is dropped uncalled.
    pub fn notify<F: FnOnce(Result<()>) + Send + 'static>(&self, function: F) -> Result<()> {
        register_notify(function, |run, arg| {
            // SAFETY: the function is called with its own argument, once.
            check(unsafe { api()?.gs_stream_notify(self.as_handle(), run, arg) })
        })
    }

    /// Calls a function some time after the work submitted so far is done, for the release of what it uses. Costs no
    /// driver call in most cases: functions are collected, and due when gpustream next submits something to the stream,
    /// when some dozens have come together, or in [`trim`](crate::trim). Those of a dropped stream are due when its
    /// driver stream is found to be idle. Does not block.
    ///
    /// It runs once, on the library's dispatcher thread, also if the work fails. It may call gpustream except to
    /// synchronize. A panic in it is contained. While the stream is being captured, the graph keeps the function and it
    /// runs when the graph, its executables and their launches have ended.
    ///
    /// ```
    /// let stream = gpustream::Stream::new()?;
    /// let memory = gpustream::HostBuffer::new(4096)?;
    /// // SAFETY: the buffer is dropped after the fill, and not used before.
    /// unsafe { stream.memset(memory.as_ptr().cast_mut().cast(), 0, 4096) }?;
    /// stream.defer(move || drop(memory))?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// If it fails, the function is dropped uncalled.
    pub fn defer<F: FnOnce() + Send + 'static>(&self, function: F) -> Result<()> {
        register_host(function, |run, arg| {
            // SAFETY: the function is called with its own argument, once.
            check(unsafe { api()?.gs_stream_defer(self.as_handle(), run, arg) })
        })
    }

    /// Runs a function in stream order: later work of the stream waits until it has returned.
    ///
    /// It runs once, on a thread of the backend; this call does not block. If an earlier error has made the device
    /// unusable, it is neither run nor dropped. A panic in it is contained.
    ///
    /// If it fails, the function is dropped uncalled.
    ///
    /// # Safety
    ///
    /// The function leaves the GPU driver and runtime alone, directly and through libraries. Of gpustream it calls only
    /// functions that act on no device. It does not wait for the work of any stream. Dropping a stream, event, buffer
    /// or module counts as such a call. The stream is not being captured: a graph would call the function at every
    /// launch.
    pub unsafe fn launch_host<F: FnOnce() + Send + 'static>(&self, function: F) -> Result<()> {
        register_host(function, |run, arg| {
            // SAFETY: the function is called with its own argument, once; the caller vouches for what it does.
            check(unsafe { api()?.gs_stream_launch_host(self.as_handle(), run, arg) })
        })
    }

    /// As [`launch_host`](Self::launch_host), for a C function.
    ///
    /// # Safety
    ///
    /// As [`launch_host`](Self::launch_host), but the stream may be being captured. Also, `function` may be called on
    /// any thread with `argument`, does not unwind, and everything it uses lives until it has run; if captured, until
    /// the graph, its executables and their launches have ended.
    pub unsafe fn launch_host_raw(
        &self,
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_stream_launch_host(self.as_handle(), Some(function), argument) })
    }
}

impl StreamRef {
    /// Makes this stream wait for the work that the event covers now, as [`Event::wait`]. The caller does not block.
    #[inline]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        call!(gs_stream_wait_event(self.as_handle(), event.as_handle()))
    }

    /// Records an event in this stream, as [`Event::record`]. Does not block. [`record_new_event`](Self::record_new_event)
    /// makes the event.
    #[inline]
    pub fn record_event(&self, event: &Event) -> Result<()> {
        call!(gs_stream_record_event(self.as_handle(), event.as_handle()))
    }

    /// Records a new event without timing in this stream. Does not block.
    ///
    /// ```
    /// let stream = gpustream::Stream::new()?;
    /// let event = stream.record_new_event()?;
    /// event.synchronize()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn record_new_event(&self) -> Result<Event> {
        let event = Event::new()?;
        self.record_event(&event)?;
        Ok(event)
    }
}
