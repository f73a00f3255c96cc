// SPDX-License-Identifier: Apache-2.0
//! Timelines of several processes.

use gpustream_sys::{self as sys, GS_TIMELINE_INTERPROCESS};

use super::Timeline;
use crate::call::{api, check, get};
use crate::device::Device;
use crate::error::Result;
use crate::event::IpcHandle;

impl Timeline {
    /// Creates a timeline that other processes on the machine can open, by [`ipc_export`](Self::ipc_export). All of them
    /// signal and wait as if they were one. A process that ends while it has the timeline open, or before a signal that
    /// it has submitted, aborts it for the others with [`PEER_LOST`](crate::Status::PEER_LOST), within 100 ms: so drop it
    /// before the process ends. Does not block.
    ///
    /// ```
    /// use gpustream::{Device, Stream, Timeline};
    ///
    /// let ready = Timeline::interprocess(Device::CURRENT, 0)?;
    /// let bytes = *ready.ipc_export()?.as_bytes(); // to another process, as a rule
    /// let stream = Stream::new()?;
    /// let same = Timeline::ipc_open(Device::CURRENT, &gpustream::IpcHandle::from_bytes(bytes))?;
    /// same.wait(&stream, 1)?; // also before the signal
    /// ready.set(1)?;
    /// stream.synchronize()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`with_initial`](Self::with_initial). [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) also: the device has no
    /// stream memory operations of 64 bits. [`SYSTEM`](crate::Status::SYSTEM): `GPUSTREAM_SHM_DIR` cannot be used.
    /// [`OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY): also when the shared memory is full.
    pub fn interprocess(device: Device, initial: u64) -> Result<Self> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_timeline_create(device.as_raw(), initial, GS_TIMELINE_INTERPROCESS, out) })
            .map(Self::owned)
    }

    /// The name by which other processes on the machine open the timeline. It keeps nothing open, and may be sent to any
    /// number of them. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): it was not made by [`interprocess`](Self::interprocess), or
    /// opened. [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live timeline. The status of an abort. The
    /// [getter errors](crate#getter-errors).
    pub fn ipc_export(&self) -> Result<IpcHandle> {
        let mut handle = sys::gs_ipc_handle_t::default();
        // SAFETY: the output is a local variable.
        check(unsafe { api()?.gs_timeline_ipc_export(self.as_handle(), &raw mut handle) })?;
        Ok(handle.into())
    }

    /// Opens a timeline that a process has exported. A process that has it open on the device's backend gets another
    /// reference to it. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT): the bytes do not name an exported timeline.
    /// [`INVALID_DEVICE`](crate::Status::INVALID_DEVICE): no such device.
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): all processes have given it up.
    /// [`PEER_LOST`](crate::Status::PEER_LOST): a process has ended that had it open.
    /// [`FULL`](crate::Status::FULL): 16 processes have it open.
    /// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): it comes from another pid namespace, or as
    /// [`interprocess`](Self::interprocess). The status of an abort. The [start](crate#start-errors),
    /// [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn ipc_open(device: Device, handle: &IpcHandle) -> Result<Self> {
        let raw = handle.raw();
        // SAFETY: the input and the output are local variables.
        get(|api, out| unsafe { api.gs_timeline_ipc_open(device.as_raw(), &raw const raw, out) }).map(Self::owned)
    }
}
