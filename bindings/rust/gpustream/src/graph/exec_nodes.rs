// SPDX-License-Identifier: Apache-2.0
//! Changing single nodes of an executable.
// Addresses are only noted here: launches, which are unsafe, use them.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

use std::ffi::c_void;
use std::sync::PoisonError;

use gpustream_sys::{self as sys, gs_node_params_t};

use super::build::{copy_node, event_node, fill_node, host_node, kernel_node};
use super::host::call;
use super::{GraphExec, Node};
use crate::call::{api, call, check};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::launch::LaunchConfig;
use crate::module::{Kernel, KernelArgument};
use crate::status::Status;

/// A change holds from the next launch on; launches already submitted, and the graph, keep what they have. The node is
/// one of the graph that the executable was made from, which must still be alive. No change blocks.
impl GraphExec {
    /// Changes what a kernel node runs, and its geometry and arguments, as
    /// [`add_kernel`](super::GraphRef::add_kernel).
    pub fn set_kernel(
        &self,
        node: Node,
        kernel: &Kernel<'_>,
        config: &LaunchConfig,
        arguments: &[KernelArgument<'_>],
    ) -> Result<()> {
        self.keeping(|| self.set(node, &kernel_node(kernel, config, arguments)))
    }

    /// Changes what a copy node copies, as [`add_memcpy`](super::GraphRef::add_memcpy).
    pub fn set_memcpy(&self, node: Node, to: *mut c_void, from: *const c_void, bytes: usize) -> Result<()> {
        self.set(node, &copy_node(to, from, bytes))
    }

    /// Changes what a fill node fills, as [`add_memset`](super::GraphRef::add_memset).
    pub fn set_memset(&self, node: Node, to: *mut c_void, byte: u8, bytes: usize) -> Result<()> {
        self.set(node, &fill_node(to, byte, bytes))
    }

    /// Changes which function a host node calls, as [`add_host`](super::GraphRef::add_host). The function lives as long
    /// as the graph, its executables and their launches, also when it is replaced again: launches with it may be under
    /// way.
    ///
    /// If it fails, the function is dropped. [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): the executable came from
    /// [`from_handle`](Self::from_handle), and cannot be made to keep a function; use
    /// [`set_host_raw`](Self::set_host_raw).
    pub fn set_host<F: Fn() + Send + Sync + 'static>(&self, node: Node, function: F) -> Result<()> {
        let function = Box::new(function);
        let changed = match self.kept.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(kept) => match kept.for_a_change() {
                Ok(list) => list.add(function, |function| self.set(node, &host_node(call::<F>, function))),
                Err(error) => Err((error, function)),
            },
            None => Err((elsewhere(), function)),
        };
        // A refused function is dropped here, without the lock.
        changed.map_err(|(error, _)| error)
    }

    /// As [`set_host`](Self::set_host), for a C function, which is called with `argument` and must not unwind.
    pub fn set_host_raw(
        &self,
        node: Node,
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Result<()> {
        self.keeping(|| self.set(node, &host_node(function, argument)))
    }

    fn set(&self, node: Node, what: &gs_node_params_t) -> Result<()> {
        // SAFETY: a struct that states its size. What it points to is used by launches, whose callers vouch for it, but for
        // the arguments of a kernel, which outlive the call.
        check(unsafe { api()?.gs_graph_exec_set_node(self.as_handle(), node.number(), what) })
    }

    /// Changes which event a record node records. Graph and executables keep the event.
    pub fn set_record(&self, node: Node, event: &Event) -> Result<()> {
        self.keeping(|| self.set(node, &event_node(sys::GS_NODE_RECORD, event)))
    }

    /// Changes which event a wait node waits for. Graph and executables keep the event.
    pub fn set_wait(&self, node: Node, event: &Event) -> Result<()> {
        self.keeping(|| self.set(node, &event_node(sys::GS_NODE_WAIT, event)))
    }

    /// Switches a kernel, copy or fill node off or on. A node that is off does nothing, but what comes after it still
    /// waits for what comes before. All nodes are on at first.
    pub fn enable(&self, node: Node, on: bool) -> Result<()> {
        call!(gs_graph_exec_enable_node(self.as_handle(), node.number(), on.into()))
    }

    /// A change that brings in what the library owns, and the executable must keep.
    fn keeping(&self, change: impl FnOnce() -> Result<()>) -> Result<()> {
        if let Some(kept) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            kept.for_a_change()?;
            return change();
        }
        change()
    }
}

fn elsewhere() -> Error {
    let text = "the executable was made elsewhere and keeps nothing for this crate";
    Error::new(Status::NOT_SUPPORTED, "GraphExec::set_host", text)
}
