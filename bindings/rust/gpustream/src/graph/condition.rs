// SPDX-License-Identifier: Apache-2.0
//! Conditional nodes and their bodies.
// Addresses are only noted here: launches, which are unsafe, use them.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::c_void;
use std::ptr::null_mut;

use gpustream_sys::{self as sys, gs_node_params_t};

use super::build::node_of;
use super::{BorrowedGraph, ConditionKind, GraphRef, Node};
use crate::call::get;
use crate::error::Result;

/// A conditional node of a graph, with its bodies: graphs of their own, to which nodes are added as to any other, and
/// into which streams can be captured. They may have nodes that run kernels, copy, fill, do nothing, run a child graph,
/// and conditions.
#[derive(Debug)]
pub struct Condition<'a> {
    owner: &'a GraphRef,
    node: Node,
    bodies: Vec<BorrowedGraph<'a>>,
}

impl<'a> Condition<'a> {
    /// The conditional node.
    pub fn node(&self) -> Node {
        self.node
    }

    /// The bodies: of an IF the one for a condition other than 0, then the one for 0.
    pub fn bodies(&self) -> &[BorrowedGraph<'a>] {
        &self.bodies
    }

    /// One of the bodies.
    ///
    /// # Panics
    ///
    /// If there is no body with this index, as slices do.
    pub fn body(&self, index: usize) -> &BorrowedGraph<'a> {
        &self.bodies[index]
    }
}

impl GraphRef {
    /// Adds a node that runs its body if the condition is not 0. Each launch begins with the condition at `initial`;
    /// [`set_condition`](Self::set_condition) changes it. Does not block.
    pub fn add_if(&self, after: &[Node], initial: u32) -> Result<Condition<'_>> {
        self.add_condition(after, ConditionKind::If, initial, 1)
    }

    /// As [`add_if`](Self::add_if), with a second body that runs if the condition is 0.
    pub fn add_if_else(&self, after: &[Node], initial: u32) -> Result<Condition<'_>> {
        self.add_condition(after, ConditionKind::If, initial, 2)
    }

    /// Adds a node that runs its body as long as the condition is not 0. Does not block.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use gpustream::{Device, Graph, HostBuffer, InstantiateFlags, Stream};
    ///
    /// let (word, zero) = (Arc::new(HostBuffer::from_slice(&[1_u8; 4])?), Arc::new(HostBuffer::new(4)?));
    /// let graph = Graph::new(Device::CURRENT)?;
    /// graph.keep((word.clone(), zero.clone()))?;
    /// let again = graph.add_while(&[], 1)?;
    /// let body = again.body(0);
    /// // In place of a kernel that decides whether there is more to do.
    /// let decided = body.add_memcpy(&[], word.as_ptr().cast_mut().cast(), zero.as_ptr().cast(), 4)?;
    /// body.set_condition(&[decided], &again, word.as_ptr().cast())?;
    ///
    /// let (exec, stream) = (graph.instantiate(InstantiateFlags::empty())?, Stream::new()?);
    /// // SAFETY: the graph keeps both buffers, and nothing else uses them until the launch is done.
    /// unsafe { exec.launch(&stream) }?;
    /// stream.synchronize()?;
    /// assert_eq!(**word, [0; 4]);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn add_while(&self, after: &[Node], initial: u32) -> Result<Condition<'_>> {
        self.add_condition(after, ConditionKind::While, initial, 1)
    }

    /// Adds a node that runs the body whose index the condition is; an index without a body runs nothing. Does not block.
    pub fn add_switch(&self, after: &[Node], initial: u32, bodies: usize) -> Result<Condition<'_>> {
        self.add_condition(after, ConditionKind::Switch, initial, bodies)
    }

    /// Adds a conditional node of any kind, with 1 or 2 bodies for an IF, 1 for a WHILE, 1 to 1024 for a SWITCH. Does
    /// not block.
    pub fn add_condition(
        &self,
        after: &[Node],
        kind: ConditionKind,
        initial: u32,
        bodies: usize,
    ) -> Result<Condition<'_>> {
        let node = self.add(
            after,
            &gs_node_params_t {
                condition_kind: kind as i32,
                initial,
                body_count: u32::try_from(bodies).unwrap_or(u32::MAX),
                ..node_of(sys::GS_NODE_CONDITION)
            },
        )?;
        let mut raw = vec![null_mut(); bodies];
        // SAFETY: the list has room for as many elements as it says.
        get(|api, count| unsafe {
            api.gs_graph_node_bodies(self.as_handle(), node.number(), raw.as_mut_ptr(), bodies, count)
        })?;
        Ok(Condition { owner: self, node, bodies: raw.into_iter().map(BorrowedGraph::new).collect() })
    }

    /// Adds a node that sets a condition from the 32-bit word at `address`. In the graph that has the conditional node it
    /// becomes a predecessor of that node; in the body of a WHILE, also of one further out, it decides about another
    /// round. Does not block.
    pub fn set_condition(&self, after: &[Node], condition: &Condition<'_>, address: *const c_void) -> Result<Node> {
        self.add(
            after,
            &gs_node_params_t {
                graph: condition.owner.as_handle(),
                condition: condition.node.number(),
                src: address,
                ..node_of(sys::GS_NODE_SET_CONDITION)
            },
        )
    }
}
