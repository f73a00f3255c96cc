// SPDX-License-Identifier: Apache-2.0
//! Graphs: work and the order in it, built node by node or captured from streams, launched any number of times.
//!
//! [`GraphRef`] has the operations that change and describe a graph; [`Graph`] and [`BorrowedGraph`] hold references.

mod borrowed;
mod build;
mod condition;
mod contents;
mod exec;
mod exec_changes;
mod exec_nodes;
mod holds;
mod host;
mod kept;
mod kinds;
mod owned;
mod reference;
mod text;

pub use borrowed::BorrowedGraph;
pub use condition::Condition;
pub(crate) use contents::list_nodes;
pub use contents::{GraphInfo, Node, NodeInfo};
pub use exec::GraphExec;
pub use exec_changes::GraphUpdate;
pub(crate) use host::Captured;
pub use kinds::{ConditionKind, InstantiateFlags, NodeKind, UpdateReason};
pub use owned::Graph;
pub use reference::GraphRef;
