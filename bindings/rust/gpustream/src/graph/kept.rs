// SPDX-License-Identifier: Apache-2.0
//! What an executable keeps: the list of the graph that it was made or last updated from.
//!
//! What a change brings in and the library does own, such as a kernel's module, belongs to the graph that the executable
//! was made from. Once another graph has been taken over, the executable no longer keeps that, so the list holds it.

use std::sync::Arc;

use super::holds::Holds;
use super::{Graph, GraphRef};
use crate::call::call;
use crate::error::Result;

/// What an executable keeps that was made by this crate.
pub(super) struct Kept {
    list: Arc<Holds>,
    /// The graph that the executable was made from; it may have ended.
    source: GraphRef,
    /// Whether the executable keeps what the source does.
    has_source: bool,
}

impl Kept {
    pub(super) fn of(source: &Graph) -> Self {
        Self { list: source.holds.clone(), source: GraphRef::from_handle(source.as_handle()), has_source: true }
    }

    /// The list to which a change adds. It holds the source from now on.
    pub(super) fn for_a_change(&mut self) -> Result<&Arc<Holds>> {
        if !self.has_source {
            call!(gs_graph_retain(self.source.as_handle()))?;
            let source = Box::new(Graph::owned(self.source.as_handle()));
            self.list.add(source, |_| Ok(())).map_err(|(error, _)| error)?;
            self.has_source = true;
        }
        Ok(&self.list)
    }

    /// The executable has taken over a graph whose list is tied. Returns the list before, whose last reference must not
    /// end under a lock.
    pub(super) fn take_over(&mut self, graph: &Graph) -> Arc<Holds> {
        self.has_source = self.source == **graph;
        std::mem::replace(&mut self.list, graph.holds.clone())
    }
}
