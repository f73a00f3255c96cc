// SPDX-License-Identifier: Apache-2.0
//! The operations of graphs that need nothing but the graph, and graphs that another object owns.

use std::ffi::c_void;
use std::fmt::{self, Debug, Formatter, Write};
use std::marker::PhantomData;

use gpustream_sys::gs_graph_t;

use super::host::into_kept;
use crate::call::{api, check, read};
use crate::counted::{derefs, of_all_threads};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::text::append;

/// The operations that build and describe a graph. Always behind a reference: [`Graph`](super::Graph) and
/// [`BorrowedGraph`](super::BorrowedGraph) are to it what `String` is to `str`.
///
/// Building and changing a graph is safe, as its nodes do not run;
/// [`GraphExec::launch`](super::GraphExec::launch) is where the caller vouches for what its nodes refer to.
///
/// The functions that add a node name the nodes before it in `after`. A node of another graph, or one named twice, is
/// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT). As a node can only name nodes that exist, there are no
/// cycles. Nodes may also be added while a stream is being captured into the graph.
#[repr(transparent)]
pub struct GraphRef {
    raw: gs_graph_t,
}

of_all_threads! { GraphRef }

impl GraphRef {
    pub(super) const fn from_handle(raw: gs_graph_t) -> Self {
        Self { raw }
    }

    /// The C library's handle, for the functions in [`sys`](crate::sys). Borrowed.
    pub fn as_handle(&self) -> gs_graph_t {
        self.raw
    }

    /// The `cudaGraph_t` for other libraries, which lives as long as the graph. Other libraries must not destroy it, and
    /// must leave it alone during a call on this graph.
    pub fn as_raw_graph(&self) -> Result<*mut c_void> {
        read!(gs_graph_native(self.raw)).map(std::ptr::without_provenance_mut)
    }

    /// Keeps a value until the graph, all executables made or updated from it after this call, and their launches have
    /// ended. It is then dropped on a thread of the library, never on one of the driver; its `Drop` may call gpustream
    /// except to synchronize, and a panic in it is contained. Does not block.
    ///
    /// Nothing that is kept may borrow, since launches may outlive every scope of the program: share it by
    /// [`Arc`](std::sync::Arc) instead. A value that owns this graph keeps both forever.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use gpustream::{Device, Graph, HostBuffer};
    ///
    /// let (from, to) = (Arc::new(HostBuffer::from_slice(b"data")?), Arc::new(HostBuffer::new(4)?));
    /// let graph = Graph::new(Device::CURRENT)?;
    /// graph.keep((from.clone(), to.clone()))?;
    /// graph.add_memcpy(&[], to.as_ptr().cast_mut().cast(), from.as_ptr().cast(), 4)?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// If it fails, the value is dropped.
    pub fn keep<T: Send + 'static>(&self, value: T) -> Result<()> {
        self.keep_at(value).map(|_| ())
    }

    /// As [`keep`](Self::keep), and returns where the value is.
    pub(crate) fn keep_at<T: Send + 'static>(&self, value: T) -> Result<*mut c_void> {
        into_kept(value, |release, arg| {
            // SAFETY: the function takes this argument, and the library calls it once.
            check(unsafe { api()?.gs_graph_keep(self.raw, release, arg) })
        })
    }
}

impl PartialEq for GraphRef {
    /// Whether they are handles of the same graph.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for GraphRef {}

impl Debug for GraphRef {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let mut text = out.debug_struct("Graph");
        match self.info() {
            Ok(info) => text.field("device", &info.device).field("nodes", &info.node_count).finish_non_exhaustive(),
            Err(_) => text.field("handle", &self.raw).finish_non_exhaustive(),
        }
    }
}

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

/// A graph that another object owns, valid for `'a`: a body of a conditional node, or the graph of a
/// [`Capture`](crate::Capture). Its operations are those of [`GraphRef`]; it cannot be instantiated.
///
/// A body cannot outlive its graph.
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
