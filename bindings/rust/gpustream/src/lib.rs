// SPDX-License-Identifier: Apache-2.0
//! GPU devices, streams, events and the per-thread current stream, with or without a GPU.
//!
//! A [`Stream`] is an ordered queue of device work; an [`Event`] is a mark in a stream that streams and threads wait
//! for. Every thread has a current [`Device`] and, per device, a current stream; all languages in the process share
//! them. Where there is no GPU, the built-in host backend runs the same interface on CPU threads.
//!
//! ```
//! use gpustream::{Event, Stream};
//!
//! let producer = Stream::new()?;
//! let consumer = Stream::new()?;
//! let ready = Event::new()?;
//!
//! producer.sleep(1_000_000)?; // in place of real work
//! ready.record(&producer)?;
//! consumer.wait_event(&ready)?; // the device waits, not the caller
//! consumer.synchronize()?;
//! assert!(ready.query()?);
//! # Ok::<(), gpustream::Error>(())
//! ```
//!
//! # Graphs
//!
//! A [`Graph`] is work and the order in it: [captured](StreamRef::capture) from streams or built node by node, made
//! executable once ([`GraphExec`]) and launched any number of times. What it refers to is kept by
//! [`GraphRef::keep`] until graph, executables and launches have ended.
//!
//! # Random numbers
//!
//! [`random`] has each device's seed and offset, from which kernels draw: [`random::reserve`] says where one begins.
//!
//! # Parts of a device
//!
//! A [`Partition`] is a part of a device's multiprocessors, and has streams of its own that run nowhere else.
//!
//! # Waiting
//!
//! A [`Timeline`] is a number that only grows: streams and threads wait for a value before its signal is submitted, or
//! known.
//!
//! [`StreamRef::finished`] is a future for every executor, and an [`Event`] and a [`Pending`] can be awaited. A
//! [`CompletionQueue`] reports the end of work in any number of streams, also to event loops.
//! [`StreamRef::synchronize_for`] and its like block with a time limit; [`StreamRef::defer`] releases what work uses.
//!
//! # Other libraries
//!
//! [`StreamRef::as_raw_stream`] returns a `cudaStream_t` for cudarc, cust or any other library;
//! [`BorrowedStream::from_raw`] and [`Stream::from_raw_with`] accept one. [`Event::as_raw_event`] and
//! [`Event::from_raw`] do the same for events. With the feature `cudarc`, `Stream::try_from` takes an `Arc<CudaStream>`
//! of cudarc, and `CudarcStream::try_from` makes one of a [`Stream`]; each keeps the other alive. The program's own
//! dependency on cudarc chooses CUDA's version and how the driver is loaded.
//!
//! With the feature `tracing`, `RangeLayer` makes [ranges](Range) of the spans of the crate tracing, and [marks](mark()) of
//! its events.
//!
//! # Other processes
//!
//! A [`Token`] is a point of a stream as 128 bytes, for which any process on the machine can make a stream wait. With the
//! feature `serde` it is a part of messages: `Serialize` and `Deserialize`.
//!
//! # Blocking
//!
//! A function blocks (waits for device work, another process or a compiler) only if its description says so. The first
//! call that starts a backend or needs a device's context may take long, on CUDA up to seconds, while the driver
//! initialises.
//!
//! # Threads, fork, exit
//!
//! Every function may be called from every thread at the same time, also on the same object. What is current is thread
//! state, so the guards [`StreamGuard`] and [`DeviceGuard`] stay on their thread. In a process forked after a backend
//! was started, every device call returns [`Status::BAD_FORK`] and every drop is without effect. No `Drop` of this
//! crate panics or blocks on a device.
//!
//! # Errors
//!
//! Every call that can fail returns a [`Result`]; `Ok(false)` of a query means "not done yet" and is no error. Nothing
//! panics, except clones (of the owners of handles) if host memory is exhausted, a
//! [`PendingFuture`] that is polled after completion, and [`Condition::body`] with an index that is too large. A stale
//! handle, destroyed by another owner, is [`Status::INVALID_HANDLE`] and never undefined behaviour.
//!
//! The statuses of a call are those of its C function, which `gpustream.h` lists and [`Error::function`] names; CUDA may
//! report the error of earlier asynchronous work from any call. A description here says only what is Rust's own. For every
//! call these are: [`UNAVAILABLE`](Status::UNAVAILABLE) if the C library cannot be loaded ([`Reason::NoLibrary`]) or lacks
//! the function ([`Reason::NoSymbol`]); [`NOT_SUPPORTED`](Status::NOT_SUPPORTED) if its ABI version differs, or if another
//! language has set a mode that only a newer library knows; [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT) for a text that
//! contains a NUL, and for a size above `isize::MAX`.
//!
//! # Where the C library comes from
//!
//! By default the first call opens `libgpustream.so.0` at run time. A copy that the process has loaded already comes
//! first, then the file that `GPUSTREAM_LIBRARY` names, then the one that the system's loader finds. The features `link` and
//! `bundled` link it or build it; see [`gpustream_sys`].

