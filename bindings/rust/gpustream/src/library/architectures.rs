// SPDX-License-Identifier: Apache-2.0
//! The GPU architectures of this build, and a cuBLAS handle for the current stream.

use std::ffi::c_void;

use crate::backend::Backend;
use crate::call::{api, get};
use crate::error::{Error, Result};
use crate::text::static_text;

/// Architectures for which the library contains kernels: `sm_90` is machine code for that capability, `compute_90` is
/// PTX, which the driver compiles for all later ones. Empty for host, and for a backend that this build lacks. Does not
/// block.
///
/// # Errors
///
/// [`UNAVAILABLE`](crate::Status::UNAVAILABLE) and the other [errors of a missing library](crate#missing-library).
pub fn arch_list(backend: Backend) -> Result<Vec<&'static str>> {
    // SAFETY: takes any number.
    let list = unsafe { api()?.gs_arch_list(backend as i32) };
    list.map(|list| static_text(list).split_ascii_whitespace().collect()).map_err(Error::missing)
}

/// Compiler options that build kernels for [`arch_list`], separated by blanks; empty where that list is empty.
///
/// # Errors
///
/// [`UNAVAILABLE`](crate::Status::UNAVAILABLE) and the other [errors of a missing library](crate#missing-library).
pub fn gencode_flags(backend: Backend) -> Result<&'static str> {
    // SAFETY: takes any number.
    unsafe { api()?.gs_gencode_flags(backend as i32) }.map(static_text).map_err(Error::missing)
}

/// A `cublasHandle_t` that works in the calling thread's current stream. It is for the calling thread only, lives until
/// the process ends and must not be destroyed. Blocks while cuBLAS is loaded and creates a handle, which may wait for
/// device work.
///
/// # Errors
///
/// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): there is no libcublas, or the current device is not one of the CUDA
/// backend. The [start](crate#start-errors), [driver](crate#driver-errors) and [call errors](crate#call-errors).
pub fn current_blas_handle() -> Result<*mut c_void> {
    // SAFETY: the output is a local variable.
    get(|api, out| unsafe { api.gs_current_blas_handle(out) }).map(std::ptr::without_provenance_mut)
}
