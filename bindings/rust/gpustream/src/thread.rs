// SPDX-License-Identifier: Apache-2.0
//! Threads of this crate.

use std::io;
use std::thread::Builder;

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