#![warn(clippy::pedantic)]
// The header lists the errors.
#![allow(clippy::must_use_candidate, clippy::missing_errors_doc)]
// Numbers of C: pinned and small, or passed on as bits.
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)]

mod backend;
mod bridge;
mod call;
mod callback;
mod capture;
mod check;
mod counted;
mod device;
mod error;
mod event;
mod graph;
mod inventory;
mod launch;
mod library;
mod limit;
mod memory;
mod module;
mod numbers;
mod partition;
mod queue;
pub mod random;
mod range;
mod reaper;
mod status;
mod stream;
mod text;
mod thread;
mod timeline;
mod token;
mod trace;
mod wait;
#[cfg(feature = "cudarc")]
mod with_cudarc;
#[cfg(feature = "serde")]
mod with_serde;
#[cfg(feature = "tracing")]
mod with_tracing;

pub use gpustream_sys as sys;

pub use backend::Backend;
pub use bridge::Bridge;
pub use capture::{Capture, CaptureBreak, CaptureInfo, CaptureMode, CaptureState};
pub use check::{
    CheckClock, CheckFlags, ForbidSync, check_read, check_start, check_stop, check_write, set_check_callback,
};
pub use device::{Device, DeviceGuard, DeviceInfo, MemoryUse, PciAddress, PriorityRange};
pub use error::{Error, Result};
pub use event::{
    ArrowSyncEvent, Event, EventBuilder, EventFlags, HostTime, IpcHandle, UnrecordedMode, set_unrecorded_mode,
    unrecorded_mode,
};
pub use graph::{
    BorrowedGraph, Condition, ConditionKind, Graph, GraphExec, GraphInfo, GraphRef, GraphUpdate, InstantiateFlags,
    Node, NodeInfo, NodeKind, UpdateReason,
};
pub use inventory::{Inventory, InventoryEntry, Visibility, match_uuids, parse_visible_devices};
pub use launch::{LaunchAttributes, LaunchConfig};
pub use library::{
    ForkStatus, LogLevel, Stats, SyncDebugMode, SyncDebugScope, Version, call_on_init, fork_status, init,
    instance_count, is_available, is_initialized, library_path, load, native_error_text, reset_stats, set_log,
    set_sync_debug_mode, set_sync_debug_scope, stats, sync_debug_mode, sync_debug_scope, trim, version, version_string,
};
pub use memory::{DeviceBuffer, DeviceSlice, DeviceSliceMut, HostBuffer, Pending, PendingFuture, Plain, WaitError};
pub use module::{Kernel, KernelArgument, Module};
pub use partition::{Partition, PartitionFlags, PartitionInfo};
pub use queue::{Completion, CompletionQueue, QueueFd};
pub use range::{Range, StartedRange, mark, profiler_start, profiler_stop};
pub use status::{Reason, Status};
pub use stream::{
    AccessOrder, BorrowedStream, CURRENT, MemoryCopy, PriorityLevel, Stream, StreamBuilder, StreamFlags, StreamGuard,
    StreamPool, StreamRef, StreamTriple, Word, WordCondition,
};
pub use timeline::Timeline;
pub use token::Token;
pub use trace::{Trace, TraceFlags};
pub use wait::{Finished, WaitMode, set_wait_mode, wait_mode};
#[cfg(feature = "cudarc")]
pub use with_cudarc::CudarcStream;
#[cfg(feature = "tracing")]
pub use with_tracing::RangeLayer;

/// Compiles the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
