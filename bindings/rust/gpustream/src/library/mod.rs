// SPDX-License-Identifier: Apache-2.0
//! The library as a whole: loading, version, initialisation, settings and counters.

mod init_call;
mod log;
mod settings;
mod stats;

use std::path::Path;

use gpustream_sys as sys;

use crate::backend::Backend;
use crate::call::{api, call, read, truth};
use crate::error::{Error, Result};
use crate::numbers::open;
use crate::text::static_text;

pub use init_call::call_on_init;
pub use log::{LogLevel, set_log};
pub use settings::{
    SyncDebugMode, SyncDebugScope, set_sync_debug_mode, set_sync_debug_scope, sync_debug_mode, sync_debug_scope,
};
pub(crate) use settings::{option, set_option};
pub use stats::{Stats, reset_stats, stats, trim};

/// Version of the loaded library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

sys::for_each_enumerator! {
    fork_status, open,
    /// Whether a fork makes backends unusable in this process.
    ForkStatus
}

/// Loads the C library from a given file instead of searching for it. Must come before every other call.
///
/// [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED): this crate uses a library already (always, with the feature
/// `link`), or the process has loaded another file of it, for instance for another language.
pub fn load(path: impl AsRef<Path>) -> Result<()> {
    sys::load(path.as_ref()).map(drop).map_err(Error::not_loaded)
}

/// The file from which the C library was loaded; empty if the system does not report it, and with the feature `link`.
pub fn library_path() -> Result<&'static Path> {
    sys::library_path().map_err(Error::not_loaded)
}

/// Version of the loaded C library.
pub fn version() -> Result<Version> {
    // SAFETY: no arguments.
    let number = unsafe { api()?.gs_version() }.map_err(Error::missing)?;
    Ok(Version { major: number / 10000, minor: number / 100 % 100, patch: number % 100 })
}

/// Version of the loaded C library as text, such as `0.1.0`.
pub fn version_string() -> Result<&'static str> {
    // SAFETY: no arguments.
    unsafe { api()?.gs_version_string() }.map(static_text).map_err(Error::missing)
}

/// Number of copies of the C library in this process; more than 1 is almost always a packaging mistake.
pub fn instance_count() -> Result<u32> {
    // SAFETY: no arguments.
    unsafe { api()?.gs_instance_count() }.map(i32::unsigned_abs).map_err(Error::missing)
}

/// The description of a backend's native error code, from a table; for an unknown backend or code, a text that says so.
pub fn native_error_text(backend: Backend, native: i32) -> Result<&'static str> {
    // SAFETY: takes any numbers.
    unsafe { api()?.gs_native_error_text(backend as i32, native) }.map(static_text).map_err(Error::missing)
}

/// Starts the default backend, makes its choice final and calls the functions queued by [`call_on_init`].
///
/// Never needed, since calls that need a backend start it; useful to have failures and delays at a chosen moment.
/// Creates no device context. Of several calls at once, one starts the backend and the others wait for it.
///
/// A failed start is final: later calls return the same error.
pub fn init() -> Result<()> {
    call!(gs_init())
}

/// Whether the default backend is started in this process and every function of [`call_on_init`] has run. False in a
/// forked child of a process that had started it.
pub fn is_initialized() -> Result<bool> {
    read!(gs_is_initialized()).map(truth)
}

/// Whether the default backend is an accelerator with a device, or the host backend chosen by name. Starts nothing. Creates
/// no context and is safe before fork.
pub fn is_available() -> Result<bool> {
    read!(gs_is_available()).map(truth)
}

/// Whether this process was forked from one that had started a backend or was using CUDA.
pub fn fork_status() -> Result<ForkStatus> {
    read!(gs_fork_status()).map(ForkStatus::from_number)
}
