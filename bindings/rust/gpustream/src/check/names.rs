// SPDX-License-Identifier: Apache-2.0
//! Names, which error texts and the checker's reports show.

use crate::call::{api, check};
use crate::error::Result;
use crate::event::Event;
use crate::graph::GraphRef;
use crate::stream::StreamRef;
use crate::text_for_c::terminated;

impl StreamRef {
    /// Names the stream in error texts and reports of the ordering checker; "" ends that. The first 63 bytes
    /// are kept. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live stream.
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the name contains a NUL. The
    /// [getter errors](crate#getter-errors).
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "StreamRef::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_stream_set_name(self.as_handle(), name.as_ptr()) })
    }
}

impl Event {
    /// Names the event; otherwise as [`StreamRef::set_name`].
    ///
    /// # Errors
    ///
    /// As [`StreamRef::set_name`], of events.
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "Event::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_event_set_name(self.as_handle(), name.as_ptr()) })
    }
}

impl GraphRef {
    /// Names the graph, and the executables that are made from it later, in error texts, dumps and traces; otherwise as
    /// [`StreamRef::set_name`].
    ///
    /// # Errors
    ///
    /// As [`StreamRef::set_name`], of graphs.
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "GraphRef::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_graph_set_name(self.as_handle(), name.as_ptr()) })
    }
}
