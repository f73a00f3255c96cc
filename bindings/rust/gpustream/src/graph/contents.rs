// SPDX-License-Identifier: Apache-2.0
//! What a graph is made of.

use std::ffi::c_void;

use gpustream_sys::{self as sys, gs_node_t};

use super::GraphRef;
use crate::call::{api, check, fill, read, terminated};
use crate::device::Device;
use crate::error::Result;
use crate::launch::{LaunchAttributes, LaunchConfig};
use crate::numbers::{closed, flags, open};
use crate::text::array_text;

/// A node of a graph: a number that no other node of the process ever has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Node(gs_node_t);

impl Node {
    /// The node with a number of the C library, from C or another language. A number that is no node is refused by the
    /// call that gets it.
    pub const fn from_number(number: gs_node_t) -> Self {
        Self(number)
    }

    /// The number of the C library.
    pub const fn number(self) -> gs_node_t {
        self.0
    }

    /// A list of nodes as the C library takes it.
    pub(crate) fn numbers(nodes: &[Self]) -> *const gs_node_t {
        if nodes.is_empty() { std::ptr::null() } else { nodes.as_ptr().cast() }
    }
}

/// A graph as a whole; from [`GraphRef::info`]. Nodes of child graphs and bodies are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphInfo {
    /// The device that the graph was created for.
    pub device: Device,
    /// Whether it is a body of a conditional node.
    pub is_body: bool,
    /// Whether it has a conditional node, also in a body.
    pub has_conditions: bool,
    /// Number of nodes.
    pub node_count: u64,
    /// Number of dependencies.
    pub edge_count: u64,
}

/// One node of a graph; from [`GraphRef::node_info`]. A field that does not apply to the node's kind, or is unknown for a
/// captured node, is 0, null or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeInfo {
    /// What the node does.
    pub kind: NodeKind,
    /// Of a conditional node: what it does with its bodies.
    pub condition: Option<ConditionKind>,
    /// Of a conditional node: the number of its bodies.
    pub body_count: u32,
    /// Number of nodes that it waits for.
    pub predecessor_count: u64,
    /// Number of nodes that wait for it.
    pub successor_count: u64,
    /// Destination of a copy or a fill.
    pub to: *mut c_void,
    /// Source of a copy; the word that sets a condition.
    pub from: *const c_void,
    /// Size of a copy or a fill, bytes.
    pub bytes: u64,
    /// The byte of a fill.
    pub byte: u8,
    /// Geometry of a kernel.
    pub config: LaunchConfig,
    /// Name of a kernel; cut off if it is longer than 127 bytes.
    pub name: String,
}

// SAFETY: the pointers are addresses for the reader; nothing here follows them.
unsafe impl Send for NodeInfo {}
// SAFETY: as above.
unsafe impl Sync for NodeInfo {}

impl GraphRef {
    /// What the graph is made of. Does not block.
    pub fn info(&self) -> Result<GraphInfo> {
        let info = fill!(gs_graph_info(self.as_handle()))?;
        Ok(GraphInfo {
            device: Device::from_raw(info.device),
            is_body: info.is_body != 0,
            has_conditions: info.has_conditions != 0,
            node_count: info.node_count,
            edge_count: info.edge_count,
        })
    }

    /// The graph's nodes, in the order in which they were added; captured ones in an order in which they could have
    /// been. Does not block.
    pub fn nodes(&self) -> Result<Vec<Node>> {
        // SAFETY: the outputs are local variables, and the list has room for `capacity` elements.
        list_nodes(|list, capacity, count| unsafe {
            check(api()?.gs_graph_nodes(self.as_handle(), list, capacity, count))
        })
    }

    /// The graph's dependencies: each time the node that comes before and the node that waits for it. Does not block.
    pub fn edges(&self) -> Result<Vec<(Node, Node)>> {
        // SAFETY: as above.
        let numbers = list(|list, capacity, count| unsafe {
            check(api()?.gs_graph_edges(self.as_handle(), list, capacity, count))
        })?;
        Ok(numbers.chunks_exact(2).map(|pair| (Node(pair[0]), Node(pair[1]))).collect())
    }

