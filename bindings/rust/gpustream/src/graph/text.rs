// SPDX-License-Identifier: Apache-2.0
//! A graph in the language of Graphviz.

use std::fmt::Write;

use super::GraphRef;
use crate::call::{api, check};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::text::append;

impl GraphRef {
    /// Writes the graph in the language of Graphviz: nodes with their kind and what they work on, child graphs and
    /// bodies as boxes inside. Does not block.
    ///
    /// ```
    /// use gpustream::{Device, Graph};
    ///
    /// let graph = Graph::new(Device::CURRENT)?;
    /// let first = graph.add_empty(&[])?;
    /// graph.add_empty(&[first])?;
    /// let mut picture = String::new();
    /// graph.write_dot(&mut picture)?;
    /// assert!(picture.starts_with("digraph"));
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// [`SYSTEM`](crate::Status::SYSTEM): the writer failed.
    pub fn write_dot<W: Write>(&self, writer: &mut W) -> Result<()> {
        // As a whole: the library's pieces may begin inside of a character.
        let mut text = Vec::<u8>::new();
        // SAFETY: the function takes this argument, which outlives the call.
        check(unsafe { api()?.gs_graph_write_dot(self.as_handle(), Some(append), (&raw mut text).cast()) })?;
        writer
            .write_str(&String::from_utf8_lossy(&text))
            .map_err(|_| Error::new(Status::SYSTEM, "GraphRef::write_dot", "the writer returned an error"))
    }
}
