// SPDX-License-Identifier: Apache-2.0
//! What all copies between a device and pinned memory have in common: the memory belongs to the copy until it is done.

use super::Pending;
use super::pending::drop_after;
use super::users::for_all_threads;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::status::Status;
use crate::stream::{Stream, StreamRef};

/// Submits a copy that uses `value`. After a failure the copy may be running all the same: the value is dropped when the
/// stream is past it.
pub(super) fn submit<V: Send + 'static>(
    stream: &Stream,
    mut value: V,
    copy: impl FnOnce(&mut V, &Stream) -> Result<()>,
) -> Result<Pending<V>> {
    refuse_capture(stream, "DeviceBuffer")?;
    let done = Event::builder().blocking(true).build()?;
    let behind = for_all_threads(stream)?; // any thread may drop the value
    match copy(&mut value, stream).and_then(|()| done.record(stream)) {
        Ok(()) => Ok(Pending::new(value, done, behind)),
        Err(error) => {
            drop_after(&behind, value);
            Err(error)
        }
    }
}

/// Refuses what has no meaning in a capture. Memory would exist in launches only. Copies that the host waits for would run
/// again and again, or never.
pub(super) fn refuse_capture(stream: &StreamRef, function: &str) -> Result<()> {
    if stream.is_capturing()? {
        return Err(Error::new(
            Status::CAPTURING,
            function,
            "the stream is being captured: buffers are not allocated there, nor copied from or to the host",
        ));
    }
    Ok(())
}

/// Refuses host memory that is larger than the device's.
pub(super) fn fits(host: usize, device: usize) -> Result<()> {
    if host > device {
        let text = format!("the host buffer has {host} elements, the device memory {device}");
        return Err(Error::new(Status::INVALID_ARGUMENT, "DeviceBuffer", &text));
    }
    Ok(())
}
