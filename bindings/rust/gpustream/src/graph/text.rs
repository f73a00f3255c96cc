// SPDX-License-Identifier: Apache-2.0
//! A graph in the language of Graphviz.

use std::ffi::{c_char, c_void};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gpustream_sys::{self as sys, gs_status_t};

use super::GraphRef;
use crate::call::{api, check};
use crate::error::{Error, Result};
use crate::status::Status;

impl GraphRef {
    /// Writes the graph in the language of Graphviz: nodes with their kind and what they work on, child graphs and
    /// bodies as boxes inside. The text comes in pieces, without a lock held. Does not block.
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
    /// [`SYSTEM`](crate::Status::SYSTEM): the writer failed, and got no further text.
    ///
    /// # Panics
    ///
    /// If the writer panics, with its panic.
    pub fn write_dot<W: Write>(&self, writer: &mut W) -> Result<()> {
        let mut target = Target { writer, failed: None };
        let arg = (&raw mut target).cast();
        // SAFETY: the function takes this argument, which outlives the call.
        let written = check(unsafe { api()?.gs_graph_write_dot(self.as_handle(), Some(write::<W>), arg) });
        match target.failed {
            Some(Failed::Panicked(payload)) => resume_unwind(payload),
            Some(Failed::Refused) => {
                Err(Error::new(Status::SYSTEM, "GraphRef::write_dot", "the writer returned an error"))
            }
            None => written,
        }
    }
}

struct Target<'a, W> {
    writer: &'a mut W,
    failed: Option<Failed>,
}

enum Failed {
    Refused,
    Panicked(Box<dyn std::any::Any + Send>),
}

/// A panic must not unwind through C.
unsafe extern "C" fn write<W: Write>(arg: *mut c_void, text: *const c_char, bytes: usize) -> gs_status_t {
    // SAFETY: the argument of `write_dot`, which is not used otherwise during the call; the text has that size.
    let (target, text) = unsafe { (&mut *arg.cast::<Target<'_, W>>(), std::slice::from_raw_parts(text.cast(), bytes)) };
    let text = String::from_utf8_lossy(text);
    target.failed = match catch_unwind(AssertUnwindSafe(|| target.writer.write_str(&text))) {
        Ok(Ok(())) => return sys::GS_OK,
        Ok(Err(_)) => Some(Failed::Refused),
        Err(payload) => Some(Failed::Panicked(payload)),
    };
    sys::GS_ERROR_SYSTEM
}
