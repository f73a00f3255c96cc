// SPDX-License-Identifier: Apache-2.0
//! Graphs: work and the order in it, built node by node or captured from streams, launched any number of times.
//!
//! [`GraphRef`] has the operations that change and describe a graph; [`Graph`] and [`BorrowedGraph`] hold references.

mod build;
mod condition;
mod contents;
mod exec;
mod exec_changes;
mod exec_nodes;
mod holds;
mod host;
mod kept;
mod owned;
mod reference;

pub use condition::Condition;
pub(crate) use contents::list_nodes;
pub use contents::{ConditionKind, GraphInfo, InstantiateFlags, Node, NodeInfo, NodeKind, UpdateReason};
pub use exec::GraphExec;
pub use exec_changes::GraphUpdate;
pub(crate) use host::Captured;
pub use owned::Graph;
pub use reference::{BorrowedGraph, GraphRef};
