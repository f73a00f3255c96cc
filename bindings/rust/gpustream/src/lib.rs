// SPDX-License-Identifier: Apache-2.0
//! GPU devices, streams, events and the per-thread current stream, with or without a GPU.
//!
//! A [`Stream`] is an ordered queue of device work, an [`Event`] a mark in one that others wait for. Every thread has a
//! current [`Device`] and, per device, a current stream, which other languages in the process see as well. Where there is
//! no GPU the built-in host backend runs the same interface on CPU threads.
//!
//! ```
//! use gpustream::{Event, Stream};
//!
//! let producer = Stream::new()?;
//! let consumer = Stream::new()?;
//! let ready = Event::new()?;
//!
//! producer.sleep(1_000_000)?; // stands for real work
//! ready.record(&producer)?;
//! consumer.wait_event(&ready)?; // the device waits, not the caller
//! consumer.synchronize()?;
//! assert!(ready.query()?);
//! # Ok::<(), gpustream::Error>(())
//! ```
//!
//! # Other libraries
//!
//! [`StreamRef::as_raw_stream`] gives a `cudaStream_t` for cudarc, cust or any other library, [`BorrowedStream::from_raw`]
//! and [`Stream::from_raw_with`] take one, [`Event::as_raw_event`] and [`Event::from_raw`] do the same for events.
//!
//! # Errors
//!
//! Every call gives a [`Result`]: a missing library, driver or function is an [`Error`] like any other, and nothing
//! panics. A handle that went stale by another owner's fault is [`Status::INVALID_HANDLE`], never undefined behaviour.
//! `Ok(false)` of a query means "not done yet", which is no error.
//!
//! # Threads, fork, exit
//!
//! Streams and events may be shared and sent between threads. What is current belongs to one thread, so the guards
//! [`StreamGuard`] and [`DeviceGuard`] stay on theirs. In a process forked after a backend was started every device call
//! gives [`Status::BAD_FORK`]. No `Drop` of this crate panics or waits for a device.
//!
//! # Where the C library comes from
//!
//! By default `libgpustream.so.0` is opened at run time by the first call: a copy that the process has loaded already,
//! else the file that `GPUSTREAM_LIBRARY` names, else wherever the system's loader finds it. The features `link` and
//! `bundled` link it, or build it; see [`gpustream_sys`].

#![warn(clippy::pedantic)]
#![allow(clippy::missing_errors_doc, clippy::must_use_candidate)]
// Numbers of C: pinned and small, or passed on as bits.
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod call;
mod callback;
mod completion;
mod device;
mod error;
mod event;
mod inventory;
mod ipc;
mod library;
mod memory;
mod module;
mod reaper;
mod status;
mod stream;

pub use gpustream_sys as sys;

pub use device::{Backend, Device, DeviceGuard, DeviceInfo, MemoryUse, PciAddress, PriorityRange};
pub use error::{Error, ErrorDetail, Result};
pub use event::{Event, EventBuilder, EventFlags};
pub use inventory::{Inventory, InventoryEntry, Visibility, match_uuids, parse_visible_devices};
pub use ipc::IpcHandle;
pub use library::{
    ForkStatus, LogLevel, Stats, SyncDebugMode, SyncDebugScope, Version, arch_list, call_on_init, current_blas_handle,
    fork_status, gencode_flags, init, instance_count, is_available, is_initialized, library_path, load,
    native_error_text, reset_stats, set_log, set_sync_debug_mode, set_sync_debug_scope, stats, sync_debug_mode,
    sync_debug_scope, trim, version, version_string,
};
pub use memory::{DeviceBuffer, HostBuffer, Pending, PendingFuture, WaitError};
pub use module::{Kernel, KernelArgument, LaunchConfig, Module};
pub use status::{Reason, Status};
pub use stream::{
    BorrowedStream, CURRENT, Finished, Stream, StreamBuilder, StreamFlags, StreamGuard, StreamRef, StreamTriple,
};

/// The README's example is compiled as well.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
