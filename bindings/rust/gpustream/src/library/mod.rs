// SPDX-License-Identifier: Apache-2.0
//! The library as a whole: loading, version, initialisation, settings, counters.

mod architectures;
mod init_call;
mod log;
mod settings;
mod stats;

use std::path::Path;

use gpustream_sys as sys;

use crate::call::{api, check, get, get_bool, static_text};
use crate::device::Backend;
use crate::error::{Error, Result};

pub use architectures::{arch_list, current_blas_handle, gencode_flags};
pub use init_call::call_on_init;
pub use log::{LogLevel, set_log};
pub use settings::{
    SyncDebugMode, SyncDebugScope, set_sync_debug_mode, set_sync_debug_scope, sync_debug_mode, sync_debug_scope,
};
pub use stats::{Stats, reset_stats, stats, trim};

/// Version of the loaded library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// Whether the process was forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForkStatus {
    /// Backends may be used in this process.
    Clean,
    /// Forked from a process that had started a backend: device calls give [`Status::BAD_FORK`](crate::Status::BAD_FORK).
    ChildOfInitialized,
    /// One that this crate does not know.
    Other(i32),
}

/// Loads the C library from a file instead of looking for it. Only before the first other call, and only if the process
/// has not loaded another file of it, say for another language: else
/// [`Status::NOT_PERMITTED`](crate::Status::NOT_PERMITTED).
pub fn load(path: impl AsRef<Path>) -> Result<()> {
    sys::load(path.as_ref()).map(drop).map_err(Error::not_loaded)
}

/// The file the C library was loaded from; empty if the system does not say.
pub fn library_path() -> Result<&'static Path> {
    sys::library_path().map_err(Error::not_loaded)
}

/// Version of the loaded C library.
pub fn version() -> Result<Version> {
    // SAFETY: no arguments.
    let number = unsafe { api()?.gs_version() }.map_err(Error::missing)?;
    Ok(Version { major: number / 10000, minor: number / 100 % 100, patch: number % 100 })
}

/// Version of the loaded C library as text.
pub fn version_string() -> Result<&'static str> {
    // SAFETY: no arguments.
    unsafe { api()?.gs_version_string() }.map(static_text).map_err(Error::missing)
}

/// Copies of the C library in this process; more than 1 is nearly always a packaging mistake.
pub fn instance_count() -> Result<u32> {
    // SAFETY: no arguments.
    unsafe { api()?.gs_instance_count() }.map(i32::unsigned_abs).map_err(Error::missing)
}

/// A text for a native error code of a backend, from a table.
pub fn native_error_text(backend: Backend, native: i32) -> Result<&'static str> {
    // SAFETY: any numbers may be asked for.
    unsafe { api()?.gs_native_error_text(backend as i32, native) }.map(static_text).map_err(Error::missing)
}

/// Starts the default backend, makes its choice final and calls what [`call_on_init`] queued. Never needed, but useful to
/// meet failures and delays at a chosen moment.
pub fn init() -> Result<()> {
    // SAFETY: no arguments.
    check(unsafe { api()?.gs_init() })
}

/// Whether the default backend is started in this process and every function of [`call_on_init`] has run.
pub fn is_initialized() -> Result<bool> {
    // SAFETY: the output is a local variable.
    get_bool(|api, out| unsafe { api.gs_is_initialized(out) })
}

/// Whether the default backend is an accelerator with a device, or the host backend chosen by name. Starts nothing.
pub fn is_available() -> Result<bool> {
    // SAFETY: the output is a local variable.
    get_bool(|api, out| unsafe { api.gs_is_available(out) })
}

/// Whether this process was forked from one that had started a backend.
pub fn fork_status() -> Result<ForkStatus> {
    // SAFETY: the output is a local variable.
    get(|api, out| unsafe { api.gs_fork_status(out) }).map(|number| match number {
        sys::GS_FORK_CLEAN => ForkStatus::Clean,
        sys::GS_FORK_CHILD_OF_INITIALIZED => ForkStatus::ChildOfInitialized,
        other => ForkStatus::Other(other),
    })
}
