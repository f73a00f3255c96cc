// SPDX-License-Identifier: Apache-2.0
//! Events across processes.

use std::fmt::{self, Debug, Formatter};

use gpustream_sys::gs_ipc_handle_t;

use super::Event;
use crate::call::{fill, get};
use crate::device::Device;
use crate::error::Result;

/// The name of an exported event: 64 bytes, to be sent to another process on the machine by any means.
///
/// Made by [`Event::ipc_export`], used by [`Event::ipc_open`]. It is plain data and owns nothing: the exporter keeps the
/// event alive.
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

impl Event {
    /// Exports the event: returns 64 bytes by which another process can open it. An event that is not bound yet is
    /// bound to the calling thread's current device. The exporter must keep the event while others use it. Does not
    /// block.
    pub fn ipc_export(&self) -> Result<IpcHandle> {
        fill!(gs_event_ipc_export(self.as_handle())).map(IpcHandle::from)
    }

    /// Opens an event that another process exported from the same physical device. Its queries and waits refer to the
    /// record that is current at the call, whichever process made it. Does not block.
    pub fn ipc_open(device: Device, handle: &IpcHandle) -> Result<Self> {
        let raw = handle.raw();
        // SAFETY: the input and the output are local variables.
        get(|api, out| unsafe { api.gs_event_ipc_open(device.as_raw(), &raw const raw, out) }).map(Self::owned)
    }
}
