// SPDX-License-Identifier: Apache-2.0
//! Captures as seen from streams and graphs.

use gpustream_sys::gs_capture_info_t;

use super::{Capture, CaptureInfo, CaptureMode};
use crate::call::{api, call, check, fill, get, read};
use crate::error::Result;
use crate::graph::{Graph, GraphRef, Node, list_nodes};
use crate::stream::StreamRef;

/// What each operation does in a capture, and beside one on another thread, is in `docs/guide/graphs.md`.
impl StreamRef {
    /// Begins to capture the stream: work submitted to it becomes nodes of a graph instead of being executed. The capture
    /// spreads to each stream that waits for an event recorded in it or for one of its streams; each must be waited for
    /// in the same way before the end. Does not block.
    pub fn capture(&self, mode: CaptureMode) -> Result<Capture<'_>> {
        call!(gs_stream_begin_capture(self.as_handle(), mode as i32))?;
        Capture::begun(self)
    }

    /// Ends a capture that this stream began and that no [`Capture`] stands for: one that was
    /// [released](Capture::release), or began in another language. Does not block.
    pub fn end_capture(&self) -> Result<Graph> {
        read!(gs_stream_end_capture(self.as_handle())).map(Graph::owned)
    }

    /// Ends a capture that this stream began without a graph, also a broken one. Works on any thread. A graph that it
    /// went into keeps the nodes captured so far. Does not block.
    pub fn abort_capture(&self) -> Result<()> {
        call!(gs_stream_abort_capture(self.as_handle()))
    }

    /// The capture that the stream takes part in. Never breaks it. Does not block.
    pub fn capture_info(&self) -> Result<CaptureInfo> {
        let raw = self.raw_capture_info()?;
        let stream = if raw.broken_stream.is_null() {
            None
        } else {
            // SAFETY: the output is a local variable. The stream may have ended since.
            get(|api, out| unsafe { api.gs_stream_id(raw.broken_stream, out) }).ok()
        };
        Ok(CaptureInfo::from_raw(&raw, stream))
    }

    pub(super) fn raw_capture_info(&self) -> Result<gs_capture_info_t> {
        fill!(gs_stream_capture_info(self.as_handle()))
    }

    /// The nodes on which the stream's next captured work will depend. Does not block.
    pub fn capture_nodes(&self) -> Result<Vec<Node>> {
        // SAFETY: the outputs are local variables, and the list has room for `capacity` elements.
        list_nodes(|list, capacity, count| unsafe {
            check(api()?.gs_stream_capture_nodes(self.as_handle(), list, capacity, count))
        })
    }

    /// Replaces the nodes on which the stream's next captured work will depend. They are of the graph that is being
    /// captured ([`Capture::graph`]). Does not block.
    pub fn set_capture_nodes(&self, nodes: &[Node]) -> Result<()> {
        self.change_capture_nodes(nodes, false)
    }

    /// Adds to the nodes on which the stream's next captured work will depend. Does not block.
    pub fn add_capture_nodes(&self, nodes: &[Node]) -> Result<()> {
        self.change_capture_nodes(nodes, true)
    }

    fn change_capture_nodes(&self, nodes: &[Node], add: bool) -> Result<()> {
        let (list, count) = (Node::numbers(nodes), nodes.len());
        // SAFETY: the list has that length.
        check(unsafe { api()?.gs_stream_set_capture_nodes(self.as_handle(), list, count, add.into()) })
    }
}

impl GraphRef {
    /// Begins to capture a stream into this graph, which may be a body. The first nodes depend on those of `after`.
    /// Otherwise as [`StreamRef::capture`]; [`Capture::end`] returns this graph.
    pub fn capture<'a>(&self, stream: &'a StreamRef, after: &[Node], mode: CaptureMode) -> Result<Capture<'a>> {
        let (graph, list, count) = (self.as_handle(), Node::numbers(after), after.len());
        // SAFETY: takes handles; the list has that length.
        check(unsafe { api()?.gs_stream_begin_capture_to(stream.as_handle(), graph, list, count, mode as i32) })?;
        Capture::begun(stream)
    }
}
