// SPDX-License-Identifier: Apache-2.0
//! Libraries that keep a current stream of their own.

use crate::call::{call, get};
use crate::error::Result;

/// A library of the process that keeps a current stream of its own, such as `PyTorch`, and shares it with gpustream.
///
/// ```no_run
/// use gpustream::Bridge;
///
/// let torch = Bridge::find("torch")?;
/// // SAFETY: streams of this program live as long as they are current.
/// unsafe { torch.lead(true) }?;
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bridge {
    number: i32,
}

impl Bridge {
    /// The bridge with a name: `"torch"`, `"tvm_ffi"` or `"executorch"`, which are built in, or one that any language has registered.
    /// The other library must have been loaded before; no library is loaded by this. Does not block.
    pub fn find(name: &str) -> Result<Self> {
        // A name with a NUL belongs to no bridge; the empty name is refused, too.
        let name = if name.contains('\0') { "" } else { name };
        let text: Vec<u8> = name.bytes().chain([0]).collect();
        // SAFETY: the text ends with NUL, and the output is a local variable.
        get(|api, out| unsafe { api.gs_bridge_find(text.as_ptr().cast(), out) }).map(Self::from_number)
    }

    /// The bridge with a number of `gs_bridge_register()`.
    pub const fn from_number(number: i32) -> Self {
        Self { number }
    }

    /// The library's number of this bridge.
    pub const fn number(self) -> i32 {
        self.number
    }

    /// Makes the other library's current stream go with gpustream's on every thread of the process, or no longer.
    /// Nothing changes until gpustream's current stream does next. Does not block.
    ///
    /// # Safety
    ///
    /// While this is on, every stream that is current on a thread outlives the other library's use of it there.
    pub unsafe fn lead(self, on: bool) -> Result<()> {
        call!(gs_bridge_lead(self.number, i32::from(on)))
    }

    /// Makes gpustream's current stream go with the other library's on every thread of the process. One library can be
    /// followed at a time. Does not block.
    ///
    /// # Safety
    ///
    /// Until [`stop_following`](Self::stop_following) every stream that is current in the other library outlives what
    /// gpustream returned for it: the results of [`Stream::current`](crate::Stream::current) and their clones.
    pub unsafe fn follow(self) -> Result<()> {
        call!(gs_bridge_follow(self.number))
    }

    /// Ends following, whichever library was followed. Does not block.
    pub fn stop_following() -> Result<()> {
        call!(gs_bridge_follow(0))
    }
}
