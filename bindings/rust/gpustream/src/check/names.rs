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
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "StreamRef::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_stream_set_name(self.as_handle(), name.as_ptr()) })
    }
}

impl Event {
    /// Names the event; otherwise as [`StreamRef::set_name`].
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "Event::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_event_set_name(self.as_handle(), name.as_ptr()) })
    }
}

impl GraphRef {
    /// Names the graph, and the executables that are made from it later, in error texts, dumps and traces; otherwise as
    /// [`StreamRef::set_name`].
    pub fn set_name(&self, name: &str) -> Result<()> {
        let name = terminated(name, "GraphRef::set_name")?;
        // SAFETY: takes a handle; the name is NUL-terminated and copied.
        check(unsafe { api()?.gs_graph_set_name(self.as_handle(), name.as_ptr()) })
    }
}
