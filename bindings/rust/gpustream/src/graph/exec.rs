// SPDX-License-Identifier: Apache-2.0
//! The owner of an executable graph's reference.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

use gpustream_sys::gs_graph_exec_t;

use super::kept::Kept;
use super::{Graph, InstantiateFlags};
use crate::call::{api, call, check, read};
use crate::counted::{counted, of_all_threads, shown_by_handle};
use crate::error::Result;
use crate::stream::StreamRef;

/// An executable graph; from [`Graph::instantiate`](super::Graph::instantiate). A clone is another reference to the same
/// executable. Dropping the last one does not wait: launches that were submitted still run, and what the graph keeps
/// lives until they have ended.
pub struct GraphExec {
    raw: gs_graph_exec_t,
    /// `None` if the executable was not made by this crate.
    pub(super) kept: Arc<Mutex<Option<Kept>>>,
}

// The list is behind a lock.
of_all_threads! { GraphExec }

impl Graph {
    /// Makes the graph executable. The executable is a copy: later changes of the graph do not affect it. Does not
    /// block.
    pub fn instantiate(&self, flags: InstantiateFlags) -> Result<GraphExec> {
        self.holds.tie(self)?;
        let raw = read!(gs_graph_instantiate(self.as_handle(), flags.bits()))?;
        Ok(GraphExec::owned(raw, Some(Kept::of(self))))
    }
}

impl GraphExec {
    /// Takes over one reference.
    fn owned(raw: gs_graph_exec_t, kept: Option<Kept>) -> Self {
        Self { raw, kept: Arc::new(Mutex::new(kept)) }
    }

    /// Submits the work of the graph to a stream of its device. It starts when all earlier work of the stream and the
    /// previous launch of this executable are done; branches that do not depend on each other may overlap. Does not
    /// block.
    ///
    /// It cannot be captured: [`add_graph`](super::GraphRef::add_graph) puts a graph into another.
    ///
    /// # Safety
    ///
    /// For each node, however it came into the graph, what the operation itself demands, until the launch is done:
    ///
    /// - Memory that it copies, fills or reads a condition from is valid, and not used by others.
    /// - A kernel gets arguments as it expects them, and the memory that they point to is valid. Values of a host kernel
    ///   that exports no argument sizes are alive.
    /// - A host function leaves the GPU driver and runtime alone. Of gpustream it calls only functions that act on no
    ///   device. The function waits for no work of a stream. Dropping a stream, event, buffer, module or graph counts as such a
    ///   call. A C function does not unwind, and what it uses is alive.
    /// - A condition is not set by two nodes that may run at the same time.
    #[inline]
    pub unsafe fn launch(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles; the caller vouches for what the nodes refer to.
        check(unsafe { api()?.gs_graph_exec_launch(self.raw, stream.as_handle()) })
    }

    /// Moves what the executable needs to its device, in stream order, so that its first launch is as fast as later
    /// ones. Its nodes do not run. Does not block.
    pub fn upload(&self, stream: &StreamRef) -> Result<()> {
        call!(gs_graph_exec_upload(self.raw, stream.as_handle()))
    }

    /// The `cudaGraphExec_t` for other libraries, which lives as long as the executable. Other libraries must not destroy
    /// it, and must leave it alone during a call on this executable.
    pub fn as_raw_exec(&self) -> Result<*mut c_void> {
        read!(gs_graph_exec_native(self.raw)).map(std::ptr::without_provenance_mut)
    }

    /// The C library's handle, for the functions in [`sys`](crate::sys). Borrowed.
    pub fn as_handle(&self) -> gs_graph_exec_t {
        self.raw
    }

    /// Takes over one reference of a handle of the C library, from C or another language.
    ///
    /// # Safety
    ///
    /// The caller owns a reference to `handle` and gives it away.
    pub unsafe fn from_handle(handle: gs_graph_exec_t) -> Self {
        Self::owned(handle, None)
    }

    /// Releases this reference to the caller, as the C library's handle, which the caller passes to
    /// `gs_graph_exec_destroy`.
    pub fn into_handle(self) -> gs_graph_exec_t {
        let mut exec = ManuallyDrop::new(self);
        // SAFETY: the executable is not used or dropped afterwards. The library keeps the list.
        unsafe { std::ptr::drop_in_place(&raw mut exec.kept) };
        exec.raw
    }
}

counted! {
    GraphExec, "executable",
    retain: |api, raw| api.gs_graph_exec_retain(raw),
    destroy: |api, raw| api.gs_graph_exec_destroy(raw),
    same: |exec| Self { raw: exec.raw, kept: exec.kept.clone() },
}

impl PartialEq for GraphExec {
    /// Whether they are handles of the same executable.
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for GraphExec {}

shown_by_handle! { GraphExec }
