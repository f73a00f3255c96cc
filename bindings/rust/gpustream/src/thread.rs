// SPDX-License-Identifier: Apache-2.0
//! Threads of this crate, and forked children, in which they and its locks are not to be touched.

use std::io;
use std::thread::Builder;

use gpustream_sys as sys;

/// Starts a thread that blocks all signals: these are handled by the program's own threads.
pub(crate) fn start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let body = move || {
        block_signals();
        body();
    };
    Builder::new().name(name.into()).spawn(body).map(|_| ())
}

#[cfg(not(miri))]
fn block_signals() {
    // SAFETY: the set is a local variable, filled before it is used; only the calling thread's mask changes.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

#[cfg(miri)]
fn block_signals() {}

/// Whether this is a forked child of a process that may have threads of this crate. These belong to objects of a started
/// backend, so the library knows about the fork; it answers without a lock.
pub(crate) fn forked() -> bool {
    let mut status = sys::GS_FORK_CLEAN;
    // SAFETY: the output is a local variable.
    let asked = sys::loaded().map(|api| unsafe { api.gs_fork_status(&raw mut status) });
    // Without a library nothing was started.
    asked.is_some_and(|asked| asked != Ok(sys::GS_OK) || status != sys::GS_FORK_CLEAN)
}
