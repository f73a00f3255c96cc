// SPDX-License-Identifier: Apache-2.0
//! Names of streams, events and graphs, and what a stream waits for.

use crate::call::{api, check, terminated};
use crate::error::Result;
use crate::event::Event;
use crate::graph::GraphRef;
use crate::stream::StreamRef;

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

impl StreamRef {
    /// Why the stream is not done: what it waits for, and where that leads, as text for people. It is what `gs_dump()`
    /// writes about this stream: a line with the way down to what nothing else holds up, and its last operations if
    /// `GPUSTREAM_LOG` keeps them. No driver is asked. Does not block.
    pub fn explain(&self) -> Result<String> {
        let mut text = vec![0u8; 1024];
        loop {
            let mut bytes = 0;
            // SAFETY: the outputs are local variables, and the text has as much room as is stated.
            check(unsafe {
                api()?.gs_explain_wait(self.as_handle(), text.as_mut_ptr().cast(), text.len(), &raw mut bytes)
            })?;
            if bytes <= text.len() {
                text.truncate(bytes - 1); // without the NUL
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            text.resize(bytes, 0);
        }
    }
}
