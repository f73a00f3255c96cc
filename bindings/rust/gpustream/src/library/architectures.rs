// SPDX-License-Identifier: Apache-2.0
//! What the library was built for, and a cuBLAS handle for the current stream.

use std::ffi::c_void;

use crate::call::{api, get, static_text};
use crate::device::Backend;
use crate::error::{Error, Result};

/// Architectures that the library brings kernels for, such as `sm_90` and `compute_90`; none on host.
pub fn arch_list(backend: Backend) -> Result<Vec<&'static str>> {
    // SAFETY: any number may be asked for.
    let list = unsafe { api()?.gs_arch_list(backend as i32) };
    list.map(|list| static_text(list).split_ascii_whitespace().collect()).map_err(Error::missing)
}

/// The compiler's options that make kernels for [`arch_list`], separated by blanks.
pub fn gencode_flags(backend: Backend) -> Result<&'static str> {
    // SAFETY: any number may be asked for.
    unsafe { api()?.gs_gencode_flags(backend as i32) }.map(static_text).map_err(Error::missing)
}

/// A `cublasHandle_t` that works in the calling thread's current stream. It is for the calling thread only, lives until the
/// process ends and must not be destroyed. Loads cuBLAS at the first call, which may wait for device work.
pub fn current_blas_handle() -> Result<*mut c_void> {
    // SAFETY: the output is a local variable.
    get(|api, out| unsafe { api.gs_current_blas_handle(out) }).map(std::ptr::without_provenance_mut)
}
