// SPDX-License-Identifier: Apache-2.0
//! Declarations of the C library gpustream: GPU devices, streams, events and the per-thread current stream.
//!
//! Names, types and meaning are those of `gpustream.h`, which is the manual; this crate adds the loading of the library
//! and nothing else. The crate `gpustream` is the safe interface.
//!
//! ```
//! use gpustream_sys as sys;
//!
//! let api = sys::api()?;
//! let mut stream = std::ptr::null_mut();
//! // SAFETY: the output is a local variable.
//! let status = unsafe { api.gs_stream_create(sys::GS_DEVICE_CURRENT, 0, 0, &mut stream)? };
//! assert_eq!(status, sys::GS_OK);
//! // SAFETY: takes a handle.
//! let status = unsafe { api.gs_stream_destroy(stream)? };
//! assert_eq!(status, sys::GS_OK);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which library
//!
//! - `dlopen` (default): at run time. A copy that the process has loaded already comes first, then the file that
//!   `GPUSTREAM_LIBRARY` names, then `libgpustream.so.0` on the system loader's path.
//! - `link`: when the program is linked, by pkg-config, or in the folder `GPUSTREAM_LIB_DIR`.
//! - `bundled`: built from the sources in this crate (CMake 3.25, g++ 12) and opened at run time like `dlopen`. The bundled
//!   copy (beside the executable, in `../lib` from there, or in the build folder) takes precedence over the system's.
//!
//! Of several features `bundled` takes precedence, then `link`, then `dlopen`. Without any of them [`api`] fails.
//!
//! A process should have one copy of gpustream for all its languages, since each copy has its own current streams. A
//! copy that is loaded already is therefore always used.

// The lists come first: a macro can be used below its definition only.
#[macro_use]
mod functions;
#[macro_use]
#[rustfmt::skip] // is generated
mod lists;

mod api;
mod constants;
mod error;
mod load;
#[cfg(gpustream_opened)]
mod open;
mod structs;
mod types;

pub use api::Api;
pub use constants::*;
pub use error::{Attempt, LoadError, MissingSymbol};
pub use load::{api, library_path, load, loaded};
pub use structs::*;
pub use types::*;
