// SPDX-License-Identifier: Apache-2.0
//! Graphs that another object owns.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use gpustream_sys::gs_graph_t;

use super::GraphRef;
use crate::counted::derefs;

/// A graph that another object owns, valid for `'a`: a body of a conditional node, or the graph of a
/// [`Capture`](crate::Capture). Its operations are those of [`GraphRef`]; it cannot be instantiated.
///
/// A body cannot outlive its graph:
///
/// ```compile_fail,E0505
/// use gpustream::{Device, Graph};
///
/// let graph = Graph::new(Device::CURRENT)?;
/// let branch = graph.add_if(&[], 1)?;
/// drop(graph);
/// branch.body(0).add_empty(&[])?;
/// # Ok::<(), gpustream::Error>(())
/// ```
pub struct BorrowedGraph<'a> {
    graph: GraphRef,
    owner: PhantomData<&'a GraphRef>,
}

impl BorrowedGraph<'_> {
    /// The owner lives for the caller's lifetime.
    pub(crate) fn new(raw: gs_graph_t) -> Self {
        Self { graph: GraphRef::from_handle(raw), owner: PhantomData }
    }
}

derefs! { BorrowedGraph<'_>, graph: GraphRef }

impl Debug for BorrowedGraph<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("Borrowed")?;
        self.graph.fmt(out)
    }
}