    /// What a node does, as it was added: changes made to an executable are not shown. Does not block.
    pub fn node_info(&self, node: Node) -> Result<NodeInfo> {
        let info = fill!(gs_graph_node_info(self.as_handle(), node.0))?;
        Ok(NodeInfo {
            kind: NodeKind::from_number(info.kind),
            condition: ConditionKind::from_number(info.condition_kind),
            body_count: info.body_count,
            predecessor_count: info.predecessor_count,
            successor_count: info.successor_count,
            to: info.dst,
            from: info.src,
            bytes: info.bytes,
            byte: u8::try_from(info.value).unwrap_or(0),
            config: LaunchConfig {
                grid: [info.grid_x, info.grid_y, info.grid_z],
                block: [info.block_x, info.block_y, info.block_z],
                shared_memory_bytes: info.shared_memory_bytes,
                attributes: LaunchAttributes::default(),
            },
            name: array_text(&info.name),
        })
    }

    /// The driver's handle of a node, for code that calls the driver itself: a `CUgraphNode` on CUDA, on host a number.
    /// Such code must not remove the node. Does not block.
    pub fn as_raw_node(&self, node: Node) -> Result<*mut c_void> {
        read!(gs_graph_node_native(self.as_handle(), node.0)).map(std::ptr::without_provenance_mut)
    }

    /// Declares to the [ordering checker](crate::check_start()) that a node reads a range of memory at each launch of
    /// executables that are made later. The checker cannot know what kernels and host functions access. The address is
    /// only compared. Does not block.
    pub fn check_read<T>(&self, node: Node, address: *const T, bytes: usize, label: &str) -> Result<()> {
        let label = terminated(label, "check_read")?;
        // SAFETY: the library does not access the address; the label is NUL-terminated and copied.
        check(unsafe { api()?.gs_graph_check_read(self.as_handle(), node.0, address.cast(), bytes, label.as_ptr()) })
    }

    /// Declares that a node writes a range of memory, and possibly reads it.
    pub fn check_write<T>(&self, node: Node, address: *const T, bytes: usize, label: &str) -> Result<()> {
        let label = terminated(label, "check_write")?;
        // SAFETY: as in `check_read`.
        check(unsafe { api()?.gs_graph_check_write(self.as_handle(), node.0, address.cast(), bytes, label.as_ptr()) })
    }
}

pub(crate) fn list_nodes(read: impl Fn(*mut u64, usize, *mut usize) -> Result<()>) -> Result<Vec<Node>> {
    Ok(list(read)?.into_iter().map(Node).collect())
}

/// Reads a list whose length only the library knows. It may grow between two calls: other threads may add to it.
fn list(read: impl Fn(*mut u64, usize, *mut usize) -> Result<()>) -> Result<Vec<u64>> {
    let mut list = vec![0; 16];
    loop {
        let mut count = 0;
        read(list.as_mut_ptr(), list.len(), &raw mut count)?;
        let room = list.len();
        list.resize(count, 0);
        if count <= room {
            return Ok(list);
        }
    }
}

sys::for_each_enumerator! {
    node_kind, open,
    /// What a node of a graph does.
    NodeKind
}

sys::for_each_enumerator! {
    condition_kind, closed,
    /// What a conditional node does with its bodies.
    ConditionKind
}

sys::for_each_enumerator! {
    instantiate_flag, flags,
    /// How an executable graph runs.
    InstantiateFlags
}

sys::for_each_enumerator! {
    update_reason, open,
    /// Why an executable graph cannot take over another graph.
    UpdateReason
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library whose list has one element more at each call.
    #[test]
    fn list_that_grows_between_calls_is_read_again() {
        let calls = std::cell::Cell::new(20);
        let numbers = list(|list, capacity, count| {
            let length = calls.replace(calls.get() + 1);
            let fits = length.min(capacity);
            // SAFETY: the list has that capacity, and the count is a local variable.
            unsafe {
                (0..fits).for_each(|index| list.add(index).write(index as u64));
                count.write(if length > 22 { 3 } else { length });
            }
            Ok(())
        });
        assert_eq!(numbers.unwrap(), [0, 1, 2]);
        assert_eq!(calls.get(), 24, "20, 21 and 22 did not fit the room of the call before");
    }

    #[test]
    fn no_nodes_are_null() {
        assert!(Node::numbers(&[]).is_null());
        let nodes = [Node(7)];
        // SAFETY: the list has one element.
        assert_eq!(unsafe { *Node::numbers(&nodes) }, 7);
    }
}
