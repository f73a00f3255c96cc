// SPDX-License-Identifier: Apache-2.0
//! Events across processes.

use std::fmt::{self, Debug, Formatter};

use gpustream_sys::gs_ipc_handle_t;

/// An exported event: 64 bytes to hand to another process on the machine by any means.
///
/// Made by [`Event::ipc_export`](crate::Event::ipc_export), used by [`Event::ipc_open`](crate::Event::ipc_open). It owns
/// nothing: the exporter keeps the event alive.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct IpcHandle {
    bytes: [u8; 64],
}

impl IpcHandle {
    /// A handle that came from another process as bytes.
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self { bytes }
    }

    /// The bytes to send.
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.bytes
    }

    pub(crate) fn raw(self) -> gs_ipc_handle_t {
        gs_ipc_handle_t { data: self.bytes }
    }
}

impl From<gs_ipc_handle_t> for IpcHandle {
    fn from(raw: gs_ipc_handle_t) -> Self {
        Self { bytes: raw.data }
    }
}

impl Debug for IpcHandle {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("IpcHandle(")?;
        self.bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        out.write_str(")")
    }
}
