// SPDX-License-Identifier: Apache-2.0
//! Taking over another graph.

use std::sync::PoisonError;

use gpustream_sys as sys;

use super::{Graph, GraphExec, Node, UpdateReason};
use crate::call::fill;
use crate::error::Result;

/// What became of an update; from [`GraphExec::update`].
#[must_use = "the executable may be unchanged"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphUpdate {
    /// The next launches run what the graph says.
    Done,
    /// The executable is unchanged.
    Refused {
        /// Why the graph cannot be taken over.
        reason: UpdateReason,
        /// The node of the graph that is in the way; `None` if it is no single one.
        node: Option<Node>,
    },
}

impl GraphUpdate {
    /// Whether the next launches run what the graph says.
    pub const fn is_done(self) -> bool {
        matches!(self, Self::Done)
    }
}

impl GraphExec {
    /// Makes the executable run what another graph of the same shape says: with the same nodes and dependencies in the
    /// same order, and other parameters. A graph of another shape is an answer and no error. Launches already submitted
    /// keep the old parameters. Does not block.
    ///
    /// The executable keeps alive what this graph keeps, no longer what it kept before; functions of
    /// [`set_host`](Self::set_host) are replaced by those of the graph.
    ///
    /// ```
    /// use gpustream::{Device, Graph, InstantiateFlags};
    ///
    /// let (one, other) = (Graph::new(Device::CURRENT)?, Graph::new(Device::CURRENT)?);
    /// one.add_empty(&[])?;
    /// let mut exec = one.instantiate(InstantiateFlags::empty())?;
    /// if !exec.update(&other)?.is_done() {
    ///     exec = other.instantiate(InstantiateFlags::empty())?; // the other graph has no nodes
    /// }
    /// # drop(exec);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn update(&self, graph: &Graph) -> Result<GraphUpdate> {
        // Locked until the list goes with what the executable keeps: a change on another thread adds to it.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        graph.holds.tie(graph)?;
        let result = fill!(gs_graph_exec_update(self.as_handle(), graph.as_handle()))?;
        if result.reason == sys::GS_UPDATE_OK {
            let before = kept.as_mut().map(|kept| kept.take_over(graph));
            drop(kept);
            drop(before); // runs destructors of what it held, which must not happen under the lock
            return Ok(GraphUpdate::Done);
        }
        Ok(GraphUpdate::Refused {
            reason: UpdateReason::from_number(result.reason),
            node: (result.node != 0).then(|| Node::from_number(result.node)),
        })
    }
}
