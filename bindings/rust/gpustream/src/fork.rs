// SPDX-License-Identifier: Apache-2.0
//! Forked children, in which the threads and locks of this crate are not to be touched.

use gpustream_sys as sys;

/// Whether this is a forked child of a process that may have threads of this crate. These belong to objects of a started
/// backend, so the library knows about the fork; it answers without a lock.
pub(crate) fn forked() -> bool {
    let mut status = sys::GS_FORK_CLEAN;
    // SAFETY: the output is a local variable.
    let asked = sys::loaded().map(|api| unsafe { api.gs_fork_status(&raw mut status) });
    // Without a library nothing was started.
    asked.is_some_and(|asked| asked != Ok(sys::GS_OK) || status != sys::GS_FORK_CLEAN)
}
