// SPDX-License-Identifier: Apache-2.0
//! The owner of a graph's reference.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use gpustream_sys::gs_graph_t;

use super::GraphRef;
use super::holds::Holds;
use crate::call::{get, read};
use crate::counted::{counted, derefs};
use crate::device::Device;
use crate::error::Result;

/// Work and the order in it: nodes of one device and the dependencies between them, owned. Its operations are those of
/// [`GraphRef`].
///
/// A graph is built node by node or [captured](crate::StreamRef::capture) from streams,
/// [made executable](Self::instantiate) once and launched any number of times. A clone is another reference to the same
/// graph; [`duplicate`](Self::duplicate) makes another graph. Executables do not depend on their graph.
pub struct Graph {
    graph: GraphRef,
    pub(super) holds: Arc<Holds>,
}

impl Graph {
    /// Takes over one reference.
    pub(crate) fn owned(raw: gs_graph_t) -> Self {
        Self { graph: GraphRef::from_handle(raw), holds: Arc::default() }
    }

    /// Creates an empty graph for work of a device. Does not block.
    pub fn new(device: Device) -> Result<Self> {
        read!(gs_graph_create(device.as_raw(), 0)).map(Self::owned)
    }

    /// Wraps a `cudaGraph_t` that its owner keeps, such as `PyTorch`'s `raw_cuda_graph`. Does not block.
    ///
    /// # Safety
    ///
    /// `native` is a live graph of the driver on this device, and lives until the last clone of the result is dropped.
    /// Other code does not use it during a call on the result.
    pub unsafe fn from_raw(device: Device, native: *mut c_void) -> Result<Self> {
        // SAFETY: the output is a local variable; the caller vouches for the native handle.
        get(|api, out| unsafe { api.gs_graph_from_native(device.as_raw(), native.addr(), out) }).map(Self::owned)
    }

    /// Takes over one reference of a handle of the C library, from C or another language.
    ///
    /// # Safety
    ///
    /// The caller owns a reference to `handle` and gives it away.
    pub unsafe fn from_handle(handle: gs_graph_t) -> Self {
        Self::owned(handle)
    }

    /// Releases this reference to the caller, as the C library's handle, which the caller passes to
    /// `gs_graph_destroy`.
    pub fn into_handle(self) -> gs_graph_t {
        let mut graph = ManuallyDrop::new(self);
        // SAFETY: the graph is not used or dropped afterwards.
        unsafe { std::ptr::drop_in_place(&raw mut graph.holds) };
        graph.as_handle()
    }

    /// Makes another graph with the same nodes and dependencies, which refers to the same memory, functions, kernels and
    /// events. Its nodes have numbers of their own, in the order of [`nodes`](GraphRef::nodes). Does not block.
    pub fn duplicate(&self) -> Result<Self> {
        read!(gs_graph_clone(self.as_handle())).map(Self::owned)
    }
}

derefs! { Graph, graph: GraphRef }

counted! {
    Graph, "graph",
    retain: |api, raw| api.gs_graph_retain(raw),
    destroy: |api, raw| api.gs_graph_destroy(raw),
    same: |graph| Self { graph: GraphRef::from_handle(graph.as_handle()), holds: graph.holds.clone() },
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.graph == other.graph
    }
}

impl Eq for Graph {}

impl Debug for Graph {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.graph.fmt(out)
    }
}
