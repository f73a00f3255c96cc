// SPDX-License-Identifier: Apache-2.0
//! Declarations of the C library gpustream: GPU devices, streams, events and the per-thread current stream.
//!
//! Names, types and meaning are those of `gpustream.h`, which is the manual; this crate adds no logic. The crate
//! `gpustream` is the safe interface.
//!
//! ```
//! use gpustream_sys as sys;
//!
//! let api = sys::api()?;
//! let mut stream = std::ptr::null_mut();
//! // SAFETY: the output is a local variable.
//! let status = unsafe { api.gs_stream_create(sys::GS_DEVICE_CURRENT, 0, 0, &mut stream)? };
//! assert_eq!(status, sys::GS_OK);
//! // SAFETY: any value may be passed as a handle; this one is alive.
//! let status = unsafe { api.gs_stream_destroy(stream)? };
//! assert_eq!(status, sys::GS_OK);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which library
//!
//! | feature | how the library is found |
//! |---|---|
//! | `dlopen` (default) | at run time: one that the process has loaded already; else the file that `GPUSTREAM_LIBRARY` names; else `libgpustream.so.0` where the system's loader looks |
//! | `link` | when the program is linked: by pkg-config, else in the folder `GPUSTREAM_LIB_DIR` |
//! | `bundled` | built from the sources in this crate (CMake 3.25, g++ 12); opened at run time like `dlopen`, with the one built here before the system's: beside the executable, in `../lib` from there, or in the build folder |
//!
//! Features add up: bundled wins over link, link over dlopen. Without any of them [`api`] fails.
//!
//! One process should have one copy of gpustream, whatever languages use it, as each copy has current streams of its own.
//! So a copy that is loaded already is always taken.

// The lists come first: a macro can be used below its definition only.
#[macro_use]
mod functions;
#[macro_use]
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
