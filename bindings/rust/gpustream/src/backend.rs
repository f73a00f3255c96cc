// SPDX-License-Identifier: Apache-2.0
//! Kinds of devices.

use gpustream_sys as sys;

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Backend {
    /// CPU threads with the semantics of CUDA.
    Host = sys::GS_BACKEND_HOST,
    /// NVIDIA GPUs.
    Cuda = sys::GS_BACKEND_CUDA,
    /// AMD GPUs. The number is reserved; this version has no such backend.
    Hip = sys::GS_BACKEND_HIP,
}

impl Backend {
    pub(crate) fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            sys::GS_BACKEND_HOST => Self::Host,
            sys::GS_BACKEND_CUDA => Self::Cuda,
            sys::GS_BACKEND_HIP => Self::Hip,
            _ => return None,
        })
    }
}
