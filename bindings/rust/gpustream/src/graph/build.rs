// SPDX-License-Identifier: Apache-2.0
//! Adding nodes.
// Addresses are only noted here: launches, which are unsafe, use them.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::c_void;

use gpustream_sys::{self as sys, gs_node_params_t};

use super::host::call;
use super::{Graph, GraphRef, Node};
use crate::call::get;
use crate::error::Result;
use crate::event::Event;
use crate::launch::LaunchConfig;
use crate::module::{Kernel, KernelArgument, raw_arguments};

/// Adding nodes does not block. The memory and functions that nodes refer to must live until the graph, its executables
/// and their launches have ended: [`keep`](GraphRef::keep) does that.
impl GraphRef {
    /// Adds a node that does nothing, at which dependencies meet.
    pub fn add_empty(&self, after: &[Node]) -> Result<Node> {
        self.add(after, &node_of(sys::GS_NODE_EMPTY))
    }

    /// Adds a node that calls a function at each launch, on a thread of the backend. The graph keeps the function. It is
    /// bound by the rules of [`GraphExec::launch`](super::GraphExec::launch); launches of several executables may call
    /// it at the same time. A panic in it is contained.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use gpustream::{Device, Graph, InstantiateFlags, Stream};
    ///
    /// let launches = Arc::new(AtomicU32::new(0));
    /// let graph = Graph::new(Device::CURRENT)?;
    /// let count = launches.clone();
    /// graph.add_host(&[], move || _ = count.fetch_add(1, Ordering::Relaxed))?;
    /// let exec = graph.instantiate(InstantiateFlags::empty())?;
    /// let stream = Stream::new()?;
    /// for _ in 0..3 {
    ///     // SAFETY: the function only counts.
    ///     unsafe { exec.launch(&stream) }?;
    /// }
    /// stream.synchronize()?;
    /// assert_eq!(launches.load(Ordering::Relaxed), 3);
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// It cannot borrow, since a launch may outlive every scope.
    ///
    /// If only adding the node failed, the graph keeps the function all the same.
    pub fn add_host<F: Fn() + Send + Sync + 'static>(&self, after: &[Node], function: F) -> Result<Node> {
        let arg = self.keep_at(function)?;
        self.add_host_raw(after, call::<F>, arg)
    }

    /// As [`add_host`](Self::add_host), for a C function, which is called with `argument` and must not unwind.
    pub fn add_host_raw(
        &self,
        after: &[Node],
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<Node> {
        self.add(after, &host_node(function, argument))
    }

    /// Adds a node that runs a kernel. The values of the arguments are copied, but for a host kernel that exports no
    /// argument sizes, which refers to them at each launch. The module stays loaded as long as it is needed.
    pub fn add_kernel(
        &self,
        after: &[Node],
        kernel: &Kernel<'_>,
        config: &LaunchConfig,
        arguments: &[KernelArgument<'_>],
    ) -> Result<Node> {
        self.add(after, &kernel_node(kernel, config, arguments))
    }

    /// Adds a node that copies `bytes` bytes, between host or device memory in any combination. Each launch copies what
    /// the source holds then.
    pub fn add_memcpy(&self, after: &[Node], to: *mut c_void, from: *const c_void, bytes: usize) -> Result<Node> {
        self.add(after, &copy_node(to, from, bytes))
    }

    /// Adds a node that fills `bytes` bytes of device or page-locked memory with `byte`.
    pub fn add_memset(&self, after: &[Node], to: *mut c_void, byte: u8, bytes: usize) -> Result<Node> {
        self.add(after, &fill_node(to, byte, bytes))
    }

    /// Adds a node that records an event; streams may wait for it once a launch was submitted. The graph keeps the
    /// event, whose records and waits are no longer elided from now on.
    pub fn add_record(&self, after: &[Node], event: &Event) -> Result<Node> {
        self.add(after, &event_node(sys::GS_NODE_RECORD, event))
    }

    /// Adds a node that waits for the record that the event has when a launch is submitted. The graph keeps the event,
    /// whose waits are no longer elided from now on.
    pub fn add_wait(&self, after: &[Node], event: &Event) -> Result<Node> {
        self.add(after, &event_node(sys::GS_NODE_WAIT, event))
    }

    /// Adds a node that runs a copy of another graph as that is now. This graph keeps alive what the other one refers
    /// to.
    pub fn add_graph(&self, after: &[Node], child: &Graph) -> Result<Node> {
        self.add(after, &gs_node_params_t { graph: child.as_handle(), ..node_of(sys::GS_NODE_GRAPH) })
    }

    /// Adds a node of any kind. What it points to is used by launches, but for the arguments of a kernel, which outlive
    /// the call.
    pub(super) fn add(&self, after: &[Node], node: &gs_node_params_t) -> Result<Node> {
        // SAFETY: a list with its length, a struct that states its size, and an output.
        get(|api, out| unsafe { api.gs_graph_add_node(self.as_handle(), Node::numbers(after), after.len(), node, out) })
            .map(Node::from_number)
    }
}

pub(super) fn node_of(kind: i32) -> gs_node_params_t {
    gs_node_params_t { kind, ..Default::default() }
}

pub(super) fn host_node(function: unsafe extern "C" fn(*mut c_void), argument: *mut c_void) -> gs_node_params_t {
    gs_node_params_t { host_function: Some(function), host_argument: argument, ..node_of(sys::GS_NODE_HOST) }
}

pub(super) fn kernel_node(
    kernel: &Kernel<'_>,
    config: &LaunchConfig,
    arguments: &[KernelArgument<'_>],
) -> gs_node_params_t {
    let ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]) = (config.grid, config.block);
    gs_node_params_t {
        kernel: kernel.as_handle(),
        arguments: raw_arguments(arguments),
        grid_x,
        grid_y,
        grid_z,
        block_x,
        block_y,
        block_z,
        shared_memory_bytes: config.shared_memory_bytes,
        flags: config.attributes.flags(),
        cluster_x: config.attributes.cluster[0],
        cluster_y: config.attributes.cluster[1],
        cluster_z: config.attributes.cluster[2],
        priority: config.attributes.priority.unwrap_or(0),
        ..node_of(sys::GS_NODE_KERNEL)
    }
}

pub(super) fn copy_node(to: *mut c_void, from: *const c_void, bytes: usize) -> gs_node_params_t {
    gs_node_params_t { dst: to, src: from, bytes: bytes as u64, ..node_of(sys::GS_NODE_MEMCPY) }
}

pub(super) fn fill_node(to: *mut c_void, byte: u8, bytes: usize) -> gs_node_params_t {
    gs_node_params_t { dst: to, value: byte.into(), bytes: bytes as u64, ..node_of(sys::GS_NODE_MEMSET) }
}

pub(super) fn event_node(kind: i32, event: &Event) -> gs_node_params_t {
    gs_node_params_t { event: event.as_handle(), ..node_of(kind) }
}
