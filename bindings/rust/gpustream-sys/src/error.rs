// SPDX-License-Identifier: Apache-2.0
//! Errors of loading the library and of missing functions.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use crate::constants::GS_ABI_VERSION;

/// A failed attempt to load the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The file: a path, or a name for the system's loader.
    pub name: PathBuf,
    /// The loader's message.
    pub reason: String,
}

/// Why the library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// It could not be loaded from any of the places.
    NotFound {
        /// All attempts, in order.
        attempts: Vec<Attempt>,
    },
    /// The loaded file has no `gs_abi_version`: it is another library.
    NotGpustream {
        /// Its file.
        path: PathBuf,
    },
    /// The library's ABI version differs from the one of these declarations.
    WrongAbi {
        /// Its file.
        path: PathBuf,
        /// Its ABI version; `GS_ABI_VERSION` is needed.
        found: u32,
    },
    /// A path was given, but this crate uses a library already, or the process has loaded one from another file.
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
                out.write_str("libgpustream could not be loaded (the variable GPUSTREAM_LIBRARY can name its file)")?;
                attempts.iter().try_for_each(|attempt| write!(out, "; {}: {}", attempt.name.display(), attempt.reason))
            }
            Self::NotGpustream { path } => {
                write!(out, "{} is not libgpustream: it has no function gs_abi_version", path.display())
            }
            Self::WrongAbi { path, found } => {
                write!(out, "{} has ABI version {found}, but {GS_ABI_VERSION} is needed", path.display())
            }
            Self::Already { path } => write!(out, "libgpustream is loaded already: {}", path.display()),
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
    #[cfg_attr(gpustream_linked, allow(dead_code))] // a linked library lacks no function
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name }
    }

    /// Name of the function.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

impl Display for MissingSymbol {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "the loaded libgpustream lacks {}: it is older than this program needs", self.name)
    }
}

impl Error for MissingSymbol {}
