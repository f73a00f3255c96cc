// SPDX-License-Identifier: Apache-2.0
//! Functions that run when a stream gets there.

use std::ffi::c_void;

use super::StreamRef;
use crate::call::{api, check};
use crate::callback::{register_host, register_notify};
use crate::error::Result;

impl StreamRef {
    /// Calls a function after the work submitted so far is done, without holding the stream.
    ///
    /// It runs once, on a thread of the library that also serves other notifications, in this stream's order. It is told
    /// `Ok`, or the status with which the work failed; a panic in it ends there. It may call gpustream, except to
    /// synchronize, and should be brief. If this call fails, the function is dropped uncalled.
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
    pub fn notify<F: FnOnce(Result<()>) + Send + 'static>(&self, function: F) -> Result<()> {
        register_notify(function, |run, arg| {
            // SAFETY: the function gets its own argument back, once.
            check(unsafe { api()?.gs_stream_notify(self.as_handle(), run, arg) })
        })
    }

    /// Runs a function in stream order: later work of the stream waits until it has returned.
    ///
    /// It runs on a thread of the backend. If the device became unusable by an earlier error it is neither run nor
    /// dropped. A panic in it ends there. If this call fails, the function is dropped uncalled.
    ///
    /// # Safety
    ///
    /// The function must call no function of the GPU driver or runtime, directly or through a library, and of gpustream
    /// only those that act on no device; it must not wait for the work of any stream. Dropping streams, events, buffers
    /// and modules counts as such a call.
    pub unsafe fn launch_host<F: FnOnce() + Send + 'static>(&self, function: F) -> Result<()> {
        register_host(function, |run, arg| {
            // SAFETY: the function gets its own argument back, once; what it does is the caller's word.
            check(unsafe { api()?.gs_stream_launch_host(self.as_handle(), run, arg) })
        })
    }

    /// As [`launch_host`](Self::launch_host), for a function that is native already.
    ///
    /// # Safety
    ///
    /// As there. Also, `function` may be called on any thread with `argument`, must not unwind, and what it uses lives
    /// until it has run.
    pub unsafe fn launch_host_raw(
        &self,
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<()> {
        // SAFETY: the caller's.
        check(unsafe { api()?.gs_stream_launch_host(self.as_handle(), Some(function), argument) })
    }
}
