// SPDX-License-Identifier: Apache-2.0
//! Why the library, or one of its functions, cannot be used.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use crate::constants::GS_ABI_VERSION;

/// One place where the library was looked for, and what was wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What was asked for: a path, or a name that the system's loader looks up.
    pub name: PathBuf,
    /// The loader's answer.
    pub reason: String,
}

/// Why there is no library to call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// It was not found in any of the places.
    NotFound {
        /// In the order in which they were tried.
        attempts: Vec<Attempt>,
    },
    /// A library was loaded that has no `gs_abi_version`.
    NotGpustream {
        /// Its file.
        path: PathBuf,
    },
    /// The library's ABI is not the one of these declarations.
    WrongAbi {
        /// Its file.
        path: PathBuf,
        /// Its ABI version; `GS_ABI_VERSION` is wanted.
        found: u32,
    },
    /// A path was given, but a library is in use already, or the process has loaded one from another file.
    Already {
        /// Its file; empty if unknown.
        path: PathBuf,
    },
    /// This crate was built without `dlopen`, `link` and `bundled`.
    NoFeature,
}

impl Display for LoadError {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { attempts } => {
                out.write_str("libgpustream was not found (GPUSTREAM_LIBRARY can name it)")?;
                attempts.iter().try_for_each(|attempt| write!(out, "; {}: {}", attempt.name.display(), attempt.reason))
            }
            Self::NotGpustream { path } => write!(out, "{} has no gs_abi_version: it is not gpustream", path.display()),
            Self::WrongAbi { path, found } => {
                write!(out, "{} has ABI version {found}, wanted is {GS_ABI_VERSION}", path.display())
            }
            Self::Already { path } => write!(out, "the process uses libgpustream already: {}", path.display()),
            Self::NoFeature => out.write_str("gpustream-sys was built without the features dlopen, link and bundled"),
        }
    }
}

impl Error for LoadError {}

/// The library is older than these declarations and lacks a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingSymbol {
    name: &'static str,
}

impl MissingSymbol {
    #[cold]
    #[cfg_attr(gpustream_linked, allow(dead_code))] // the linker has found them all
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// The function.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl Display for MissingSymbol {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "the loaded libgpustream has no {}: it is older than this program needs", self.name)
    }
}

impl Error for MissingSymbol {}
